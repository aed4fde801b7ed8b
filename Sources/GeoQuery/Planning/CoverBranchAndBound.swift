import GeoIndex

/// Searches for a given number of places, two or more, that cost least together: for `walk` and `spread`, a
/// depth-first branch and bound over the places that are near enough for the best group so far.
///
/// The places that a group may begin with are tried in order of their bounds, the least first. A bound is
/// the distance within which other places meet the missing wants; for a walk, plus the length so far.
/// A walk goes on to any place near its last one. A spread begins with the earliest of its places in that
/// order; its other places are within the best spread so far from that one, and of these the farthest
/// comes first.
///
/// Of places that have the same position and meet the same wants, only the first by id is a candidate,
/// because a group never needs another one. The candidates have separate trees: one of all, and one for
/// each want.
struct CoverBranchAndBound {
  /// The best group so far.
  private(set) var best: CoverChoice

  /// No group costs less, as far as proven.
  private(set) var floor: Double

  private let target: Int
  private let isWalk: Bool
  private let weights: WantWeights
  private var budget: SearchBudget

  /// The positions of the candidates, ascending.
  private var positions: [Int] = []

  /// The wants that each candidate meets.
  private var masks: [UInt64] = []

  /// Meters from the center.
  private var distances: [Double] = []

  private var coordinates: [Coordinate] = []

  /// For distances between the candidates.
  private let points: [ECEFPoint]

  private let tree: KDTree
  private let wantTrees: [KDTree]

  /// The distances from each place to the nearest one that meets each want; NaN if not known yet.
  private var nearest: [Double]

  /// Above this size, distances to wants are not stored.
  private static let maximumMemory = 1 << 22

  /// The maximum worth of groups of 0, 1, 2… places.
  private let sums: [Int]

  /// The places chosen so far, in their order.
  private var members: [Int] = []

  /// Whether a spread may still contain a place: not if it was the first of the groups before.
  private var isOpen: [Bool]

  /// A place that may be added.
  private struct Step {
    let place: Int

    /// The cost of the group with it.
    let cost: Double

    /// No group that continues from here costs less.
    let bound: Double
  }

  /// Prepares a search; `best` is a group with the worth of the target.
  init(
    _ search: CoverSearch,
    _ groups: PlaceGroups,
    target: Int,
    best: CoverChoice
  ) throws(SearchBudget.Spent) {
    self.best = best
    floor = search.floor
    self.target = target
    weights = search.weights
    isWalk = search.cost == .walk
    budget = search.budget
    struct Spot: Hashable {
      let coordinate: Coordinate
      let mask: UInt64
    }
    var spots: Set<Spot> = []
    // places of a walk are no farther from the center than it is long
    let reach = best.cost + CoverSearch.slack
    let ball = isWalk ? search.tree.positionSet(within: reach, of: search.center) : nil
    for index in groups.positions.indices {
      let position = Int(groups.positions[index])
      if let ball, !ball.contains(position) { continue }
      try budget.spend(1)
      let spot = Spot(
        coordinate: search.tree[position],
        mask: groups.wants[Int(groups.groups[index])]
      )
      guard spots.insert(spot).inserted else { continue }
      positions.append(position)
      masks.append(spot.mask)
      coordinates.append(spot.coordinate)
      distances.append(search.center.distance(to: spot.coordinate))
    }
    let (masks, coordinates) = (masks, coordinates)
    points = coordinates.map { ECEFPoint($0) }
    tree = KDTree(coordinates, threads: 1)
    wantTrees = search.sets.indices.map { want in
      KDTree(
        coordinates.indices.filter { masks[$0] &>> UInt64(want) & 1 == 1 }.map { coordinates[$0] },
        threads: 1
      )
    }
    let memory = masks.count * search.sets.count
    nearest = Array(repeating: .nan, count: memory <= Self.maximumMemory ? memory : 0)
    sums = weights.sums(of: Array(Set(masks)), search.maximumCount)
    isOpen = Array(repeating: isWalk, count: masks.count)
  }

  /// Finds the best group of `count` places.
  mutating func run(_ count: Int) throws(SearchBudget.Spent) {
    var first: [Step] = []
    for place in positions.indices {
      try budget.spend(8)
      append(to: &first, place, 0, isWalk ? distances[place] : 0, count - 1)
    }
    first.sort { ($0.bound, $0.place) < ($1.bound, $1.place) }
    for step in first { isOpen[step.place] = true }
    for step in first {
      floor = max(floor, min(step.bound, best.cost))
      guard step.bound <= best.cost else { return }
      isOpen[step.place] = isWalk
      try take(step, 0, count - 1, before: [])
    }
  }

  /// Appends a step, unless the group cannot be as good as the best.
  private mutating func append(
    to steps: inout [Step],
    _ place: Int,
    _ met: UInt64,
    _ cost: Double,
    _ left: Int
  ) {
    let union = met | masks[place]
    let need = target - weights(union)
    guard union != met, cost <= best.cost, need <= sums[left] else { return }
    var bound = cost
    if isWalk || members.isEmpty {
      // distances are not exactly a metric: their errors are less than the slack
      let limit = best.cost + CoverSearch.slack
      let reach = reach(from: place, need: need, met: union, within: limit)
      bound = max(cost, cost + reach - CoverSearch.slack)
    }
    if bound <= best.cost { steps.append(Step(place: place, cost: cost, bound: bound)) }
  }

  /// Takes a step, then `left` more.
  private mutating func take(
    _ step: Step,
    _ met: UInt64,
    _ left: Int,
    before: ArraySlice<Step>
  ) throws(SearchBudget.Spent) {
    let isFirst = members.isEmpty
    members.append(step.place)
    defer { members.removeLast() }
    guard left > 0 else { return offer(step.cost) }
    let union = met | masks[step.place]
    var next: [Step] = []
    if isWalk || isFirst {
      let radius = isWalk ? best.cost - step.cost + CoverSearch.slack : best.cost
      let near = tree.within(radius: max(0, radius), of: coordinates[step.place])
      try budget.spend(near.count + 1)
      for place in near where isOpen[place.index] {
        append(to: &next, place.index, union, step.cost + place.distance, left - 1)
      }
    } else {
      try budget.spend(before.count + 1)
      for other in before {
        let distance = points[step.place].distance(to: points[other.place])
        append(to: &next, other.place, union, max(step.cost, other.cost, distance), left - 1)
      }
    }
    if isWalk { next.sort { ($0.bound, $0.place) < ($1.bound, $1.place) } }
    for (index, following) in next.enumerated() where following.bound <= best.cost {
      try take(following, union, left - 1, before: next[..<index])
    }
  }

  /// Keeps the members if they come before the best group.
  private mutating func offer(_ cost: Double) {
    guard cost <= best.cost else { return }
    // places are in order of id
    let places = members.sorted()
    let sum = isWalk ? 0 : places.reduce(0) { $0 + distances[$1] }
    let ids = places.map { positions[$0] }
    best = min(best, CoverChoice(cost: cost, distanceSum: sum, positions: ids))
  }

  /// The least distance from a place within which other places meet enough wants for a worth.
  ///
  /// One of the further places of a group must be at least that far away. `need` is the missing
  /// worth, `met` the wants that are met already. The limit is never more than in an earlier call;
  /// the result is infinity beyond it.
  private mutating func reach(
    from place: Int,
    need: Int,
    met: UInt64,
    within limit: Double
  ) -> Double {
    guard need > 0 else { return 0 }
    var open: [(distance: Double, worth: Int)] = []
    for want in wantTrees.indices where met &>> UInt64(want) & 1 == 0 && weights.amounts[want] > 0 {
      let distance = distance(from: place, to: want, within: limit)
      if distance <= limit { open.append((distance, weights.amounts[want])) }
    }
    return CoverSearch.distance(worth: need, open)
  }

  private mutating func distance(from place: Int, to want: Int, within limit: Double) -> Double {
    let index = place * wantTrees.count + want
    if !nearest.isEmpty, !nearest[index].isNaN { return nearest[index] }
    let found =
      wantTrees[want].nearest(to: coordinates[place], count: 1, within: limit).first?.distance
      ?? .infinity
    if !nearest.isEmpty { nearest[index] = found }
    return found
  }
}
