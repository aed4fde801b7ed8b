import GeoIndex

/// A group of places with its cost; groups are ordered by cost, then by ids.
struct CoverChoice: Comparable {
  /// The cost in meters.
  var cost: Double

  /// The order of equal costs: `farthest` for `spread`, otherwise 0.
  var second: Double

  /// The positions in ascending order, which is the order of ids.
  var positions: [Int]

  static func < (left: CoverChoice, right: CoverChoice) -> Bool {
    if left.cost != right.cost { return left.cost < right.cost }
    if left.second != right.second { return left.second < right.second }
    return left.positions.lexicographicallyPrecedes(right.positions)
  }

  /// Makes a group of places with its cost.
  ///
  /// - Parameters:
  ///   - positions: at most five.
  ///   - center: the point that distances are measured from.
  ///   - cost: the kind of cost.
  ///   - tree: the index of the places.
  init(_ positions: [Int], from center: Coordinate, by cost: CoverQuery.Cost, in tree: KDTree) {
    self.positions = positions.sorted()
    let farthest = positions.map { center.distance(to: tree[$0]) }.max() ?? 0
    second = 0
    switch cost {
    case .farthest: self.cost = farthest
    case .walk: self.cost = Self.walk(positions, from: center, in: tree).length
    case .spread:
      second = farthest
      self.cost =
        positions.flatMap { one in positions.map { tree[one].distance(to: tree[$0]) } }.max() ?? 0
    }
  }

  init(cost: Double, second: Double = 0, positions: [Int]) {
    self.cost = cost
    self.second = second
    self.positions = positions
  }

  /// The length and the order of the shortest walk from a point through some places; of equal ones,
  /// the first in order of id.
  static func walk(
    _ positions: [Int],
    from center: Coordinate,
    in tree: KDTree
  ) -> (length: Double, order: [Int]) {
    var best = (length: Double.infinity, order: [Int]())
    func extend(_ path: [Int], _ length: Double, _ rest: [Int]) {
      if rest.isEmpty, length < best.length { best = (length, path) }
      let last = path.last.map { tree[$0] } ?? center
      for (index, next) in rest.enumerated() {
        var others = rest
        others.remove(at: index)
        extend(path + [next], length + last.distance(to: tree[next]), others)
      }
    }
    extend([], 0, positions.sorted())
    return best
  }
}
