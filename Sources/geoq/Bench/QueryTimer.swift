import GeoIndex

/// What a round of queries took.
struct Measurement {
  /// The mean, from a pass without a clock in it.
  let nanosecondsPerQuery: Double

  /// From a second pass that times each query; nil where queries run in one call.
  let percentiles: Percentiles?

  /// How many answers all queries had together.
  let hits: Int

  /// The means of all rounds, ascending; this is the middle one.
  var rounds: [Double] = []
}

/// Times queries: a warm-up, a pass for the mean, another for the percentiles, as often as asked.
struct QueryTimer {
  let queries: [Coordinate]
  let rounds: Int

  /// Asked first, as the peers of `Benchmarks/` are: they bring the caches into their usual state.
  private let warmUpQueries: ArraySlice<Coordinate>

  private static let warmUpCount = 1_000
  private static let warmUpNanoseconds = 1_000_000_000

  /// - Parameters:
  ///   - queries: What is timed.
  ///   - warmUpQueries: What is asked before; where there are none, the last queries, whose traces
  ///     in the caches are gone before their turn.
  ///   - rounds: How often.
  init(queries: [Coordinate], warmUpQueries: [Coordinate] = [], rounds: Int) {
    self.queries = queries
    self.rounds = rounds
    self.warmUpQueries =
      warmUpQueries.isEmpty ? queries.suffix(Self.warmUpCount) : warmUpQueries[...]
  }

  /// Times a way to answer.
  ///
  /// - Parameter ask: Answers a query, and returns how many answers it has.
  /// - Returns: The round of the median mean, the lower one of an even number.
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

  /// Times a way to answer all queries in one call.
  ///
  /// - Parameter askAll: Answers the queries, and returns how many answers they have together.
  /// - Returns: The round of the median mean.
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

  /// Asks other queries, for a moment.
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

/// How long the slow ones took: by the nearest rank, in nanoseconds.
struct Percentiles: Equatable {
  let p50: Int
  let p99: Int
  let p999: Int

  /// The percentiles of at least one time.
  init(of times: [Int]) {
    let sorted = times.sorted()
    let rank = { (share: Double) in
      sorted[max(0, Int((share * Double(sorted.count)).rounded(.up)) - 1)]
    }
    (p50, p99, p999) = (rank(0.5), rank(0.99), rank(0.999))
  }
}
