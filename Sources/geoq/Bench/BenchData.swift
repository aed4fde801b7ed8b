import GeoIndex

/// The points and the queries of a benchmark.
struct BenchData {
  /// The points.
  let points: [Coordinate]

  /// The queries, in the order they are asked.
  let queries: [Coordinate]

  /// Queries for warming up: at most the number of queries.
  let warmUpQueries: [Coordinate]

  /// Reads points and queries from files, or generates them.
  ///
  /// - Throws: `CommandFailure` if a file cannot be read.
  init(_ plan: BenchPlan) throws {
    var random = SeededRandom(seed: plan.seed)
    if let file = plan.pointsFile {
      points = try PairFile.read(file)
    } else {
      let source = ClusteredPoints(size: plan.size, using: &random)
      points = (0..<plan.size).map { _ in source.point(using: &random) }
    }
    if let file = plan.queriesFile {
      let all = try PairFile.read(file)
      let count = min(plan.queryCount ?? .max, all.count)
      queries = Array(all.prefix(count))
      warmUpQueries = Array(all.dropFirst(count).prefix(count))
    } else {
      let count = plan.queryCount ?? plan.operation.defaultQueryCount
      queries = Self.queries(near: points, count: count, using: &random)
      warmUpQueries = Self.queries(near: points, count: count, using: &random)
    }
  }

  /// Queries near the points: each is a random point, moved a little.
  static func queries(
    near places: [Coordinate],
    count: Int,
    using random: inout SeededRandom
  ) -> [Coordinate] {
    (0..<count).map { _ in
      jittered(places[Int.random(in: places.indices, using: &random)], using: &random)
    }
  }
}
