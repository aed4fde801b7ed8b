import GeoIndex

/// A benchmark of the index.
struct IndexBench {
  private let options: BenchOptions
  private let operation: BenchOperation

  init(_ options: BenchOptions, _ operation: BenchOperation) {
    (self.options, self.operation) = (options, operation)
  }

  /// Runs it.
  ///
  /// - Returns: The measurements.
  /// - Throws: `CommandFailure` if a file cannot be read, `OutputError` if the answers cannot be written.
  func run() throws -> BenchReport {
    let data = try BenchData(options, operation)
    var report = BenchReport(operation: operation, queryCount: data.queries.count)
    let (tree, seconds) = Stopwatch.time { KDTree(data.points) }
    report.buildSeconds = seconds
    report.pointCount = tree.count
    report.bytesPerPoint = Double(tree.byteCount) / Double(tree.count)
    report.threads = options.threadCount
    let search = BenchSearch(tree: tree, operation: operation, countsOnly: options.countOnly)
    report.measurement = measure(search, data)
    if let file = options.answers {
      try AnswerLines(file: file, overwrites: options.force)
        .write(answers(of: search, to: data.queries))
    }
    return report
  }

  private func measure(_ search: BenchSearch, _ data: BenchData) -> Measurement {
    let timer = QueryTimer(
      queries: data.queries,
      warmUpQueries: data.warmUpQueries,
      rounds: options.rounds
    )
    guard options.isBatch, case .nearest(let count) = operation else {
      return timer.measure(search.hitCount(at:))
    }
    return timer.measureBatch {
      search.hitCount(at: $0, count: count, threads: options.threadCount)
    }
  }

  /// The results of the measured call.
  private func answers(of search: BenchSearch, to queries: [Coordinate]) -> [BenchAnswer] {
    guard options.isBatch, case .nearest(let count) = operation else {
      return queries.map(search.answer(at:))
    }
    return search.tree.nearest(to: queries, count: count, threads: options.threadCount)
      .map { .neighbors(Array($0)) }
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

/// Times queries: a warm-up, a pass for the mean, and a pass for the percentiles, in several
/// rounds.
struct QueryTimer {
  let queries: [Coordinate]
  let rounds: Int

  /// Run first, as in the peers of `Benchmarks/`, to bring the caches into their usual state.
  private let warmUpQueries: ArraySlice<Coordinate>

  private static let warmUpCount = 1_000
  private static let warmUpNanoseconds = 1_000_000_000

  /// - Parameters:
  ///   - queries: The queries to time.
  ///   - warmUpQueries: The queries to run before; if empty, the last ones, which have left the
  ///     caches before they are timed.
  ///   - rounds: The number of rounds.
  init(queries: [Coordinate], warmUpQueries: [Coordinate] = [], rounds: Int) {
    self.queries = queries
    self.rounds = rounds
    self.warmUpQueries =
      warmUpQueries.isEmpty ? queries.suffix(Self.warmUpCount) : warmUpQueries[...]
  }

  /// Times a function that answers a query.
  ///
  /// - Parameter ask: Answers a query, and returns the number of results.
  /// - Returns: The round with the median mean; of an even number, the lower one.
  func measure(_ ask: (Coordinate) throws -> Int) rethrows -> Measurement {
    try median {
      try warmUp(ask)
      var hits = 0
      let start = Stopwatch.now
      for query in queries { hits += try ask(query) }
      let mean = Double(Stopwatch.now - start) / Double(queries.count)
      try warmUp(ask)
      return Measurement(
        nanosecondsPerQuery: mean,
        percentiles: Percentiles(of: try times(ask)),
        hits: hits
      )
    }
  }

  /// Times a function that answers all queries in one call.
  ///
  /// - Parameter askAll: Answers the queries, and returns the number of results of all.
  /// - Returns: The round with the median mean.
  func measureBatch(_ askAll: ([Coordinate]) -> Int) -> Measurement {
    let warmUpQueries = Array(warmUpQueries)
    return median {
      _ = askAll(warmUpQueries)
      let (hits, seconds) = Stopwatch.time { askAll(queries) }
      return Measurement(
        nanosecondsPerQuery: seconds * 1e9 / Double(queries.count),
        percentiles: nil,
        hits: hits
      )
    }
  }

  private func median(_ round: () throws -> Measurement) rethrows -> Measurement {
    var measurements: [Measurement] = []
    for _ in 0..<rounds { measurements.append(try round()) }
    measurements.sort { $0.nanosecondsPerQuery < $1.nanosecondsPerQuery }
    var median = measurements[(rounds - 1) / 2]
    median.rounds = measurements.map(\.nanosecondsPerQuery)
    return median
  }

  /// Runs other queries for a moment.
  private func warmUp(_ ask: (Coordinate) throws -> Int) rethrows {
    let start = Stopwatch.now
    for query in warmUpQueries {
      _ = try ask(query)
      if Stopwatch.now - start > Self.warmUpNanoseconds { return }
    }
  }

  private func times(_ ask: (Coordinate) throws -> Int) rethrows -> [Int] {
    var times: [Int] = []
    times.reserveCapacity(queries.count)
    for query in queries {
      let start = Stopwatch.now
      _ = try ask(query)
      times.append(Stopwatch.now - start)
    }
    return times
  }
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

/// Writes the results of each query, one JSON object per line, for comparison with other programs.
///
/// `{"q":0,"ids":[3,1],"d":[12.5,80.25]}`: the query's number, indexes of points,
/// meters. Boxes have no `d`; if results are only counted it is `{"q":0,"count":2}`.
struct AnswerLines {
  let file: String
  let overwrites: Bool

  /// Writes the answers of all queries, in order, and renames the file.
  ///
  /// - Throws: `OutputError` if the file cannot be written.
  func write(_ answers: some Sequence<BenchAnswer>) throws {
    let output = try OutputFile(path: file, force: overwrites)
    for (number, answer) in answers.enumerated() {
      try output.write(Array(Self.line(number, answer).utf8))
    }
    try output.commit()
  }

  static func line(_ number: Int, _ answer: BenchAnswer) -> String {
    switch answer {
    case .neighbors(let neighbors):
      let distances = neighbors.map(\.distance.description).joined(separator: ",")
      return "{\"q\":\(number),\"ids\":[\(list(neighbors.map(\.index)))],\"d\":[\(distances)]}\n"
    case .positions(let positions):
      return "{\"q\":\(number),\"ids\":[\(list(positions))]}\n"
    case .count(let count):
      return "{\"q\":\(number),\"count\":\(count)}\n"
    }
  }

  private static func list(_ positions: [Int]) -> String {
    positions.map(String.init).joined(separator: ",")
  }
}
