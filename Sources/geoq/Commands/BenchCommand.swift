import ArgumentParser

/// `geoq bench`.
struct BenchCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bench",
    abstract: "Measure how fast answers are, on made-up points, yours, or a database.",
    discussion: """
        geoq bench --size 1000000 --k 10
        geoq bench --points points.f64 --queries queries.f64 --radius 1km
        geoq bench --db geoq.db --half-width 0.05 --json

      Files hold little-endian float64 pairs, longitude first. The time of a query goes from its \
      degrees to the reported distances; the mean comes from a pass without a clock in it, the \
      percentiles from a second one. In JSON, hits are those of all queries together, ids in \
      --answers are positions in the points file, distances are metres.

      With --db, which has no default here, the whole way to the restaurants is measured, and \
      SpatiaLite's own way beside it.
      """
  )

  @OptionGroup var asked: BenchOptions
  @OptionGroup var runs: BenchRunOptions
  @OptionGroup var globals: GlobalOptions

  func validate() throws {
    let plan = try plan()
    if plan.isBatch {
      guard case .nearest = plan.operation, globals.db == nil else {
        throw ValidationError(
          "--batch, and --threads above 1, go with --op nearest and without --db"
        )
      }
    }
    if plan.overwritesAnswers, plan.answersFile == nil {
      throw ValidationError("--force goes with --answers")
    }
    guard globals.db != nil else { return }
    let foreign = [
      ("--points", asked.points != nil), ("--size", asked.size != nil), ("--sorted", asked.sorted),
      ("--filter-every", asked.filterEvery != nil), ("--snapshot", runs.snapshot != nil),
      ("--answers", runs.answers != nil), ("--build-threads", runs.buildThreads != nil),
    ]
    if let option = foreign.first(where: \.1) {
      throw ValidationError("\(option.0) does not go with --db")
    }
  }

  func run() throws {
    let plan = try plan()
    let report =
      if let database = globals.db {
        try StoreBench(plan: plan, database: database).run()
      } else {
        try IndexBench(plan: plan).run()
      }
    if runs.json {
      try StandardStreams.printJSON(report.json)
    } else {
      try StandardStreams.print(report.lines.map { $0 + "\n" }.joined())
    }
  }

  private func plan() throws -> BenchPlan {
    var plan = BenchPlan(operation: try asked.benchOperation())
    plan.pointsFile = asked.points
    plan.queriesFile = asked.queries
    plan.size = asked.size ?? plan.size
    plan.seed = asked.seed
    plan.queryCount = runs.count
    plan.rounds = runs.rounds
    plan.isBatch = runs.isBatch
    plan.threads = runs.threads ?? (runs.batch ? nil : 1)
    plan.buildThreads = runs.buildThreads
    plan.countsOnly = asked.countOnly
    plan.isSorted = asked.sorted
    plan.filterStride = asked.filterEvery
    plan.snapshotFile = runs.snapshot
    plan.answersFile = runs.answers
    plan.overwritesAnswers = runs.force
    return plan
  }
}
