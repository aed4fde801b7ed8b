import GeoIndex

/// Searches for a given number of places that cost least together: a branch and bound over the places that
/// are near enough for the best group so far.
struct CoverBranchAndBound {
  /// The best group so far.
  private(set) var best: CoverChoice

  /// No group costs less, as far as proven.
  private(set) var floor: Double

  private var field: CoverCandidates
  private let weights: WantWeights
  private let target: Int

  /// The maximum worth of groups of 0, 1, 2… places.
  private let sums: [Int]

  private var budget: SearchBudget

  /// The places chosen so far, in their order.
  private var members: [Int] = []

  init(_ search: CoverSearch, _ field: CoverCandidates, target: Int, best: CoverChoice) {
    self.best = best
    floor = search.floor
    self.field = field
    self.target = target
    weights = search.weights
    sums = Plan.sums(search.maximumCount, weights, Array(Set(field.masks)))
    budget = search.budget
  }

  /// Keeps a group if it comes before the best one.
  private mutating func offer(_ places: [Int], _ cost: Double, isWalk: Bool) {
    guard cost <= best.cost else { return }
    // places are in order of id
    let places = places.sorted()
    let sum = isWalk ? 0 : places.reduce(0) { $0 + field.distances[$1] }
    let positions = places.map { field.positions[$0] }
    best = min(best, CoverChoice(cost: cost, distanceSum: sum, positions: positions))
  }
}

// MARK: - The shortest walk from the center

// The search is depth first along the walk, and tries steps with the least bound first. A bound is
// the length so far plus the distance within which the missing wants can be met.
extension CoverBranchAndBound {
  private struct Step {
    let bound: Double
    let length: Double
    let place: Int
  }

  /// Finds the shortest walk through `count` places.
  mutating func walk(_ count: Int) throws(SearchBudget.Spent) {
    var steps: [Step] = []
    for place in field.positions.indices {
      try budget.spend(8)
      append(to: &steps, place, 0, field.distances[place], count - 1)
    }
    try take(steps, 0, count - 1)
  }

  /// Appends a step to a place, unless the walk cannot be as short as the best.
  private mutating func append(
    to steps: inout [Step],
    _ place: Int,
    _ met: UInt64,
    _ length: Double,
    _ left: Int
  ) {
    let union = met | field.masks[place]
    let need = target - weights(union)
    guard union != met, length <= best.cost, need <= sums[left], need <= 0 || left > 0 else {
      return
    }
    let limit = best.cost + CoverSearch.slack
    let reach = field.reach(from: place, need: need, met: union, within: limit)
    // distances are not exactly a metric: their errors are less than the slack
    let bound = max(length, length + reach - CoverSearch.slack)
    if bound <= best.cost { steps.append(Step(bound: bound, length: length, place: place)) }
  }

  private mutating func take(
    _ steps: [Step],
    _ met: UInt64,
    _ left: Int
  ) throws(SearchBudget.Spent) {
    for step in steps.sorted(by: { ($0.bound, $0.place) < ($1.bound, $1.place) }) {
      if members.isEmpty { floor = max(floor, min(step.bound, best.cost)) }
      guard step.bound <= best.cost else { return }
      members.append(step.place)
      try extend(met | field.masks[step.place], step.length, left)
      members.removeLast()
    }
  }

  /// Continues from the last of the members.
  private mutating func extend(
    _ met: UInt64,
    _ length: Double,
    _ left: Int
  ) throws(SearchBudget.Spent) {
    guard left > 0, let last = members.last else {
      if weights(met) >= target { offer(members, length, isWalk: true) }
      return
    }
    let near = field.near(last, within: best.cost - length + CoverSearch.slack)
    try budget.spend(near.count + 1)
    var steps: [Step] = []
    for neighbor in near {
      let total = length + neighbor.distance
      guard total <= best.cost else { break }
      if left > 1 {
        append(to: &steps, neighbor.index, met, total, left - 1)
      } else if weights(met | field.masks[neighbor.index]) >= target {
        offer(members + [neighbor.index], total, isWalk: true)
      }
    }
    try take(steps, met, left - 1)
  }
}

// MARK: - The places that lie closest together

// Each place has a bound: the distance within which other places meet its missing wants. In order
// of this bound, each is the anchor of the groups that contain it and no earlier one. Their other
// places are within the best spread so far from the anchor, and are tried nearest first.
extension CoverBranchAndBound {
  /// A place that may be added, and its maximum distance from those chosen.
  private struct Candidate {
    let place: Int
    let width: Double
  }

  /// Finds the closest group of `count` places, two or more.
  mutating func spread(_ count: Int) throws(SearchBudget.Spent) {
    var anchors: [Candidate] = []
    for place in field.positions.indices {
      try budget.spend(8)
      let mask = field.masks[place]
      let need = target - weights(mask)
      let reach = field.reach(from: place, need: need, met: mask, within: best.cost)
      if reach <= best.cost { anchors.append(Candidate(place: place, width: reach)) }
    }
    anchors.sort { ($0.width, $0.place) < ($1.width, $1.place) }
    var isOpen = [Bool](repeating: false, count: field.positions.count)
    for anchor in anchors { isOpen[anchor.place] = true }
    for anchor in anchors {
      floor = min(anchor.width, best.cost)
      guard anchor.width <= best.cost else { return }
      isOpen[anchor.place] = false
      let near = field.near(anchor.place, within: best.cost)
      try budget.spend(near.count + 1)
      let others = near.lazy.filter { isOpen[$0.index] }
        .map { Candidate(place: $0.index, width: $0.distance) }
      members = [anchor.place]
      try extend(Array(others), field.masks[anchor.place], 0, count - 1)
    }
  }

  /// Adds `left` of the candidates to the members, starting with the last one.
  private mutating func extend(
    _ pool: [Candidate],
    _ met: UInt64,
    _ spread: Double,
    _ left: Int
  ) throws(SearchBudget.Spent) {
    for (index, candidate) in pool.enumerated() where candidate.width <= best.cost {
      let (place, width) = (candidate.place, max(spread, candidate.width))
      let union = met | field.masks[place]
      let need = target - weights(union)
      guard union != met, need <= sums[left - 1] else { continue }
      members.append(place)
      defer { members.removeLast() }
      guard left > 1 else {
        if need <= 0 { offer(members, width, isWalk: false) }
        continue
      }
      try budget.spend(index + 1)
      var rest: [Candidate] = []
      for other in pool[..<index] {
        let mask = field.masks[other.place]
        guard mask & ~union != 0, target - weights(union | mask) <= sums[left - 2] else { continue }
        let distance = max(other.width, field.points.distance(place, other.place))
        if distance <= best.cost { rest.append(Candidate(place: other.place, width: distance)) }
      }
      try extend(rest, union, width, left - 1)
    }
  }
}
