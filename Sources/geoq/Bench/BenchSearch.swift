import GeoIndex

/// The search that a benchmark repeats.
struct BenchSearch {
  let tree: KDTree
  let operation: BenchOperation
  /// Whether the results of a radius or box search are counted instead of listed.
  var countsOnly = false

  /// Runs the search at a point, including the conversion of its degrees and the distances.
  ///
  /// - Returns: The number of results.
  func hitCount(at center: Coordinate) -> Int {
    switch operation {
    case .nearest(let count):
      tree.nearest(to: center, count: count).count
    case .radius(let meters) where countsOnly:
      tree.count(within: meters, of: center)
    case .radius(let meters):
      tree.within(radius: meters, of: center, sorted: false).count
    case .box(let halfWidth) where countsOnly:
      tree.count(in: .around(center, halfWidth: halfWidth))
    case .box(let halfWidth):
      tree.within(.around(center, halfWidth: halfWidth), sorted: false).count
    }
  }

  /// Runs the search at many points in one call, which only exists for nearest.
  ///
  /// - Returns: The number of results for all points.
  func hitCount(at centers: [Coordinate], count: Int, threads: Int?) -> Int {
    tree.nearest(to: centers, count: count, threads: threads)
      .reduce(0) { $0 + $1.count }
  }

  /// The results at a point, always in order: by (distance, position), in boxes by position.
  func answer(at center: Coordinate) -> BenchAnswer {
    switch operation {
    case .radius where countsOnly, .box where countsOnly:
      .count(hitCount(at: center))
    case .nearest(let count):
      .neighbors(tree.nearest(to: center, count: count))
    case .radius(let meters):
      .neighbors(tree.within(radius: meters, of: center, sorted: true))
    case .box(let halfWidth):
      .positions(tree.within(.around(center, halfWidth: halfWidth), sorted: true))
    }
  }
}

/// The results of one query of a benchmark.
enum BenchAnswer: Equatable {
  /// Positions with distances.
  case neighbors([Neighbor])
  /// Positions.
  case positions([Int])
  /// Their number.
  case count(Int)
}
