/// A search through all that a filter allows, without the tree: for few positions, far away.
struct AllowedScan {
  let query: NearestQuery
  let allowed: PositionSet

  /// The nearest points of the set, in order.
  ///
  /// - Complexity: O(n / 64 + m) for m positions of n.
  func nearest(_ probe: inout some SearchProbe) -> [Neighbor] {
    var positions: [Int] = []
    positions.reserveCapacity(allowed.count)
    allowed.visit { positions.append($0) }
    let squares = positions.map { Chord(from: query.site, to: site($0)).squared }
    probe.scanLeaf(points: positions.count)
    var list = FarList(query: query, allowed: nil)
    // the closest by chord come first, and settle which others need a look
    let close = greatestOfClosest(squares)
    for (position, squared) in zip(positions, squares) where squared <= close {
      list.offer(site(position), index: position)
    }
    for (position, squared) in zip(positions, squares) where squared > close {
      let end = site(position)
      if list.reach.rulesOut(Chord(from: query.site, to: end)) { continue }
      list.offer(end, index: position)
    }
    probe.solveDistances(list.solvedCount)
    probe.solveLongGeodesics(list.farCount)
    return list.sorted()
  }

  private func site(_ position: Int) -> Site {
    Site(query.view.coordinate(at: position))
  }

  /// The squared chord of the last of as many points as are searched for, the closest by chord.
  private func greatestOfClosest(_ squares: [Double]) -> Double {
    guard query.count < squares.count else { return .infinity }
    // the selection needs the same room again
    var bits = squares.map(\.bitPattern)
    bits += bits
    return bits.withUnsafeMutableBufferPointer { buffer in
      guard let base = buffer.baseAddress else { return .infinity }
      let last = RankSelection.value(ofRank: query.count - 1, in: base, count: squares.count)
      return Double(bitPattern: last)
    }
  }
}
