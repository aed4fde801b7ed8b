import GeoIndex

/// The group that a search has found, and the bounds that it has proven.
struct CoverFound {
  var choice = CoverChoice(cost: 0, distanceSum: 0, positions: [])

  /// Whether no group comes before it.
  var isOptimal: Bool

  /// The maximum worth of a group.
  var worth: Int

  /// The minimum number of places of a group with this worth.
  var places: Int

  /// The minimum cost in meters of a group with this worth and number of places.
  var cost = 0.0
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

  mutating func run() -> CoverFound {
    guard let groups = try? PlaceGroups(sets, &budget) else { return surrendered() }
    var (masks, found) = plan(groups.wants)
    let target = weights(Self.union(masks))
    guard !masks.isEmpty else { return found }
    guard found.isOptimal else {
      found.choice = choice(of: masks, groups)
      floor = Self.least(cost, farthest: minimumReach(worth: target))
      // a place may meet more wants than it was chosen for
      found.places = min(found.places, found.choice.positions.count)
      found.cost = min(floor, found.choice.cost)
      return found
    }
    do {
      let count = masks.count
      let (places, start) = try nearest(worth: target, count: count, groups)
      found.choice = start
      if count == 1 || cost == .farthest {
        try closest(of: places, worth: target, count: count, &found.choice)
      } else {
        var search = try CoverBranchAndBound(self, groups, target: target, best: start)
        defer { (found.choice, floor) = (search.best, search.floor) }
        try search.run(count)
      }
      floor = .infinity
    } catch {
      found.isOptimal = false
      if found.choice.positions.isEmpty { found.choice = choice(of: masks, groups) }
    }
    // another order of the walk found last may be shorter
    found.choice = CoverChoice(found.choice.positions, from: center, by: cost, in: tree)
    found.cost = min(floor, found.choice.cost)
    return found
  }

  /// The answer without a search: the nearest place of the want with the greatest worth.
  private func surrendered() -> CoverFound {
    let open = sets.indices.filter { !sets[$0].isEmpty }
    let nearest = open.max { (weights.amounts[$0], $1) < (weights.amounts[$1], $0) }
      .flatMap { tree.nearest(to: center, count: 1, where: sets[$0]).first }
    return CoverFound(
      choice: CoverChoice(nearest.map { [$0.index] } ?? [], from: center, by: cost, in: tree),
      isOptimal: open.isEmpty,
      worth: open.reduce(0) { $0 + weights.amounts[$1] },
      places: open.isEmpty ? 0 : 1
    )
  }

  /// The minimum cost of a group with a place this far away.
  static func least(_ cost: CoverQuery.Cost, farthest: Double) -> Double {
    switch cost {
    case .farthest: farthest
    case .walk: max(0, farthest - slack)
    case .spread: 0
    }
  }

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
        .map { ($0.distance, weights.amounts[want]) }
    }
    return Self.distance(worth: target, nearest)
  }

  /// The least distance within which wants are worth a target; infinity if there are too few.
  ///
  /// Each want has the distance to the nearest place that meets it, and its worth.
  static func distance(worth target: Int, _ wants: [(distance: Double, worth: Int)]) -> Double {
    var worth = 0
    for want in wants.sorted(by: { $0.distance < $1.distance }) {
      worth += want.worth
      if worth >= target { return want.distance }
    }
    return target <= 0 ? 0 : .infinity
  }

  /// A place with its distance from the center and the wants that it meets.
  typealias Useful = (place: Neighbor, wants: UInt64)

  /// Finds the smallest radius in which a group of a given size reaches the target.
  ///
  /// Visits places nearest first. A place is useless if a nearer one, or as near with a lower id, meets
  /// all its wants, so the search skips all such places.
  ///
  /// - Returns: The useful places within the radius, nearest first, and a group of them.
  private mutating func nearest(
    worth target: Int,
    count: Int,
    _ groups: PlaceGroups
  ) throws(SearchBudget.Spent) -> (places: [Useful], group: CoverChoice) {
    var useful: [Useful] = []
    // those that no other one contains
    var seen: [UInt64] = []
    var found: (radius: Double, group: CoverChoice)?
    var batch = 64
    while true {
      let open = groups.set(capacity: tree.count) { mask in
        !seen.contains { mask & ~$0 == 0 }
      }
      let radius = found?.radius ?? .infinity
      let next = tree.nearest(to: center, count: batch, within: radius, where: open)
      for neighbor in next {
        // others may be as far as the last of the group
        if let found, neighbor.distance > found.radius { return (useful, found.group) }
        try budget.spend(seen.count + 1)
        let mask = groups.wants(at: neighbor.index)
        if seen.contains(where: { mask & ~$0 == 0 }) { continue }
        useful.append((neighbor, mask))
        if found == nil {
          // for every kind of cost, one of the places is at least this far away
          floor = Self.least(cost, farthest: neighbor.distance)
          let others = try combination(worth: target, adding: mask, count - 1, of: seen)
          if let others {
            // the first useful place is the nearest one
            let members = ([mask] + others).compactMap { part in
              useful.first { part & ~$0.wants == 0 }?.place.index
            }
            let group = CoverChoice(Array(Set(members)), from: center, by: cost, in: tree)
            found = (neighbor.distance, group)
          }
        }
        seen.removeAll { $0 & ~mask == 0 }
        seen.append(mask)
      }
      if let found, next.count < batch { return (useful, found.group) }
      // the wants can be met, at the latest with the last place
      guard !next.isEmpty else { throw SearchBudget.Spent() }
      try budget.check()
      batch *= 8
    }
  }

  /// Replaces a group by that with the least sum of distances; of equal ones, the first by id.
  private mutating func closest(
    of useful: [Useful],
    worth target: Int,
    count: Int,
    _ best: inout CoverChoice
  ) throws(SearchBudget.Spent) {
    let sums = weights.sums(of: useful.map(\.wants), count)
    func extend(
      _ members: [Int],
      _ met: UInt64,
      _ sum: Double,
      _ start: Int
    ) throws(SearchBudget.Spent) {
      let left = count - members.count
      if weights(met) >= target {
        best = min(best, CoverChoice(members, from: center, by: cost, in: tree))
      }
      guard left > 0 else { return }
      try budget.spend(useful.count - start)
      for index in start..<useful.count {
        let (place, wants) = useful[index]
        // the others are no nearer
        if cost == .farthest, sum + place.distance > best.distanceSum + Self.slack { return }
        guard target - weights(met | wants) <= sums[left - 1] else { continue }
        try extend(members + [place.index], met | wants, sum + place.distance, index + 1)
      }
    }
    try extend([], 0, 0, 0)
  }

  /// Finds the combination of wants with the greatest worth and the fewest places.
  ///
  /// - Parameter all: The wants that places meet, one mask per kind of place.
  /// - Returns: The wants that each place meets, one mask per place; and what is proven about a group.
  private mutating func plan(_ all: [UInt64]) -> (masks: [UInt64], found: CoverFound) {
    let total = weights(Self.union(all))
    // at first, adds the mask with the greatest gain in each step
    var masks: [UInt64] = []
    var union: UInt64 = 0
    for _ in 0..<maximumCount {
      guard let next = all.max(by: { weights($0 | union) < weights($1 | union) }),
        weights(next | union) > weights(union)
      else { break }
      masks.append(next)
      union |= next
    }
    var best: [UInt64] = []
    // the worth of the best plan; that of the best with fewer places than the number that is tried
    var (worth, settledWorth, triedCount) = (0, 0, 0)
    do {
      let pool = try maximal(all)
      for count in 1...maximumCount where worth < total {
        (settledWorth, triedCount) = (worth, count)
        while let better = try combination(worth: worth + 1, adding: 0, count, of: pool) {
          (best, worth) = (better, weights(Self.union(better)))
          if (worth, -best.count) > (weights(Self.union(masks)), -masks.count) { masks = best }
        }
      }
      return (best, CoverFound(isOptimal: true, worth: worth, places: best.count))
    } catch {
      let sums = weights.sums(of: all, maximumCount)
      let target = weights(Self.union(masks))
      let least = sums.firstIndex { $0 >= target } ?? maximumCount
      return (
        masks,
        CoverFound(
          isOptimal: false,
          worth: min(total, sums[maximumCount]),
          places: target > settledWorth ? max(least, triedCount) : least
        )
      )
    }
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

  /// At most `count` masks of a pool that are worth a target with a union; nil if there are none.
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
/// Groups are ordered by cost, by the sum of distances from the center (not for `walk`), by ids.
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
}

extension CoverChoice {
  /// Makes a group of at most five places with its cost.
  init(_ positions: [Int], from center: Coordinate, by cost: CoverQuery.Cost, in tree: KDTree) {
    let sorted = positions.sorted()
    let distances = sorted.map { center.distance(to: tree[$0]) }
    let meters =
      switch cost {
      case .farthest: distances.max() ?? 0
      case .walk: Self.walk(positions, from: center, in: tree).length
      case .spread:
        positions.flatMap { one in positions.map { tree[one].distance(to: tree[$0]) } }.max() ?? 0
      }
    let sum = cost == .walk ? 0 : distances.reduce(0, +)
    self.init(cost: meters, distanceSum: sum, positions: sorted)
  }

  /// The shortest walk from a point through some places; of equal ones, the first in order of id.
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

/// The places that meet wants, grouped by the wants that they meet.
struct PlaceGroups {
  /// The positions, ascending.
  private(set) var positions: [UInt32] = []

  /// The group of each position.
  private(set) var groups: [UInt32] = []

  /// The wants that the places of each group meet, as a bit mask; each mask appears once.
  private(set) var wants: [UInt64] = []

  /// Groups the places of the sets, one for each want.
  ///
  /// - Complexity: O((capacity / 64 + places) · sets).
  init(_ sets: [BitSet], _ budget: inout SearchBudget) throws(SearchBudget.Spent) {
    // a table for few wants, otherwise a dictionary
    var table = [UInt32](repeating: 0, count: sets.count <= 12 ? 1 << sets.count : 0)
    var known: [UInt64: UInt32] = [:]
    positions.reserveCapacity(sets.map(\.count).max() ?? 0)
    groups.reserveCapacity(positions.capacity)
    try BitSet.visitUnion(of: sets) { (position, members) throws(SearchBudget.Spent) in
      if positions.count & 0xFFFF == 0xFFFF { try budget.check() }
      var group = table.isEmpty ? known[members, default: 0] : table[Int(members)]
      if group == 0 {
        wants.append(members)
        group = UInt32(wants.count)
        if table.isEmpty { known[members] = group } else { table[Int(members)] = group }
      }
      positions.append(UInt32(truncatingIfNeeded: position))
      groups.append(group &- 1)
    }
  }

  /// The wants that the place at a position meets.
  ///
  /// - Complexity: O(log places).
  func wants(at position: Int) -> UInt64 {
    let index = positions.partitionPoint { $0 >= position }
    return wants[Int(groups[index])]
  }

  /// The positions of the groups for which a test is true, as a set.
  func set(capacity: Int, where holds: (UInt64) -> Bool) -> BitSet {
    let isIn = wants.map(holds)
    var words = [UInt64](repeating: 0, count: capacity / 64 + 1)
    for index in positions.indices {
      let position = positions[index]
      words[Int(position / 64)] |= (isIn[Int(groups[index])] ? 1 : 0) << UInt64(position % 64)
    }
    return BitSet(capacity: capacity, words: words)
  }
}

/// The time that a search may take.
struct SearchBudget {
  /// Thrown when the time is up; the search ends with the best group found.
  struct Spent: Error {}

  private let deadline: Deadline?

  /// The number of steps left; tests limit them.
  private var steps: Int

  private var sinceCheck = 0

  init(until deadline: Deadline?, steps: Int = .max) {
    self.deadline = deadline
    self.steps = steps
  }

  /// Counts steps, which take from nanoseconds to a microsecond each.
  mutating func spend(_ count: Int) throws(Spent) {
    steps &-= count
    if steps < 0 { throw Spent() }
    sinceCheck &+= count
    if sinceCheck > 1_000 { try check() }
  }

  mutating func check() throws(Spent) {
    sinceCheck = 0
    if let deadline, (try? deadline.check()) == nil {
      // all later checks fail at once
      steps = -1
      throw Spent()
    }
  }
}
