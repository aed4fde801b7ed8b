import GeoIndex

/// The order of an answer: by one key after another, then by id (UTF-8 bytes).
///
/// By each key, restaurants without a value for it come last.
public struct Order: Sendable, Hashable {
  /// The keys of orders.
  public enum Key: String, Sendable, CaseIterable {
    /// The distance from the query's center.
    case distance
    /// The name, ignoring case and accents, by the first 256 bytes of its folded UTF-8.
    case name
    /// The rating divided by its scale, which is 5 if the feed gives none.
    case rating
    /// The price level, 1 to 4.
    case priceLevel
    /// The number of ratings.
    case reviewCount
    /// The category, compared as the name is.
    case category
    /// The city, compared as the name is.
    case city
    /// The chain, compared as the name is.
    case chain

    /// Its column; nil for the distance.
    fileprivate var field: Condition.Field? { Condition.Field(rawValue: rawValue) }

    /// Whether its values are texts: the name, and columns of texts that many restaurants share.
    var isText: Bool { self == .name || Columns.codeNames.contains { $0.field == field } }
  }

  /// A key and its direction.
  public struct Term: Sendable, Hashable {
    /// The key to sort by.
    public let key: Key

    /// Whether the largest comes first; equal ones are still in ascending order of id.
    public let isDescending: Bool

    /// Makes a term.
    public init(_ key: Key, descending isDescending: Bool = false) {
      self.key = key
      self.isDescending = isDescending
    }
  }

  /// The maximum number of terms.
  public static let maximumTerms = 4

  /// The terms, each of which orders those that are equal by all before it; one or more.
  public let terms: [Term]

  /// Makes an order by one key.
  public init(by key: Key, descending isDescending: Bool = false) {
    terms = [Term(key, descending: isDescending)]
  }

  /// Makes an order by several keys.
  ///
  /// - Throws: `QueryError` if there is none, a key is repeated, or there are more than `maximumTerms`.
  public init(_ terms: [Term]) throws(QueryError) {
    guard !terms.isEmpty, terms.count <= Self.maximumTerms else {
      throw QueryError("sort", "has \(terms.count) keys; one to \(Self.maximumTerms) are possible")
    }
    for (index, term) in terms.enumerated()
    where terms[..<index].contains(where: { $0.key == term.key }) {
      throw QueryError("sort", "has the key \(term.key.rawValue) twice")
    }
    self.terms = terms
  }

  /// Whether it needs a point to measure from.
  package var needsCenter: Bool { terms.contains { $0.key == .distance } }
}

/// A restaurant's value for a key.
enum OrderValue: Hashable, Sendable {
  case number(Double)
  case text([UInt8])

  /// A restaurant's value; nil if it has none.
  init?(_ key: Order.Key, of match: Match) {
    let restaurant = match.restaurant
    let field = RestaurantField(rawValue: key.rawValue)
    let value: OrderValue? =
      switch key {
      case .distance: match.distance.map(OrderValue.number)
      case .name: Self.folding(restaurant.name)
      case .rating: restaurant.ratingShare.map(OrderValue.number)
      case _ where key.isText: field.flatMap(restaurant.text).map(Self.folding)
      default:
        field.flatMap { restaurant[$0]?.asText }.flatMap(Double.init).map(OrderValue.number)
      }
    guard let value else { return nil }
    self = value
  }

  /// The part of a text that is compared.
  private static func folding(_ text: String) -> OrderValue {
    let bytes = Array(folded(text).utf8)
    return .text(bytes.withUnsafeBytes { Array(NameOrder.key(of: $0)) })
  }

  fileprivate var number: Double? {
    if case .number(let number) = self { number } else { nil }
  }
}

extension Double {
  /// A number that sorts like this one, with -0.0 as 0.0 and NaN after all others.
  var orderedBits: UInt64 {
    if isNaN { return .max }
    let bits = (self + 0).bitPattern
    return bits & (1 << 63) == 0 ? bits | 1 << 63 : ~bits
  }
}

/// The keys of an order over a snapshot: for each term numbers that sort like the values.
struct OrderKeys {
  private let terms: [TermKeys]

  init(_ order: Order, of snapshot: Snapshot, center: Coordinate?) {
    terms = order.terms.map { TermKeys($0, of: snapshot, center: center) }
  }

  /// For each term, the key of the restaurant at a position: never 0; `.max` for none.
  var keys: [(Int) -> UInt64] { terms.map(\.key) }

  /// The values of the restaurant at a position, for a cursor; nil for those it does not have.
  func values(at position: Int, distance: Double?) -> [OrderValue?] {
    terms.map { $0.value(at: position, distance: distance) }
  }

  /// The place of a restaurant with some values and a position in the order.
  ///
  /// - Throws: `QueryError` if there is not a value of its type for each term.
  func place(of values: [OrderValue?], position: Int) throws(QueryError) -> OrderPlace {
    guard values.count == terms.count else { throw Cursor.damaged }
    var place = OrderPlace(keys: [], distance: 0, position: position)
    for (term, value) in zip(terms, values) {
      let (key, isThere) = try term.key(of: value)
      place.keys.append(key)
      if term.isByDistance { place.distance = value?.number ?? .infinity }
      guard isThere else {
        // before all that have the key
        place.keys += Array(repeating: 0, count: terms.count - place.keys.count)
        place.position = 0
        break
      }
    }
    return place
  }
}

/// The keys of a term of an order over a snapshot.
private struct TermKeys {
  /// The values by position; NaN for no number.
  private enum Values {
    case numbers((Int) -> Double)
    case texts(any TextOrder, key: (Int) -> UInt64)

    /// Keys by rank, compiled for each kind of order: a call that is not inlined takes three times
    /// as long.
    static func texts(_ texts: some TextOrder, _ turn: UInt64) -> Values {
      .texts(texts) { texts.rank(at: $0).map { (UInt64($0) + 1) ^ turn } ?? .max }
    }
  }

  private let values: Values

  /// What turns keys around.
  private let turn: UInt64

  let isByDistance: Bool

  init(_ term: Order.Term, of snapshot: Snapshot, center: Coordinate?) {
    let turn: UInt64 = term.isDescending ? .max : 0
    self.turn = turn
    isByDistance = term.key == .distance
    let numbers = snapshot.columns.numbers
    switch (term.key, term.key.field.flatMap { snapshot.columns.codes[$0] }) {
    case (.distance, _):
      let tree = snapshot.tree
      values = .numbers { position in center.map { $0.distance(to: tree[position]) } ?? .nan }
    case (.name, _): values = .texts(snapshot.columns.names, turn)
    case (.rating, _):
      let (ratings, scales) = (numbers[.rating], numbers[.ratingScale])
      values = .numbers { position in
        let scale = scales?[position] ?? .nan
        return (ratings?[position] ?? .nan) / (scale.isNaN ? 5 : scale)
      }
    case (_, let column?): values = .texts(CodeOrder(column), turn)
    case (_, nil):
      let column = term.key.field.flatMap { numbers[$0] }
      values = .numbers { column?[$0] ?? .nan }
    }
  }

  /// The key of the restaurant at a position: never 0; `.max` for none.
  var key: (Int) -> UInt64 {
    let turn = turn
    return switch values {
    case .numbers(let number): { Self.key(number($0), turn) }
    case .texts(_, let key): key
    }
  }

  private static func key(_ number: Double, _ turn: UInt64) -> UInt64 {
    number.isNaN ? .max : number.orderedBits ^ turn
  }

  /// The value of the restaurant at a position, for a cursor; nil if it has none.
  func value(at position: Int, distance: Double?) -> OrderValue? {
    switch values {
    case .texts(let texts, _): return texts.text(at: position).map(OrderValue.text)
    case .numbers(let number):
      let value = isByDistance ? distance ?? .nan : number(position)
      return value.isNaN ? nil : .number(value)
    }
  }

  /// The key of a value, and whether a restaurant has the value; otherwise the key of the next one.
  ///
  /// - Throws: `QueryError` if the value does not have the key's type.
  func key(of value: OrderValue?) throws(QueryError) -> (key: UInt64, isThere: Bool) {
    switch (values, value) {
    case (_, nil): return (.max, true)
    case (.texts(let texts, _), .text(let text)?):
      let (rank, isThere) = texts.rank(of: text)
      if isThere { return ((UInt64(rank) + 1) ^ turn, true) }
      // that of the next text in the order
      return (turn == 0 ? UInt64(rank) + 1 : UInt64(rank) ^ turn, false)
    case (.numbers, .number(let number)?) where !isByDistance || number >= 0:
      return (Self.key(number, turn), true)
    default: throw Cursor.damaged
    }
  }
}

/// The order of the texts of a `CodeColumn`, of which there are few.
private struct CodeOrder: TextOrder {
  /// The distinct parts that are compared, in their order.
  private var texts: [[UInt8]] = []

  private let column: CodeColumn

  /// The rank of each of the column's texts.
  private var ranks: [UInt32]

  /// Sorts the texts of a column.
  ///
  /// - Complexity: O(*n* log *n*) for *n* different texts.
  init(_ column: CodeColumn) {
    self.column = column
    let keys = column.folded.whileMapped {
      (0..<column.folded.count).map { Array(NameOrder.key(of: column.folded[$0])) }
    }
    ranks = Array(repeating: 0, count: keys.count)
    for code in keys.indices.sorted(by: { keys[$0].lexicographicallyPrecedes(keys[$1]) }) {
      if texts.last != keys[code] { texts.append(keys[code]) }
      ranks[code] = UInt32(texts.count - 1)
    }
  }

  func rank(at position: Int) -> UInt32? { column.code(at: position).map { ranks[$0] } }

  func text(at position: Int) -> [UInt8]? { rank(at: position).map { texts[Int($0)] } }

  func rank(of text: [UInt8]) -> (rank: UInt32, isThere: Bool) {
    let rank = texts.partitionPoint { !$0.lexicographicallyPrecedes(text) }
    return (UInt32(rank), rank < texts.count && texts[rank] == text)
  }
}

extension Snapshot {
  /// Whether some restaurant has opening hours.
  package var hasHours: Bool { columns.hours.texts.count > 0 }

  /// Whether some restaurant has a value for a key.
  ///
  /// - Complexity: O(1) if the first restaurants have one, O(n) if none has; callers cache it.
  package func hasValues(of key: Order.Key) -> Bool {
    if let texts = key.field.flatMap({ columns.codes[$0] }) { return texts.texts.count > 0 }
    // distance and name
    guard let numbers = key.field.flatMap({ columns.numbers[$0] }) else { return count > 0 }
    return numbers.whileMapped { (0..<count).contains { !numbers[$0].isNaN } }
  }
}
