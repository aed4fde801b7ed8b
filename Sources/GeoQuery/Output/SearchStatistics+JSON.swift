public import GeoIndex

extension SearchStatistics {
  /// The counts by name, in the order of the search, for explained answers in JSON.
  public var members: [(name: String, count: Int)] {
    [
      ("nodesVisited", nodesVisited), ("nodesPruned", nodesPruned),
      ("subtreesTaken", subtreesTaken), ("leavesScanned", leavesScanned),
      ("pointsScanned", pointsScanned), ("distancesSolved", distancesSolved),
      ("longGeodesicsSolved", longGeodesicsSolved),
    ]
  }
}

extension JSONText {
  /// Writes `"explain":{…},`, or nothing if there is nothing to explain.
  mutating func explanation(_ statistics: SearchStatistics?) {
    guard let statistics else { return }
    let members = statistics.members.map { "\"\($0.name)\":\($0.count)" }
    raw("\"explain\":{\(members.joined(separator: ","))},")
  }
}
