import GeoIndex

/// One kind of search over one tree: what a benchmark runs again and again.
struct BenchSearch {
  let tree: KDTree
  let operation: BenchOperation
  /// Whether a radius or a box is counted and not listed.
  var countsOnly = false

  /// Runs the search at a point, from its degrees to the reported distances.
  ///
  /// - Returns: How many answers there are.
  func hitCount(at center: Coordinate) -> Int {
    switch operation {
    case .nearest(let count):
      tree.nearest(to: center, count: count).count
    case .radius(let metres) where countsOnly:
      tree.count(within: metres, of: center)
    case .radius(let metres):
      tree.within(radius: metres, of: center, sorted: false).count
    case .box(let halfWidth) where countsOnly:
      tree.count(in: .around(center, halfWidth: halfWidth))
    case .box(let halfWidth):
      tree.within(.around(center, halfWidth: halfWidth), sorted: false).count
    }
  }

  /// Runs the search at many points in one call, which only nearest has.
  ///
  /// - Returns: How many answers there are in all.
  func hitCount(at centers: [Coordinate], count: Int, threads: Int?) -> Int {
    tree.nearest(to: centers, count: count, threads: threads)
      .reduce(0) { $0 + $1.count }
  }

  /// The answer at a point, always in order: by (distance, position), boxes by position.
  func answer(at center: Coordinate) -> BenchAnswer {
    switch operation {
    case .radius where countsOnly, .box where countsOnly:
      .count(hitCount(at: center))
    case .nearest(let count):
      .neighbors(tree.nearest(to: center, count: count))
    case .radius(let metres):
      .neighbors(tree.within(radius: metres, of: center, sorted: true))
    case .box(let halfWidth):
      .positions(tree.within(.around(center, halfWidth: halfWidth), sorted: true))
    }
  }
}

/// What one query of a benchmark found.
enum BenchAnswer: Equatable {
  /// Positions with distances.
  case neighbors([Neighbor])
  /// Positions.
  case positions([Int])
  /// Their number.
  case count(Int)
}
