/// Receives the steps of a search.
///
/// It is a generic parameter of each search, so that searches without statistics cost nothing
/// extra.
protocol SearchProbe {
  mutating func visitNode(_ node: Int, of shape: TreeShape)
  mutating func enterChild()
  mutating func takeSubtree()
  mutating func scanLeaf(points: Int)
  mutating func solveDistances(_ count: Int)
  mutating func solveLongGeodesics(_ count: Int)
}

/// Ignores all steps.
struct NoProbe: SearchProbe {
  @inline(__always) func visitNode(_ node: Int, of shape: TreeShape) {}
  @inline(__always) func enterChild() {}
  @inline(__always) func takeSubtree() {}
  @inline(__always) func scanLeaf(points: Int) {}
  @inline(__always) func solveDistances(_ count: Int) {}
  @inline(__always) func solveLongGeodesics(_ count: Int) {}
}
