/// What one query did: the work behind an answer.
///
/// ```swift
/// var statistics = SearchStatistics()
/// let five = tree.nearest(to: paris, count: 5, statistics: &statistics)
/// // statistics.leavesScanned of the tree's leaves were looked into
/// ```
public struct SearchStatistics: Sendable, Hashable {
  /// Nodes whose children's boxes were compared with the query.
  public internal(set) var nodesVisited = 0

  /// Subtrees and leaves that were left out unseen: their boxes proved that they hold no answer.
  public internal(set) var nodesPruned = 0

  /// Subtrees and leaves that were taken whole: their boxes proved that all their points are answers.
  public internal(set) var subtreesTaken = 0

  /// Leaves whose points were looked at one by one.
  public internal(set) var leavesScanned = 0

  /// Points that were looked at one by one.
  public internal(set) var pointsScanned = 0

  /// Distances along the ellipsoid that were worked out.
  public internal(set) var distancesSolved = 0

  /// How many of these took Karney's inverse, being beyond 400 km of chord.
  public internal(set) var longGeodesicsSolved = 0

  /// Makes counts of zero; queries add to them.
  public init() {}
}

extension SearchStatistics: SearchProbe {
  mutating func visitNode(_ node: Int, of shape: TreeShape) {
    nodesVisited += 1
    // until they are entered
    nodesPruned += shape.childCount(of: node)
  }

  mutating func enterChild() { nodesPruned -= 1 }

  mutating func takeSubtree() {
    nodesPruned -= 1
    subtreesTaken += 1
  }

  mutating func scanLeaf(points: Int) {
    leavesScanned += 1
    pointsScanned += points
  }

  mutating func solveDistances(_ count: Int) { distancesSolved += count }

  mutating func solveLongGeodesics(_ count: Int) { longGeodesicsSolved += count }
}
