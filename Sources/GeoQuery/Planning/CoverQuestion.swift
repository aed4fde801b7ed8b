public import GeoIndex

/// A `CoverQuery` whose wants are still text, as the command line and the service receive them.
public struct CoverQuestion: Sendable {
  /// The point from which distances are measured.
  public var center: Coordinate

  /// The wants.
  public var wants: [WantParser]

  /// The maximum number of places.
  public var places = CoverQuestion.defaultPlaces

  /// The maximum distance from the center in meters.
  ///
  /// For the cost `spread`, infinity stands for `spreadDistance`: places that are near each other may
  /// be anywhere.
  public var maximumDistance = Double.infinity

  /// The cost of a group of places.
  public var cost = CoverQuery.Cost.farthest

  /// What is maximized first.
  public var preference = CoverQuery.Preference.count

  /// The ranking of single places; nil for a group.
  public var ranking: Ranking?

  /// The default maximum distance for the cost `spread`, in meters.
  public static let spreadDistance = 50_000.0

  /// The default maximum number of places in a group.
  public static let defaultPlaces = 3

  /// A ranking of single places instead of a group.
  public struct Ranking: Sendable {
    /// The maximum number of places.
    public var count: Int

    /// Whether only the nearest place for each number of wants met is included.
    public var onlyNearest: Bool

    /// Makes a ranking.
    public init(count: Int, onlyNearest: Bool = false) {
      self.count = count
      self.onlyNearest = onlyNearest
    }
  }

  /// The maximum distance, with its default.
  fileprivate var reach: Double {
    cost == .spread && ranking == nil && maximumDistance == .infinity
      ? Self.spreadDistance : maximumDistance
  }

  /// Makes a question.
  public init(near center: Coordinate, wants: [WantParser]) {
    self.center = center
    self.wants = wants
  }
}

/// The answer to a question for a few places.
public struct CoverAnswer: Sendable {
  /// The query.
  public let query: CoverQuery

  /// The result.
  public let result: Result

  /// The snapshot that was queried.
  public let snapshot: Snapshot

  /// A group, or single places.
  public enum Result: Sendable {
    /// The best group.
    case group(Cover)
    /// Single places, the best first.
    case ranking([Cover.Place])
  }

  /// The places, in their order.
  public var places: [Cover.Place] {
    switch result {
    case .group(let cover): cover.places
    case .ranking(let places): places
    }
  }

  /// Whether the same question gets the same answer: false if the time limit ended the search.
  public var isOptimal: Bool {
    if case .group(let cover) = result { cover.isOptimal } else { true }
  }
}

extension QueryEngine {
  /// Answers a question.
  ///
  /// - Parameters:
  ///   - question: The question.
  ///   - offers: Finds the places of offers.
  ///   - deadline: The end of the search, as `CoverQuery.deadline`.
  /// - Returns: A group, or a ranking if the question asks for one.
  /// - Throws: `QueryError` if something is out of range or an offer is unknown; `QueryTimeout`.
  public func answer(
    _ question: CoverQuestion,
    offers: OfferLookup,
    until deadline: Deadline? = nil
  ) throws -> CoverAnswer {
    let query = CoverQuery(
      near: question.center,
      wants: try question.wants.map { try Want($0, offers: offers) },
      places: question.places,
      within: question.reach,
      by: question.cost,
      preferring: question.preference,
      until: deadline
    )
    let result: CoverAnswer.Result =
      if let ranking = question.ranking {
        .ranking(
          try coverRanking(query, count: ranking.count, onlyNearest: ranking.onlyNearest)
        )
      } else {
        .group(try cover(query))
      }
    return CoverAnswer(query: query, result: result, snapshot: snapshot)
  }
}

/// A want as people write it: `Thai`, `category:Thai`, `text:craft beer`, `rating >= 4`,
/// `offer:7533`.
///
/// A text that contains one of `= < > ~` is a condition, or several joined by `and`; any other text
/// is a category, whether or not a restaurant has it. The prefixes `category:` and `text:` make
/// this explicit.
public struct WantParser: Sendable {
  /// The meaning of a text.
  public enum Meaning: Sendable {
    /// Places of a category.
    case category(String)
    /// Places with these words in name, category, address or city.
    case text(String)
    /// Places for which conditions are true.
    case conditions([Condition])
    /// Places that have an offer, by its id.
    case offer(String)
  }

  /// The text without the blanks around it: the want's label in answers.
  public let text: String

  /// The meaning.
  public let meaning: Meaning

  /// The name for people: the category, the words in quotes, or the text unchanged.
  public var title: String {
    switch meaning {
    case .category(let name): name
    case .text(let words): "“\(words)”"
    case .conditions, .offer: text
    }
  }

  /// The maximum length of a text in bytes of UTF-8.
  public static let greatestLength = 256

  /// The maximum number of conditions in a text.
  public static let maximumConditions = 8

  /// Reads a text.
  ///
  /// - Throws: `QueryError` if it is empty, too long, or not a valid condition.
  /// - Complexity: O(length of the text).
  public init(_ text: String) throws(QueryError) {
    guard text.utf8.count <= Self.greatestLength else {
      throw QueryError(
        "want",
        "a want has at most \(Self.greatestLength) bytes of UTF-8, got \(text.utf8.count)"
      )
    }
    let bare = text.trimmingBlanks
    guard !bare.isBlank else {
      throw QueryError("want", "is empty; expected a category, text:WORDS, a condition or offer:ID")
    }
    self.text = bare
    meaning = try Self.meaning(of: bare)
  }

  /// Reads the texts of a query.
  ///
  /// - Throws: `QueryError` if there are too few or too many, or one is invalid.
  public static func list(_ texts: [String]) throws(QueryError) -> [WantParser] {
    try CoverQuery.checkCount(ofWants: texts.count)
    var wants: [WantParser] = []
    for text in texts { wants.append(try WantParser(text)) }
    return wants
  }

  private static func meaning(of text: String) throws(QueryError) -> Meaning {
    let parts = text.utf8
      .split(separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
      .map { String(Substring($0)) }
    let kind = parts[0].lowercased()
    let kinds = ["category": Meaning.category, "text": Meaning.text, "offer": Meaning.offer]
    if parts.count == 2, let meaning = kinds[kind] {
      let rest = parts[1].trimmingBlanks
      guard !rest.isBlank else { throw QueryError("want", "\(kind): has nothing after it") }
      return meaning(rest)
    }
    guard text.utf8.contains(where: { "=<>~".utf8.contains($0) }) else { return .category(text) }
    do throws(QueryError) {
      return .conditions(try Condition.list(text, atMost: maximumConditions))
    } catch {
      throw QueryError("want", "\(error.reason); for a category write category:NAME")
    }
  }
}

/// The places that have an offer, and its worth.
public struct WantedOffer: Sendable {
  /// The positions of the places that have it.
  public var positions: BitSet

  /// Its worth, as `Want.amount`.
  public var amount: Double

  /// The name of the offer; `nil` if it is unknown.
  public var name: String?

  /// Makes the places of an offer.
  public init(_ positions: BitSet, amount: Double, name: String? = nil) {
    self.positions = positions
    self.amount = amount
    self.name = name
  }
}

/// Finds the places of an offer by its id; nil if there is no such offer.
public typealias OfferLookup = @Sendable (_ id: String) throws -> WantedOffer?

extension Want {
  /// Makes the want of a text.
  ///
  /// - Parameters:
  ///   - text: The text.
  ///   - offers: Finds the places of offers.
  /// - Throws: `QueryError` if there is no such offer, and errors of the lookup.
  public init(_ text: WantParser, offers: OfferLookup) throws {
    let (label, title) = (text.text, text.title)
    switch text.meaning {
    case .category(let name):
      self.init(label, .filter(Filter(categories: [name])), title: title)
    case .text(let words): self.init(label, .filter(Filter(text: words)), title: title)
    case .conditions(let conditions):
      self.init(label, .filter(Filter(conditions: conditions)), title: title)
    case .offer(let id):
      guard let found = try offers(id) else {
        throw QueryError("want", "unknown offer \(text.text)")
      }
      self.init(label, .set(found.positions), amount: found.amount, title: found.name ?? title)
    }
  }
}
