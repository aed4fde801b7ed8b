public import GeoIndex

/// What people write for a want: `Thai`, `category:Thai`, `text:craft beer`, `rating >= 4`, `offer:7533`.
///
/// A text with one of `= < > ~` in it is a condition, or several joined by `and`; any other one is a
/// category, whether or not a restaurant has it. `category:` and `text:` in front say it outright.
public struct WantText: Sendable {
  /// What it asks for.
  public enum Meaning: Sendable {
    /// Places of a category.
    case category(String)
    /// Places that have words in name, category, address or city.
    case text(String)
    /// Places for which conditions hold.
    case conditions([Condition])
    /// Places that have an offer, by its id.
    case offer(String)
  }

  /// The text without the blanks around it: what the want is called in answers.
  public let text: String

  /// What it asks for.
  public let meaning: Meaning

  /// The most bytes of UTF-8 that a text may have.
  public static let greatestLength = 256

  /// The most conditions that a text may join.
  public static let mostConditions = 8

  /// Reads a text.
  ///
  /// - Throws: `QueryError` if it is empty, too long, or a condition that is none.
  /// - Complexity: O(length of the text).
  public init(_ text: String) throws(QueryError) {
    guard text.utf8.count <= Self.greatestLength else {
      throw QueryError(
        "want",
        "a want has at most \(Self.greatestLength) bytes of UTF-8, got \(text.utf8.count)"
      )
    }
    let bare = Self.bare(text)
    guard !bare.isBlank else {
      throw QueryError("want", "is empty; expected a category, text:WORDS, a condition or offer:ID")
    }
    self.text = bare
    meaning = try Self.meaning(of: bare)
  }

  /// Reads the texts of a query.
  ///
  /// - Throws: `QueryError` if there are too few or too many, or one is wrong.
  public static func list(_ texts: [String]) throws(QueryError) -> [WantText] {
    try CoverQuery.checkCount(ofWants: texts.count)
    var wants: [WantText] = []
    for text in texts { wants.append(try WantText(text)) }
    return wants
  }

  private static func meaning(of text: String) throws(QueryError) -> Meaning {
    for kind in ["category", "text", "offer"] {
      guard let rest = self.rest(of: text, behind: kind + ":") else { continue }
      guard !rest.isBlank else { throw QueryError("want", "\(kind): has nothing behind it") }
      return kind == "category" ? .category(rest) : kind == "text" ? .text(rest) : .offer(rest)
    }
    guard text.utf8.contains(where: { "=<>~".utf8.contains($0) }) else { return .category(text) }
    do throws(QueryError) {
      return .conditions(try Condition.list(text, atMost: mostConditions))
    } catch {
      throw QueryError("want", "\(error.reason); category:… asks for a category")
    }
  }

  /// What stands behind the beginning of a text; nil if that is another one, capitals aside.
  private static func rest(of text: String, behind start: String) -> String? {
    let count = start.utf8.count
    guard text.utf8.count >= count,
      zip(text.utf8, start.utf8).allSatisfy({ byte, letter in
        byte == letter || (letter != UInt8(ascii: ":") && byte | 0x20 == letter)
      })
    else { return nil }
    return bare(String(decoding: text.utf8.dropFirst(count), as: UTF8.self))
  }

  private static func bare(_ text: String) -> String {
    text.trimming { $0 == " " || $0 == "\t" }
  }
}

/// Where an offer is had, and what it is worth.
public struct WantedOffer: Sendable {
  /// The positions of the places that have it.
  public var positions: PositionSet

  /// What it is worth, as `Want.amount`.
  public var amount: Double

  /// Makes the places of an offer.
  public init(_ positions: PositionSet, amount: Double) {
    self.positions = positions
    self.amount = amount
  }
}

/// Finds where an offer is had by its id; nil if there is no such offer.
public typealias OfferLookup = @Sendable (_ id: String) throws -> WantedOffer?

extension Want {
  /// The want that a text asks for.
  ///
  /// - Parameters:
  ///   - text: The text.
  ///   - offers: Finds the places of offers.
  /// - Throws: `QueryError` if there is no such offer, and what the lookup throws.
  public init(_ text: WantText, offers: OfferLookup) throws {
    switch text.meaning {
    case .category(let name): self.init(text.text, .filter(Filter(categories: [name])))
    case .text(let words): self.init(text.text, .filter(Filter(text: words)))
    case .conditions(let conditions):
      self.init(text.text, .filter(Filter(conditions: conditions)))
    case .offer(let id):
      guard let found = try offers(id) else {
        throw QueryError("want", "\(text.text) is not known: no offer has this id")
      }
      self.init(text.text, .set(found.positions), amount: found.amount)
    }
  }
}
