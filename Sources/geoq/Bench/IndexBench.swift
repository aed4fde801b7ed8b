import GeoIndex

extension BenchCommand {
  /// Measures an operation, and writes the answers if a file for them is given.
  ///
  /// - Throws: `CommandFailure` if a file cannot be read, `OutputError` if the answers cannot be written.
  func measured(_ operation: BenchOperation) throws -> BenchReport {
    let data = try BenchData(self, operation)
    let (tree, seconds) = Stopwatch.time { KDTree(data.points) }
    let search = BenchSearch(tree: tree, operation: operation, countsOnly: countOnly)
    let report = BenchReport(
      operation: operation,
      queryCount: data.queries.count,
      pointCount: tree.count,
      measurement: measure(search, data),
      buildSeconds: seconds,
      bytesPerPoint: Double(tree.byteCount) / Double(tree.count),
      threads: threadCount
    )
    if let answers { try write(search, data.queries, to: answers) }
    return report
  }

  /// The round with the median mean; of an even number, the lower one.
  private func measure(_ search: BenchSearch, _ data: BenchData) -> Measurement {
    let measurements = (0..<rounds).map { _ in round(search, data) }
      .sorted { $0.nanosecondsPerQuery < $1.nanosecondsPerQuery }
    var median = measurements[(rounds - 1) / 2]
    median.rounds = measurements.map(\.nanosecondsPerQuery)
    return median
  }

  /// A warm-up, a pass for the mean, and a pass for the percentiles; a batch has one pass.
  private func round(_ search: BenchSearch, _ data: BenchData) -> Measurement {
    let queries = data.queries
    if isBatch, case .nearest(let count) = search.operation {
      _ = search.hitCount(at: data.warmUpQueries, count: count, threads: threadCount)
      let (hits, seconds) = Stopwatch.time {
        search.hitCount(at: queries, count: count, threads: threadCount)
      }
      return Measurement(
        nanosecondsPerQuery: seconds * 1e9 / Double(queries.count),
        percentiles: nil,
        hits: hits
      )
    }
    let ask = search.hitCount(at:)
    warmUp(ask, data.warmUpQueries)
    var hits = 0
    let start = Stopwatch.now
    for query in queries { hits += ask(query) }
    let mean = Double(Stopwatch.now - start) / Double(queries.count)
    warmUp(ask, data.warmUpQueries)
    let times = queries.map { query in
      let start = Stopwatch.now
      _ = ask(query)
      return Stopwatch.now - start
    }
    return Measurement(nanosecondsPerQuery: mean, percentiles: Percentiles(of: times), hits: hits)
  }

  /// Runs other queries for at most a second, to bring the caches into their usual state.
  private func warmUp(_ ask: (Coordinate) -> Int, _ queries: [Coordinate]) {
    let start = Stopwatch.now
    for query in queries {
      _ = ask(query)
      if Stopwatch.now - start > 1_000_000_000 { return }
    }
  }

  /// Writes the results of each query, one JSON object per line, for comparison with other programs.
  ///
  /// `{"q":0,"ids":[3,1],"d":[12.5,80.25]}`: the query's number, indexes of points,
  /// meters. Boxes have no `d`; if results are only counted it is `{"q":0,"count":2}`.
  private func write(_ search: BenchSearch, _ queries: [Coordinate], to path: String) throws {
    // those of the measured call
    let texts: [String] =
      if isBatch, case .nearest(let count) = search.operation {
        search.tree.nearest(to: queries, count: count, threads: threadCount)
          .map { BenchSearch.text(of: Array($0)) }
      } else {
        queries.map(search.answer(at:))
      }
    let output = try OutputFile(path: path, force: force)
    for (number, text) in texts.enumerated() {
      try output.write(Array("{\"q\":\(number),\(text)}\n".utf8))
    }
    try output.commit()
  }
}

/// The times of a round of queries.
struct Measurement {
  /// The mean, from a pass without per-query timing.
  let nanosecondsPerQuery: Double

  /// From a second pass, which times each query; nil if all queries run in one call.
  let percentiles: Percentiles?

  /// The number of results of all queries.
  let hits: Int

  /// The means of all rounds, ascending; the median is the reported one.
  var rounds: [Double] = []
}

/// The times of the slowest queries: percentiles by nearest rank, in nanoseconds.
struct Percentiles: Equatable {
  let p50: Int
  let p99: Int
  let p999: Int

  /// The percentiles; there must be at least one time.
  init(of times: [Int]) {
    let sorted = times.sorted()
    let rank = { (share: Double) in
      sorted[max(0, Int((share * Double(sorted.count)).rounded(.up)) - 1)]
    }
    (p50, p99, p999) = (rank(0.5), rank(0.99), rank(0.999))
  }
}

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

  /// The results at a point as members of a JSON object, always in order: by (distance, position), in boxes
  /// by position.
  func answer(at center: Coordinate) -> String {
    switch operation {
    case .radius where countsOnly, .box where countsOnly: "\"count\":\(hitCount(at: center))"
    case .nearest(let count): Self.text(of: tree.nearest(to: center, count: count))
    case .radius(let meters):
      Self.text(of: tree.within(radius: meters, of: center, sorted: true))
    case .box(let halfWidth):
      Self.text(of: tree.within(.around(center, halfWidth: halfWidth), sorted: true))
    }
  }

  /// Positions with distances, as members of a JSON object.
  static func text(of neighbors: [Neighbor]) -> String {
    let distances = neighbors.map(\.distance.description).joined(separator: ",")
    return "\(text(of: neighbors.map(\.index))),\"d\":[\(distances)]"
  }

  private static func text(of positions: [Int]) -> String {
    "\"ids\":[\(positions.map(String.init).joined(separator: ","))]"
  }
}
