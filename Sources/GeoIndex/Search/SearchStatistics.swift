/// What one query did to find its answer.
///
/// ```swift
/// var statistics = SearchStatistics()
/// let five = tree.nearest(to: paris, count: 5, statistics: &statistics)
/// // statistics.leavesScanned of the tree's leaves were looked into
/// ```
public struct SearchStatistics: Sendable, Hashable {
  /// Nodes whose children's boxes were compared with the query.
  public internal(set) var nodesVisited = 0

  /// Subtrees and leaves that were skipped: their boxes proved that they hold no answer.
  public internal(set) var nodesPruned = 0

  /// Subtrees and leaves that were accepted whole: their boxes proved that all points are answers.
  public internal(set) var subtreesTaken = 0

  /// Leaves whose points were tested one by one.
  public internal(set) var leavesScanned = 0

  /// Points that were tested one by one.
  public internal(set) var pointsScanned = 0

  /// Distances along the ellipsoid that were computed.
  public internal(set) var distancesSolved = 0

  /// How many of these needed Karney's inverse, because the chord is longer than 400 km.
  public internal(set) var longGeodesicsSolved = 0

  /// Makes counts of zero; queries add to them.
  public init() {}
}

/// Receives the steps of a search; ignores those that a type does not count.
///
/// It is a generic parameter of each search, so that searches without statistics cost nothing
/// extra.
protocol SearchProbe {
  /// Whether a search for the nearest must end, without an answer.
  var isExhausted: Bool { get }

  /// A search by rank begins, which takes many steps.
  mutating func startRanking()
  mutating func visitNode(_ node: Int, of shape: TreeShape)
  mutating func enterChild()
  mutating func takeSubtree()
  mutating func scanLeaf(points: Int)
  mutating func solveDistances(_ count: Int)
  mutating func solveLongGeodesics(_ count: Int)
}

extension SearchProbe {
  var isExhausted: Bool { false }
  func startRanking() {}
  func visitNode(_ node: Int, of shape: TreeShape) {}
  func enterChild() {}
  func takeSubtree() {}
  func scanLeaf(points: Int) {}
  func solveDistances(_ count: Int) {}
  func solveLongGeodesics(_ count: Int) {}
}

/// Ignores all steps.
struct NoProbe: SearchProbe {}

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

/// Ends a search for the nearest that looks into too many nodes and leaves.
struct StepLimit: SearchProbe {
  /// How many more it may look into.
  var rest: Int

  var isExhausted: Bool { rest < 0 }
  mutating func startRanking() { rest = -1 }
  mutating func visitNode(_ node: Int, of shape: TreeShape) { rest &-= 1 }
  mutating func scanLeaf(points: Int) { rest &-= 1 }
}
