import GeoIndex

/// The group that a search has found, and the bounds that it has proven.
struct CoverFound {
  var choice: CoverChoice

  /// Whether no group comes before it.
  var isOptimal: Bool

  /// The maximum worth of a group.
  var worth: Int

  /// The minimum number of places of a group with this worth.
  var places: Int

  /// The minimum cost in meters of a group with this worth and number of places.
  var cost: Double
}

/// The search for the group of places that comes first.
///
/// First it finds the best worth and the number of places: a branch and bound over the combinations
/// of wants that exist. Then the cost: for `farthest`, places are added
/// nearest first until a group is possible; for `walk` and `spread`, it is a branch and bound over
/// the places that are near enough for the best group so far. Bounds only exclude groups that
/// cannot be the answer; every decision uses reported distances.
struct CoverSearch {
  let tree: KDTree
  let center: Coordinate

  /// For each want, the places within the maximum distance that count toward the worth.
  let sets: [BitSet]

  let maximumCount: Int
  let cost: CoverQuery.Cost
  let weights: WantWeights
  var budget: SearchBudget

  /// No group costs less, as far as proven.
  var floor = 0.0

  /// More than the sum of the errors of a few reported distances, in meters.
  static let slack = 0.001

  /// Finds the group.
  mutating func run() -> CoverFound {
    guard let groups = try? PlaceGroups(sets, &budget) else { return surrendered() }
    var plan = Plan(maximumCount: maximumCount, weights, groups.wants)
    let isProven = (try? prove(&plan, groups.wants)) != nil
    let target = weights(Self.union(plan.masks))
    var found = CoverFound(
      choice: CoverChoice(cost: 0, distanceSum: 0, positions: []),
      isOptimal: isProven,
      worth: isProven ? target : plan.maximumWorth,
      places: isProven ? plan.masks.count : plan.leastCount(worth: target),
      cost: 0
    )
    guard !plan.masks.isEmpty else { return found }
    guard isProven else {
      found.choice = choice(of: plan.masks, groups)
      floor = Self.least(cost, farthest: minimumReach(worth: target))
      // a place may meet more wants than it was chosen for
      found.places = min(found.places, found.choice.positions.count)
      found.cost = min(floor, found.choice.cost)
      return found
    }
    var best: CoverChoice?
    do {
      try improve(&best, worth: target, count: plan.masks.count, groups)
      floor = .infinity
    } catch {
      found.isOptimal = false
    }
    found.choice = best ?? choice(of: plan.masks, groups)
    // another order of the walk found last may be shorter
    found.choice = CoverChoice(found.choice.positions, from: center, by: cost, in: tree)
    found.cost = min(floor, found.choice.cost)
    return found
  }

  /// The answer if there is no time for a search: the nearest place of the want with the greatest
  /// worth.
  private func surrendered() -> CoverFound {
    let worths = weights.amounts.indices.filter { !sets[$0].isEmpty }
      .sorted { weights.amounts[$0] > weights.amounts[$1] }.map { weights.amounts[$0] }
    let nearest = sets.indices.filter { !sets[$0].isEmpty }
      .max { (weights.amounts[$0], $1) < (weights.amounts[$1], $0) }
      .flatMap { tree.nearest(to: center, count: 1, where: sets[$0]).first }
    return CoverFound(
      choice: CoverChoice(
        nearest.map { [$0.index] } ?? [],
        from: center,
        by: cost,
        in: tree
      ),
      isOptimal: worths.isEmpty,
      worth: worths.reduce(0, +),
      places: worths.isEmpty ? 0 : 1,
      cost: 0
    )
  }

  /// Finds the choice with the least cost; if time runs out, the best so far.
  private mutating func improve(
    _ choice: inout CoverChoice?,
    worth target: Int,
    count: Int,
    _ groups: PlaceGroups
  ) throws(SearchBudget.Spent) {
    let near = try nearestMasks(worth: target, count: count, groups)
    if count == 1 || cost == .farthest {
      do {
        choice = try closest(within: near.radius, worth: target, count: count, groups)
      } catch {
        choice = self.choice(of: near.masks, groups)
        throw error
      }
      return
    }
    let start = self.choice(of: near.masks, groups)
    choice = start
    let field = try CoverCandidates(self, groups, within: cost == .walk ? start.cost : .infinity)
    var search = CoverBranchAndBound(self, field, target: target, best: start)
    defer { (choice, floor) = (search.best, search.floor) }
    if cost == .walk { try search.walk(count) } else { try search.spread(count) }
  }

  /// The minimum cost of a group with a place this far away.
  static func least(_ cost: CoverQuery.Cost, farthest: Double) -> Double {
    switch cost {
    case .farthest: farthest
    case .walk: max(0, farthest - slack)
    case .spread: 0
    }
  }

  /// The union of wants.
  static func union(_ masks: some Sequence<UInt64>) -> UInt64 { masks.reduce(0, |) }

  /// The nearest place for each mask.
  private func choice(of masks: [UInt64], _ groups: PlaceGroups) -> CoverChoice {
    let nearest = masks.compactMap { mask in
      let set = groups.set(capacity: tree.count) { mask & ~$0 == 0 }
      return tree.nearest(to: center, count: 1, where: set).first?.index
    }
    return CoverChoice(Array(Set(nearest)), from: center, by: cost, in: tree)
  }

  /// The distance within which places together have a group's worth.
  private func minimumReach(worth target: Int) -> Double {
    let nearest = sets.indices.compactMap { want in
      tree.nearest(to: center, count: 1, where: sets[want]).first
        .map { Reachable(distance: $0.distance, worth: weights.amounts[want]) }
    }
    return Reachable.distance(worth: target, nearest)
  }
}

/// A want with the distance to the nearest place that meets it.
struct Reachable {
  let distance: Double
  let worth: Int

  /// The least distance within which wants are worth a target; infinity if there are too few.
  static func distance(worth target: Int, _ wants: [Reachable]) -> Double {
    var worth = 0
    for want in wants.sorted(by: { $0.distance < $1.distance }) {
      worth += want.worth
      if worth >= target { return want.distance }
    }
    return target <= 0 ? 0 : .infinity
  }
}

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

  /// The group within a radius whose distances have the least sum, of equal ones the first by id.
  ///
  /// A place is useless if a nearer one, or as near with a lower id, meets all its wants.
  private mutating func closest(
    within radius: Double,
    worth target: Int,
    count: Int,
    _ groups: PlaceGroups
  ) throws(SearchBudget.Spent) -> CoverChoice? {
    var useful: [(place: Neighbor, wants: UInt64)] = []
    var batch = 64
    while true {
      let open = groups.set(capacity: tree.count) { mask in
        !useful.contains { mask & ~$0.wants == 0 }
      }
      let next = tree.nearest(to: center, count: batch, within: radius, where: open)
      for neighbor in next {
        try budget.spend(useful.count + 1)
        let mask = groups.wants(at: neighbor.index)
        if !useful.contains(where: { mask & ~$0.wants == 0 }) { useful.append((neighbor, mask)) }
      }
      if next.count < batch { break }
      batch *= 8
    }
    let sums = Plan.sums(count, weights, useful.map(\.wants))
    var best: CoverChoice?
    func extend(
      _ members: [Int],
      _ met: UInt64,
      _ sum: Double,
      _ start: Int
    ) throws(SearchBudget.Spent) {
      let left = count - members.count
      if weights(met) >= target {
        let choice = CoverChoice(members, from: center, by: cost, in: tree)
        best = best.map { min($0, choice) } ?? choice
      }
      guard left > 0 else { return }
      try budget.spend(useful.count - start)
      for index in start..<useful.count {
        let (place, wants) = useful[index]
        // the others are no nearer
        if let best, cost == .farthest, sum + place.distance > best.distanceSum + Self.slack {
          return
        }
        guard target - weights(met | wants) <= sums[left - 1] else { continue }
        try extend(members + [place.index], met | wants, sum + place.distance, index + 1)
      }
    }
    try extend([], 0, 0, 0)
    return best
  }
}

/// Combinations of wants that few places meet together, and bounds of their worth.
struct Plan {
  /// The wants that each place of the best plan meets, one mask per place.
  fileprivate(set) var masks: [UInt64] = []

  /// The worth of the best plan with fewer places than the current number.
  fileprivate var settledWorth = 0

  /// The current number of places.
  fileprivate var triedCount = 0

  /// The maximum worth of 0, 1, 2… masks if they do not overlap.
  let sums: [Int]

  private let total: Int
  private let maximumCount: Int

  /// A plan that adds the mask with the greatest gain in each step.
  init(maximumCount: Int, _ weights: WantWeights, _ all: [UInt64]) {
    total = weights(CoverSearch.union(all))
    self.maximumCount = maximumCount
    sums = Self.sums(maximumCount, weights, all)
    var union: UInt64 = 0
    for _ in 0..<maximumCount {
      guard let next = all.max(by: { weights($0 | union) < weights($1 | union) }),
        weights(next | union) > weights(union)
      else { break }
      masks.append(next)
      union |= next
    }
  }

  /// The maximum worth of 0, 1, 2… masks if they do not overlap.
  static func sums(_ count: Int, _ weights: WantWeights, _ all: [UInt64]) -> [Int] {
    var sums = [0]
    for worth in all.map({ weights($0) }).sorted(by: >).prefix(count) {
      sums.append(sums[sums.count - 1] + worth)
    }
    while sums.count <= count { sums.append(sums[sums.count - 1]) }
    return sums
  }

  /// No plan is worth more than this.
  var maximumWorth: Int { min(total, sums[maximumCount]) }

  /// No plan with this worth has fewer places than this.
  func leastCount(worth: Int) -> Int {
    let least = sums.firstIndex { $0 >= worth } ?? sums.count - 1
    return worth > settledWorth ? max(least, triedCount) : least
  }
}

extension CoverSearch {
  /// Replaces a plan by the best one, with the fewest places.
  mutating func prove(_ plan: inout Plan, _ all: [UInt64]) throws(SearchBudget.Spent) {
    let pool = try maximal(all)
    let total = weights(Self.union(all))
    var best: [UInt64] = []
    var worth = 0
    for count in 1...maximumCount where worth < total {
      plan.settledWorth = worth
      plan.triedCount = count
      while let better = try combination(worth: worth + 1, adding: 0, count, of: pool) {
        best = better
        worth = weights(Self.union(better))
        let planned = weights(Self.union(plan.masks))
        if (worth, -best.count) > (planned, -plan.masks.count) { plan.masks = best }
      }
    }
    plan.masks = best
  }

  /// The masks that no other mask contains.
  private mutating func maximal(_ all: [UInt64]) throws(SearchBudget.Spent) -> [UInt64] {
    var kept: [UInt64] = []
    for mask in all.sorted(by: { $0.nonzeroBitCount > $1.nonzeroBitCount }) {
      try budget.spend(kept.count / 16 + 1)
      if !kept.contains(where: { mask & ~$0 == 0 }) { kept.append(mask) }
    }
    return kept
  }

  /// Masks that together with a union are worth a target.
  ///
  /// - Parameters:
  ///   - target: the worth.
  ///   - union: the wants that are met already.
  ///   - count: the maximum number of masks.
  ///   - pool: the masks to choose from.
  /// - Returns: the masks; nil if there are none.
  /// - Throws: `SearchBudget.Spent`.
  mutating func combination(
    worth target: Int,
    adding union: UInt64,
    _ count: Int,
    of pool: [UInt64]
  ) throws(SearchBudget.Spent) -> [UInt64]? {
    let need = target - weights(union)
    if need <= 0 { return [] }
    guard count > 0 else { return nil }
    try budget.spend(pool.count + 1)
    var gains: [(gain: Int, mask: UInt64)] = []
    var all = union
    for mask in pool where mask & ~union != 0 {
      gains.append((weights(mask & ~union), mask))
      all |= mask
    }
    guard weights(all) >= target else { return nil }
    if count == 1 { return gains.first { $0.gain >= need }.map { [$0.mask] } }
    gains.sort { $0.gain > $1.gain }
    for index in gains.indices {
      // each further mask gains less
      var most = 0
      for other in gains[index...].prefix(count) { most += other.gain }
      guard most >= need else { return nil }
      let mask = gains[index].mask
      let rest = gains[(index + 1)...].map(\.mask)
      if let others = try combination(worth: target, adding: union | mask, count - 1, of: rest) {
        return [mask] + others
      }
    }
    return nil
  }
}

/// A group of places with its cost.
///
/// Groups are ordered by cost, then by the sum of the distances from the center (but for `walk`), then
/// by ids.
struct CoverChoice: Comparable {
  /// The cost in meters.
  var cost: Double

  /// The order of equal costs: the sum of the distances from the center, in order of id; 0 for `walk`.
  var distanceSum: Double

  /// The positions in ascending order, which is the order of ids.
  var positions: [Int]

  static func < (left: CoverChoice, right: CoverChoice) -> Bool {
    if left.cost != right.cost { return left.cost < right.cost }
    if left.distanceSum != right.distanceSum { return left.distanceSum < right.distanceSum }
    return left.positions.lexicographicallyPrecedes(right.positions)
  }

  /// Makes a group of places with its cost.
  ///
  /// - Parameters:
  ///   - positions: at most five.
  ///   - center: the point that distances are measured from.
  ///   - cost: the kind of cost.
  ///   - tree: the index of the places.
  init(_ positions: [Int], from center: Coordinate, by cost: CoverQuery.Cost, in tree: KDTree) {
    self.positions = positions.sorted()
    let distances = self.positions.map { center.distance(to: tree[$0]) }
    distanceSum = cost == .walk ? 0 : distances.reduce(0, +)
    switch cost {
    case .farthest: self.cost = distances.max() ?? 0
    case .walk: self.cost = Self.walk(positions, from: center, in: tree).length
    case .spread:
      self.cost =
        positions.flatMap { one in positions.map { tree[one].distance(to: tree[$0]) } }.max() ?? 0
    }
  }

  init(cost: Double, distanceSum: Double, positions: [Int]) {
    self.cost = cost
    self.distanceSum = distanceSum
    self.positions = positions
  }

  /// The length and the order of the shortest walk from a point through some places; of equal ones,
  /// the first in order of id.
  static func walk(
    _ positions: [Int],
    from center: Coordinate,
    in tree: KDTree
  ) -> (length: Double, order: [Int]) {
    var best = (length: Double.infinity, order: [Int]())
    func extend(_ path: [Int], _ length: Double, _ rest: [Int]) {
      if rest.isEmpty, length < best.length { best = (length, path) }
      let last = path.last.map { tree[$0] } ?? center
      for (index, next) in rest.enumerated() {
        var others = rest
        others.remove(at: index)
        extend(path + [next], length + last.distance(to: tree[next]), others)
      }
    }
    extend([], 0, positions.sorted())
    return best
  }
}
