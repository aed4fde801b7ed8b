import GeoIndex

/// The keys of an order over a snapshot: numbers that compare as the values do, whatever these are.
struct OrderKeys {
  private let order: Order
  private let columns: Columns
  private let center: Coordinate?
  private let tree: KDTree

  init(_ order: Order, of snapshot: Snapshot, center: Coordinate?) {
    self.order = order
    self.center = center
    columns = snapshot.columns
    tree = snapshot.tree
  }

  /// The key of the restaurant at a position: never 0; `.max` for none.
  var key: (Int) -> UInt64 {
    let columns = columns
    let turn = order.isDescending ? UInt64.max : 0
    switch order.key {
    case .name: return { (UInt64(columns.names.rank(at: $0)) + 1) ^ turn }
    case .rating:
      guard let ratings = columns.numbers[.rating], let scales = columns.numbers[.ratingScale]
      else { return { _ in .max } }
      return { Self.key(columns.ratingShare(ratings, scales, at: $0), turn) }
    case .priceLevel:
      guard let levels = columns.numbers[.priceLevel] else { return { _ in .max } }
      return { Self.key(levels[$0], turn) }
    case .distance:
      guard let center else { return { _ in .max } }
      let tree = tree
      return { Self.key(center.distance(to: tree[$0]), turn) }
    }
  }

  private static func key(_ number: Double, _ turn: UInt64) -> UInt64 {
    number.isNaN ? .max : number.orderedBits ^ turn
  }

  /// The value of the restaurant at a position, for a cursor; nil if it has none.
  func value(at position: Int, distance: Double?) -> OrderValue? {
    switch order.key {
    case .name:
      return columns.texts[.name]?.folded.whileMapped {
        .text(Array(columns.names.key(at: position)))
      }
    case .rating:
      guard let ratings = columns.numbers[.rating], let scales = columns.numbers[.ratingScale]
      else { return nil }
      let share = columns.ratingShare(ratings, scales, at: position)
      return share.isNaN ? nil : .number(share)
    case .priceLevel:
      guard let level = columns.numbers[.priceLevel]?[position], !level.isNaN else { return nil }
      return .number(level)
    case .distance: return distance.map { .number($0) }
    }
  }

  /// The place of a restaurant with a value: before those at a position, and behind those with smaller
  /// keys.
  ///
  /// - Throws: `QueryError` if the value is not of the order's kind.
  func place(of value: OrderValue?, position: Int) throws(QueryError) -> OrderPlace {
    let turn = order.isDescending ? UInt64.max : 0
    switch (order.key, value) {
    case (_, nil): return OrderPlace(key: .max, distance: .infinity, position: position)
    case (.name, .text(let name)?):
      let (rank, isThere) = columns.names.rank(of: name)
      if isThere {
        return OrderPlace(key: (UInt64(rank) + 1) ^ turn, distance: 0, position: position)
      }
      // between two names: behind all that come before it
      let key = order.isDescending ? (UInt64(rank) ^ turn) : UInt64(rank) + 1
      return OrderPlace(key: key, distance: 0, position: 0)
    case (.distance, .number(let distance)?) where distance >= 0:
      return OrderPlace(
        key: Self.key(distance, turn),
        distance: distance,
        position: position
      )
    case (.rating, .number(let number)?), (.priceLevel, .number(let number)?):
      return OrderPlace(key: Self.key(number, turn), distance: 0, position: position)
    default: throw QueryError("cursor", "is damaged; copy it whole from the page before")
    }
  }
}
