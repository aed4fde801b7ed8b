public import GeoIndex

/// Something that a place may have: a category, words, a condition, an offer.
public struct Want: Sendable {
  /// The places that meet a want.
  public enum Places: Sendable {
    /// Those that a filter matches.
    case filter(Filter)
    /// Those that have an offer, by its id, as `QueryEngine.answer` looks it up.
    case offer(String)
    /// Those at given positions of the snapshot.
    case set(BitSet)
  }

  /// Its name in answers for programs.
  public var label: String

  /// Its name for people: for an offer, the offer's name instead of its id.
  public var title: String

  /// The places that meet it.
  public var places: Places

  /// Its worth if `CoverQuery.Preference.value` is chosen: 0 to 10⁹, exact to a millionth.
  public var amount: Double

  /// Whether it is an offer that has ended, which is why no place meets it.
  public var isExpired = false

  /// Makes a want.
  ///
  /// - Parameters:
  ///   - label: Its name in answers for programs.
  ///   - places: The places that meet it.
  ///   - amount: Its worth.
  ///   - title: Its name for people; `nil` for the label.
  public init(_ label: String, _ places: Places, amount: Double = 0, title: String? = nil) {
    self.label = label
    self.title = title ?? label
    self.places = places
    self.amount = amount
  }

  /// The maximum length of a text in bytes of UTF-8.
  public static let maximumLength = 256

  /// The maximum number of conditions in a text.
  public static let maximumConditions = 8

  /// Reads a want: `Thai`, `category:Thai`, `text:craft beer`, `rating >= 4`, `offer:7533`.
  ///
  /// A text that contains one of `= < > ~` is an expression of conditions; any other text
  /// is a category, whether or not a restaurant has it. The prefixes `category:` and `text:` make
  /// this explicit. The label is the text without the blanks around it; the title is the category, the
  /// words in quotes, or the label.
  ///
  /// - Throws: `QueryError` if it is empty, too long, or not a valid condition.
  /// - Complexity: O(length of the text).
  public init(parsing text: String) throws(QueryError) {
    guard text.utf8.count <= Self.maximumLength else {
      throw QueryError(
        "want",
        "a want has at most \(Self.maximumLength) bytes of UTF-8, got \(text.utf8.count)"
      )
    }
    let label = text.trimmingBlanks
    guard !label.isBlank else {
      throw QueryError("want", "is empty; expected a category, text:WORDS, a condition or offer:ID")
    }
    let (places, title) = try Self.meaning(of: label)
    self.init(label, places, title: title)
  }

  /// Reads the wants of a query.
  ///
  /// - Throws: `QueryError` if there are too few or too many, or one is invalid.
  public static func list(_ texts: [String]) throws(QueryError) -> [Want] {
    try CoverQuery.checkCount(ofWants: texts.count)
    return try texts.map { text throws(QueryError) in try Want(parsing: text) }
  }

  private static func meaning(
    of text: String
  ) throws(QueryError) -> (places: Places, title: String?) {
    let parts = text.utf8
      .split(separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
      .map { String(Substring($0)) }
    let kind = parts[0].lowercased()
    if parts.count == 2, ["category", "text", "offer"].contains(kind) {
      let rest = parts[1].trimmingBlanks
      guard !rest.isBlank else { throw QueryError("want", "\(kind): has nothing after it") }
      return switch kind {
      case "category": (.filter(Filter(categories: [rest])), rest)
      case "text": (.filter(Filter(text: rest)), "“\(rest)”")
      default: (.offer(rest), nil)
      }
    }
    guard text.utf8.contains(where: { "=<>~".utf8.contains($0) }) else {
      return (.filter(Filter(categories: [text])), text)
    }
    do throws(QueryError) {
      let expression = try FilterExpression(text, atMost: maximumConditions)
      return (.filter(Filter(where: expression)), nil)
    } catch {
      let reason = "\(error.reason); for a category write category:NAME"
      throw QueryError("want", reason, column: error.column)
    }
  }

  /// The category that it is; nil if it is something else.
  package var category: String? {
    if case .filter(let filter) = places { filter.categories.first } else { nil }
  }

  /// The same with the places, the amount and the name of its offer, if it is one.
  ///
  /// - Throws: `QueryError` if there is no such offer, and errors of the lookup.
  package func resolved(by offers: OfferLookup) throws -> Want {
    guard case .offer(let id) = places else { return self }
    guard var want = try offers(id) else { throw QueryError("want", "unknown offer \(label)") }
    want.label = label
    return want
  }
}

/// Finds an offer by its id, as a want for the places that have it; nil if there is no such offer.
public typealias OfferLookup = @Sendable (_ id: String) throws -> Want?

/// The worth of sets of wants.
struct WantWeights: Sendable {
  /// The worth of each want: 1, or its amount in millionths.
  let amounts: [Int]

  /// The worth of the wants whose bits are set.
  func callAsFunction(_ wants: UInt64) -> Int {
    var (rest, sum) = (wants, 0)
    while rest != 0 {
      sum &+= amounts[rest.trailingZeroBitCount]
      rest &= rest &- 1
    }
    return sum
  }

  /// The maximum worth of 0, 1, 2… up to `count` masks if they do not overlap.
  func sums(of masks: [UInt64], _ count: Int) -> [Int] {
    let worths = masks.map { self($0) }.sorted(by: >)
    return (0...count).map { worths.prefix($0).reduce(0, +) }
  }
}

extension WantWeights {
  init(_ query: CoverQuery) {
    amounts = query.wants.map { query.preference == .count ? 1 : Self.millionths($0) }
  }

  private static func millionths(_ want: Want) -> Int { Int((want.amount * 1_000_000).rounded()) }

  /// The sum of the amounts, without the errors of adding them one by one.
  static func total(_ wants: [Want]) -> Double {
    Double(wants.map(millionths).reduce(0, +)) / 1_000_000
  }
}

/// The places that meet each want of a query.
struct WantSets {
  /// The places for each want, at any distance.
  let all: [BitSet]

  /// The places for each want, within the maximum distance.
  let within: [BitSet]

  init(_ query: CoverQuery, _ engine: QueryEngine) throws {
    let tree = engine.snapshot.tree
    let allowed = try engine.positions(matching: query.filter, until: query.deadline)
    let all = try query.wants.map { want in
      let places = try engine.places(of: want, until: query.deadline)
      return allowed.map(places.intersection) ?? places
    }
    self.all = all
    guard query.maximumDistance < .infinity else {
      within = all
      return
    }
    let ball = tree.positionSet(within: query.maximumDistance, of: query.center)
    within = all.map { $0.intersection(ball) }
  }

  /// The places within the maximum distance; empty for wants without a worth.
  func counting(_ weights: WantWeights) -> [BitSet] {
    within.indices.map { want in
      weights.amounts[want] > 0 ? within[want] : BitSet(capacity: within[want].capacity)
    }
  }

  /// A place with the wants that it meets.
  func place(at position: Int, _ distance: Double) -> Cover.Place {
    Cover.Place(
      position: position,
      distance: distance,
      meets: all.indices.filter { all[$0].contains(position) }
    )
  }
}
