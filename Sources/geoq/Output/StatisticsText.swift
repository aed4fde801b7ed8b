import GeoIndex
import GeoQuery

/// The index statistics of a query or a batch, in words (`--explain`).
struct StatisticsText {
  private var counts: [String: Int] = [:]
  private var queryCount = 0

  /// Adds the statistics of another query; ignores a query without any.
  mutating func add(_ statistics: SearchStatistics?) {
    guard let statistics else { return }
    queryCount += 1
    for (name, count) in statistics.members { counts[name, default: 0] += count }
  }

  /// The lines for standard error; empty without statistics.
  var lines: [String] {
    guard queryCount > 0 else { return [] }
    let head = queryCount > 1 ? "explain (\(grouped(queryCount)) queries)" : "explain"
    return [
      "\(head): nodes: \(count("nodesVisited")) visited, \(count("nodesPruned")) pruned; "
        + "subtrees accepted without tests: \(count("subtreesTaken"))",
      "\(head): leaves scanned: \(count("leavesScanned")), points in them: "
        + count("pointsScanned"),
      "\(head): distances solved: \(count("distancesSolved")), "
        + "of these beyond 400 km: \(count("longGeodesicsSolved"))",
    ]
  }

  private func count(_ name: String) -> String { grouped(counts[name, default: 0]) }
}
