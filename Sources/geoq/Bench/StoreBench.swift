import GeoIndex
import GeoQuery

/// A benchmark of a database, end to end: from the question to the restaurants, with SpatiaLite's own
/// way beside it.
struct StoreBench {
  let plan: BenchPlan
  let database: String

  /// What SpatiaLite took for the same questions.
  struct Rival {
    /// How many of the queries it was asked.
    let queryCount: Int
    let microseconds: Double
    /// How many of its answers are others; distances may differ by 10 µm.
    let disagreements: Int
  }

  private static let mostRivalQueries = 200
  private static let tolerance = 1e-5

  /// Runs it.
  ///
  /// - Throws: `StoreError` where the database cannot be read, `CommandFailure` where the queries
  ///   cannot.
  func run() throws -> BenchReport {
    let (store, openSeconds) = try Stopwatch.time { try RestaurantStore(path: database) }
    defer { try? store.close() }
    let places = try store.places()
    let queries = try queries(near: places)
    var report = BenchReport(operation: plan.operation, queryCount: queries.count)
    report.database = database
    report.pointCount = places.count
    report.openSeconds = openSeconds
    let engine = QueryEngine(store: store)
    // the first question reads all places and builds the index
    let (_, firstSeconds) = try Stopwatch.time {
      try engine.nearest(to: queries[0], count: 1)
    }
    report.buildSeconds = firstSeconds
    report.measurement = try QueryTimer(queries: queries, rounds: plan.rounds).measure { center in
      if plan.countsOnly { return try engine.count(query(at: center)) }
      return try engine.matches(query(at: center)).count
    }
    if !plan.countsOnly { report.rival = try rival(of: engine, queries) }
    return report
  }

  private func queries(near places: [Coordinate]) throws -> [Coordinate] {
    if let file = plan.queriesFile {
      return Array(try PairFile.read(file).prefix(plan.queryCount ?? .max))
    }
    guard !places.isEmpty else {
      throw CommandFailure(
        "\(terminalSafe(database)): holds no restaurant; fill it with: geoq import FEED",
        exitCode: CommandFailure.unavailable
      )
    }
    var random = SeededRandom(seed: plan.seed)
    return BenchData.queries(near: places, count: plan.queryCount ?? 1_000, using: &random)
  }

  private func query(at center: Coordinate) -> Query {
    switch plan.operation {
    case .nearest(let count): Query(.nearest(to: center, count: count))
    case .radius(let metres): Query(.radius(metres, of: center))
    case .box(let halfWidth): Query(.box(.around(center, halfWidth: halfWidth)))
    }
  }

  private func rival(of engine: QueryEngine, _ queries: [Coordinate]) throws -> Rival {
    let search = try SpatiaLiteSearch(engine.store)
    defer { try? search.close() }
    let some = Array(queries.prefix(Self.mostRivalQueries))
    let disagreements = try some.filter { center in
      try !Self.agree(engine.matches(query(at: center)), ask(search, at: center))
    }
    let measurement = try QueryTimer(queries: some, rounds: plan.rounds).measure { center in
      try ask(search, at: center).count
    }
    return Rival(
      queryCount: some.count,
      microseconds: measurement.nanosecondsPerQuery / 1e3,
      disagreements: disagreements.count
    )
  }

  private func ask(_ search: SpatiaLiteSearch, at center: Coordinate) throws -> [Match] {
    switch plan.operation {
    case .nearest(let count): try search.nearest(to: center, count: count)
    case .radius(let metres): try search.within(radius: metres, of: center)
    case .box(let halfWidth): try search.within(.around(center, halfWidth: halfWidth))
    }
  }

  /// Whether two answers are the same; where there are distances, those of a rank may trade places.
  private static func agree(_ ours: [Match], _ theirs: [Match]) -> Bool {
    ours.count == theirs.count
      && zip(ours, theirs).allSatisfy { one, other in
        guard let distance = one.distance, let otherDistance = other.distance else {
          return ByteKey(one.restaurant.id) == ByteKey(other.restaurant.id)
        }
        return abs(distance - otherDistance) <= tolerance
      }
  }
}
