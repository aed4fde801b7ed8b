import GeoIndex

/// What pages are taken from: restaurants in their order, each with a place, some of which may not
/// count.
struct PageLine: Sendable {
  /// How many places there are.
  let count: Int

  /// Which position has which place.
  private enum Order: Sendable {
    case positions
    case list([Int])
    case sorted(SortedOrder)
  }

  private let order: Order

  /// The positions that count; nil for all.
  private let members: PositionSet?

  /// All restaurants in an order, by id without one.
  ///
  /// - Parameters:
  ///   - order: The order; nil for that by id.
  ///   - members: The positions that count; nil for all.
  ///   - count: How many restaurants there are.
  init(_ order: SortedOrder?, members: PositionSet?, count: Int) {
    self.order = order.map(Order.sorted) ?? .positions
    self.members = members
    self.count = count
  }

  /// Some positions, ascending.
  init(list: [Int]) {
    order = .list(list)
    members = nil
    count = list.count
  }

  /// The position at a place.
  func position(at place: Int) -> Int {
    switch order {
    case .positions: place
    case .list(let positions): positions[place]
    case .sorted(let order): Int(order.positions[place])
    }
  }

  /// The first place of a line by id whose position is not below this one.
  func place(of position: Int) -> Int {
    guard case .list(let positions) = order else { return position }
    return positions.firstIndex { $0 >= position } ?? positions.endIndex
  }

  /// The places from one on that count.
  ///
  /// - Parameters:
  ///   - start: The first place that may be taken.
  ///   - offset: How many are left out at the beginning.
  ///   - limit: How many are taken at most.
  /// - Returns: Places, ascending.
  func places(from start: Int, offset: Int, limit: Int) -> [Int] {
    let places = start..<max(start, count)
    guard members != nil else { return Array(places.dropFirst(offset).prefix(limit)) }
    return Array(places.lazy.filter(holds).dropFirst(offset).prefix(limit))
  }

  /// The last places before one that count, ascending.
  func places(before end: Int, limit: Int) -> [Int] {
    Array((0..<end).reversed().lazy.filter(holds).prefix(limit)).reversed()
  }

  /// Whether any place of a range counts.
  func hasAny(in places: Range<Int>) -> Bool { places.contains(where: holds) }

  private func holds(_ place: Int) -> Bool { members?.contains(position(at: place)) ?? true }
}
