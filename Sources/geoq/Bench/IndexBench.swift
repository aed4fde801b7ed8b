import GeoIndex

/// A benchmark of the index.
struct IndexBench {
  let plan: BenchPlan

  /// Runs it.
  ///
  /// - Returns: The measurements.
  /// - Throws: `CommandFailure` if a file cannot be read, `OutputError` if the answers cannot be written.
  func run() throws -> BenchReport {
    let data = try BenchData(plan)
    var report = BenchReport(operation: plan.operation, queryCount: data.queries.count)
    let (tree, seconds) = Stopwatch.time { KDTree(data.points) }
    report.buildSeconds = seconds
    report.pointCount = tree.count
    report.bytesPerPoint = Double(tree.byteCount) / Double(tree.count)
    report.threads = plan.isBatch ? plan.threads : 1
    let search = BenchSearch(tree: tree, operation: plan.operation, countsOnly: plan.countsOnly)
    report.measurement = measure(search, data)
    if let file = plan.answersFile {
      try AnswerLines(file: file, overwrites: plan.overwritesAnswers)
        .write(answers(of: search, to: data.queries))
    }
    return report
  }

  private func measure(_ search: BenchSearch, _ data: BenchData) -> Measurement {
    let timer = QueryTimer(
      queries: data.queries,
      warmUpQueries: data.warmUpQueries,
      rounds: plan.rounds
    )
    guard plan.isBatch, case .nearest(let count) = plan.operation else {
      return timer.measure(search.hitCount(at:))
    }
    return timer.measureBatch { search.hitCount(at: $0, count: count, threads: plan.threads) }
  }

  /// The results of the measured call.
  private func answers(of search: BenchSearch, to queries: [Coordinate]) -> [BenchAnswer] {
    guard plan.isBatch, case .nearest(let count) = plan.operation else {
      return queries.map(search.answer(at:))
    }
    return search.tree.nearest(to: queries, count: count, threads: plan.threads)
      .map { .neighbors(Array($0)) }
  }
}
