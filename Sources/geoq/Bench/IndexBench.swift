import GeoIndex

/// A benchmark of the index alone.
struct IndexBench {
  let plan: BenchPlan

  /// Runs it.
  ///
  /// - Returns: What was measured.
  /// - Throws: `CommandFailure` where a file cannot be used, or a check fails.
  func run() throws -> BenchReport {
    let snapshot = plan.snapshotFile.map(SnapshotBench.init)
    let data = try BenchData(plan, needsPoints: snapshot?.exists != true)
    var report = BenchReport(operation: plan.operation, queryCount: data.queries.count)
    let tree = try tree(over: data, snapshot: snapshot, into: &report)
    var search = BenchSearch(tree: tree, operation: plan.operation)
    search.isSorted = plan.isSorted
    search.countsOnly = plan.countsOnly
    search.allowed = plan.filterStride.map { step in
      PositionSet(capacity: tree.count, stride(from: 0, to: tree.count, by: step))
    }
    report.pointCount = tree.count
    report.bytesPerPoint = Double(tree.byteCount) / Double(tree.count)
    report.threads = plan.isBatch ? plan.threads : 1
    report.measurement = measure(search, data)
    if let allowed = search.allowed {
      let points = data.points.isEmpty ? (0..<tree.count).map { tree[$0] } : data.points
      report.comparison = try FilterComparison(
        search,
        allowed: allowed,
        points: points,
        queries: data.queries
      )
    }
    if let file = plan.answersFile {
      try AnswerLines(file: file, overwrites: plan.overwritesAnswers)
        .write(answers(of: search, to: data.queries))
    }
    return report
  }

  /// Builds the tree, or opens its snapshot, which is made first where it is missing.
  private func tree(
    over data: BenchData,
    snapshot: SnapshotBench?,
    into report: inout BenchReport
  ) throws -> KDTree {
    guard let snapshot else { return build(data.points, into: &report) }
    if !snapshot.exists {
      try snapshot.write(build(data.points, into: &report))
    }
    let opening = try snapshot.open(rounds: plan.rounds, points: data.points) { tree in
      let search = BenchSearch(tree: tree, operation: plan.operation)
      if let first = data.queries.first { _ = search.hitCount(at: first) }
    }
    report.openSeconds = opening.seconds
    report.openToAnswerSeconds = opening.answerSeconds
    return opening.tree
  }

  private func build(_ points: [Coordinate], into report: inout BenchReport) -> KDTree {
    let (tree, seconds) = Stopwatch.time { KDTree(points, threads: plan.buildThreads) }
    report.buildSeconds = seconds
    return tree
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

  /// The answers of the call that was measured.
  private func answers(of search: BenchSearch, to queries: [Coordinate]) -> [BenchAnswer] {
    guard plan.isBatch, case .nearest(let count) = plan.operation else {
      return queries.map(search.answer(at:))
    }
    return search.tree
      .nearest(to: queries, count: count, where: search.allowed, threads: plan.threads)
      .map { .neighbors(Array($0)) }
  }
}
