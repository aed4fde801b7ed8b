import GeoIndex

extension CoverSearch {
  /// Finds the smallest radius in which a group of a given size reaches the target, and what it meets.
  ///
  /// Visits places nearest first. A place whose wants a nearer one meets too changes nothing, so
  /// the search skips all such places.
  mutating func nearestMasks(
    worth target: Int,
    count: Int,
    _ groups: PlaceGroups
  ) throws(SearchBudget.Spent) -> (radius: Double, masks: [UInt64]) {
    var seen: [UInt64] = []
    var batch = 64
    while true {
      let open = groups.set(capacity: tree.count) { mask in
        !seen.contains { mask & ~$0 == 0 }
      }
      let next = tree.nearest(to: center, count: batch, where: open)
      // the wants can be met, at the latest with the last place
      guard !next.isEmpty else { throw SearchBudget.Spent() }
      for neighbor in next {
        try budget.spend(seen.count + 1)
        let mask = groups.wants(at: neighbor.index)
        if seen.contains(where: { mask & ~$0 == 0 }) { continue }
        // for every kind of cost, one of the places is at least this far away
        floor = Self.least(cost, farthest: neighbor.distance)
        let others = try combination(worth: target, adding: mask, count - 1, of: seen)
        if let others { return (neighbor.distance, [mask] + others) }
        seen.removeAll { $0 & ~mask == 0 }
        seen.append(mask)
      }
      try budget.check()
      batch *= 8
    }
  }

  /// The positions of the first group by id within a radius.
  ///
  /// It is built place by place: each is the first that can be completed by later places.
  mutating func firstByID(
    within radius: Double,
    worth target: Int,
    count: Int,
    _ groups: PlaceGroups
  ) throws(SearchBudget.Spent) -> [Int] {
    let ball = tree.positionSet(within: radius, of: center)
    var inside: [Int] = []
    var last = [Int](repeating: -1, count: groups.wants.count)
    for index in groups.positions.indices where ball.contains(Int(groups.positions[index])) {
      last[Int(groups.groups[index])] = inside.count
      inside.append(index)
    }
    var chosen: [Int] = []
    var union: UInt64 = 0
    var start = 0
    for left in stride(from: count - 1, through: 0, by: -1) {
      var hasFailed = [Bool](repeating: false, count: groups.wants.count)
      for rank in start..<max(start, inside.count) {
        let group = Int(groups.groups[inside[rank]])
        // if more places cannot complete it, fewer cannot either
        if hasFailed[group] { continue }
        let pool = last.indices.lazy.filter { last[$0] > rank }.map { groups.wants[$0] }
        let next = union | groups.wants[group]
        if try combination(worth: target, adding: next, left, of: Array(pool)) != nil {
          chosen.append(Int(groups.positions[inside[rank]]))
          (union, start) = (next, rank + 1)
          break
        }
        hasFailed[group] = true
      }
    }
    return chosen
  }
}
