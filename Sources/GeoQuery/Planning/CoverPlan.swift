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
  private let greatestCount: Int

  /// A plan that adds the mask with the greatest gain in each step.
  init(greatestCount: Int, _ weights: WantWeights, _ all: [UInt64]) {
    total = weights(CoverSearch.union(all))
    self.greatestCount = greatestCount
    sums = Self.sums(greatestCount, weights, all)
    var union: UInt64 = 0
    for _ in 0..<greatestCount {
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
  var greatestWorth: Int { min(total, sums[greatestCount]) }

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
    for count in 1...greatestCount where worth < total {
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
