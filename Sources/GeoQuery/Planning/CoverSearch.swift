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
  let sets: [PositionSet]

  let greatestCount: Int
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
    var plan = Plan(greatestCount: greatestCount, weights, groups.wants)
    let isProven = (try? prove(&plan, groups.wants)) != nil
    let target = weights(Self.union(plan.masks))
    var found = CoverFound(
      choice: CoverChoice(cost: 0, positions: []),
      isOptimal: isProven,
      worth: isProven ? target : plan.greatestWorth,
      places: isProven ? plan.masks.count : plan.leastCount(worth: target),
      cost: 0
    )
    guard !plan.masks.isEmpty else { return found }
    guard isProven else {
      found.choice = choice(of: plan.masks, groups)
      floor = Self.least(cost, farthest: leastReach(worth: target))
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
        let first = try firstByID(within: near.radius, worth: target, count: count, groups)
        choice = CoverChoice(first, from: center, by: cost, in: tree)
      } catch {
        choice = self.choice(of: near.masks, groups)
        throw error
      }
      return
    }
    let start = self.choice(of: near.masks, groups)
    choice = start
    let field = try CoverField(self, groups, within: cost == .walk ? start.cost : .infinity)
    if cost == .walk {
      var search = WalkSearch(self, field, target: target, best: start)
      defer { (choice, floor) = (search.best, search.floor) }
      try search.run(count)
    } else {
      var search = SpreadSearch(self, field, target: target, best: start)
      defer { (choice, floor) = (search.best, search.floor) }
      try search.run(count)
    }
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
  private func leastReach(worth target: Int) -> Double {
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
