import GeoIndex

/// A filtered search beside two that have no index, on the same queries.
///
/// One looks at every point and asks the filter about it; the other has a list of the allowed
/// positions, which is what a filter that lets next to nothing through comes down to.
struct FilterComparison {
  /// How many queries were compared.
  let queryCount: Int

  /// Microseconds per query where every point is looked at.
  let scanMicroseconds: Double

  /// Microseconds per query where only the allowed points are looked at.
  let listScanMicroseconds: Double

  private static let mostQueries = 100

  /// Runs the scans, and checks the index's answers against both.
  ///
  /// - Throws: `CommandFailure` with exit code 70 where answers differ: a bug.
  init(
    _ search: BenchSearch,
    allowed: PositionSet,
    points: [Coordinate],
    queries: [Coordinate]
  )
    throws
  {
    let scan = FullScan(points)
    let some = queries.prefix(Self.mostQueries)
    let list = points.indices.filter { allowed.contains($0) }
    queryCount = some.count
    let (all, allSeconds) = Stopwatch.time {
      some.map { center in
        scan.answer(
          to: search.operation,
          at: center,
          among: points.indices.lazy.filter { allowed.contains($0) }
        )
      }
    }
    let (listed, listSeconds) = Stopwatch.time {
      some.map { scan.answer(to: search.operation, at: $0, among: list) }
    }
    scanMicroseconds = allSeconds * 1e6 / Double(some.count)
    listScanMicroseconds = listSeconds * 1e6 / Double(some.count)
    var listing = search
    listing.countsOnly = false
    for (number, center) in some.enumerated() {
      let answer = listing.answer(at: center)
      guard answer == all[number], answer == listed[number] else {
        throw CommandFailure(
          "query \(number) at \(center): the index and a full scan differ; please report this",
          exitCode: 70
        )
      }
    }
  }
}
