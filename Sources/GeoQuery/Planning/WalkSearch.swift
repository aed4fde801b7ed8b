import GeoIndex

/// Searches for the shortest walk from the center through a given number of places.
///
/// The search is depth first along the walk, and tries steps with the least bound first. A bound is
/// the length so far plus the distance within which the missing wants can be met.
struct WalkSearch {
  /// The best walk so far; its cost is its length.
  private(set) var best: CoverChoice

  /// No walk is shorter, as far as proven.
  private(set) var floor: Double

  private var field: CoverField
  private let weights: WantWeights
  private let target: Int

  /// The maximum worth of groups of 0, 1, 2… places.
  private let sums: [Int]

  private var budget: SearchBudget
  private var path: [Int] = []

  private struct Step {
    let bound: Double
    let length: Double
    let place: Int
  }

  init(_ search: CoverSearch, _ field: CoverField, target: Int, best: CoverChoice) {
    self.best = best
    floor = search.floor
    self.field = field
    self.target = target
    weights = search.weights
    sums = Plan.sums(search.greatestCount, weights, Array(Set(field.masks)))
    budget = search.budget
  }

  /// Finds the shortest walk through `count` places.
  mutating func run(_ count: Int) throws(SearchBudget.Spent) {
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
      if path.isEmpty { floor = max(floor, min(step.bound, best.cost)) }
      guard step.bound <= best.cost else { return }
      path.append(step.place)
      try extend(met | field.masks[step.place], step.length, left)
      path.removeLast()
    }
  }

  /// Continues from the last place of the path.
  private mutating func extend(
    _ met: UInt64,
    _ length: Double,
    _ left: Int
  ) throws(SearchBudget.Spent) {
    guard left > 0, let last = path.last else {
      if weights(met) >= target { offer(path, length) }
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
        offer(path + [neighbor.index], total)
      }
    }
    try take(steps, met, left - 1)
  }

  private mutating func offer(_ path: [Int], _ length: Double) {
    guard length <= best.cost else { return }
    let positions = path.map { field.positions[$0] }.sorted()
    best = min(best, CoverChoice(cost: length, positions: positions))
  }
}
