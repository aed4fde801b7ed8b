import ArgumentParser

/// `geoq bench`.
struct BenchCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bench",
    abstract: "Benchmark queries on generated points or your own.",
    discussion: """
        geoq bench --size 1000000 --k 10
        geoq bench --points points.f64 --queries queries.f64 --radius 1km
        geoq bench --size 100000 --half-width 0.05 --json

      Files hold little-endian float64 pairs, longitude first. Query time covers everything from the input \
      coordinates to the reported distances. The mean is measured in a pass without per-query timing, the \
      percentiles in a second pass. In JSON, hits is the total of all queries; ids in --answers are \
      indexes of points, counted from 0; distances are in meters.
      """
  )

  @OptionGroup var asked: BenchOptions
  @OptionGroup var runs: BenchRunOptions
  @OptionGroup(visibility: .hidden) var globals: GlobalOptions

  func validate() throws {
    if globals.db != nil {
      throw ValidationError("--db: bench measures the index, without a database")
    }
    let plan = try plan()
    if plan.isBatch {
      guard case .nearest = plan.operation else {
        throw ValidationError("--batch, and --threads above 1, go with --op nearest")
      }
    }
    if plan.overwritesAnswers, plan.answersFile == nil {
      throw ValidationError("--force goes with --answers")
    }
  }

  func run() throws {
    let report = try IndexBench(plan: try plan()).run()
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
    plan.countsOnly = asked.countOnly
    plan.answersFile = runs.answers
    plan.overwritesAnswers = runs.force
    return plan
  }
}
