/// Receives the steps of a search.
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

/// Ignores all steps.
struct NoProbe: SearchProbe {
  @inline(__always) var isExhausted: Bool { false }
  @inline(__always) func startRanking() {}
  @inline(__always) func visitNode(_ node: Int, of shape: TreeShape) {}
  @inline(__always) func enterChild() {}
  @inline(__always) func takeSubtree() {}
  @inline(__always) func scanLeaf(points: Int) {}
  @inline(__always) func solveDistances(_ count: Int) {}
  @inline(__always) func solveLongGeodesics(_ count: Int) {}
}

/// Ends a search for the nearest that looks into too many nodes and leaves.
struct StepLimit: SearchProbe {
  /// How many more it may look into.
  var rest: Int

  var isExhausted: Bool { rest < 0 }
  mutating func startRanking() { rest = -1 }
  mutating func visitNode(_ node: Int, of shape: TreeShape) { rest &-= 1 }
  func enterChild() {}
  func takeSubtree() {}
  mutating func scanLeaf(points: Int) { rest &-= 1 }
  func solveDistances(_ count: Int) {}
  func solveLongGeodesics(_ count: Int) {}
}
