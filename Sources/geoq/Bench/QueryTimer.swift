import GeoIndex

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
