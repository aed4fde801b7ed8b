import GeoIndex
import GeoQuery

/// What the index did for a query, or for all of a batch, in words.
struct Explanation {
  private var counts: [String: Int] = [:]
  private var queryCount = 0

  /// Adds what was done for one more query; nothing where it was not explained.
  mutating func add(_ statistics: SearchStatistics?) {
    guard let statistics else { return }
    queryCount += 1
    for (name, count) in statistics.members { counts[name, default: 0] += count }
  }

  /// The lines for standard error; none where nothing was explained.
  var lines: [String] {
    guard queryCount > 0 else { return [] }
    let head = queryCount > 1 ? "explain (\(grouped(queryCount)) queries)" : "explain"
    return [
      "\(head): nodes: \(count("nodesVisited")) visited, \(count("nodesPruned")) pruned; "
        + "subtrees taken whole: \(count("subtreesTaken"))",
      "\(head): leaves scanned: \(count("leavesScanned")), points in them: "
        + count("pointsScanned"),
      "\(head): distances solved: \(count("distancesSolved")), "
        + "long geodesics among them: \(count("longGeodesicsSolved"))",
    ]
  }

  private func count(_ name: String) -> String { grouped(counts[name, default: 0]) }
}
