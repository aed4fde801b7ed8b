import GeoIndex

/// What a search for a group of places found, and what it has proven.
struct CoverFound {
  var choice: CoverChoice

  /// Whether nothing comes before it.
  var isOptimal: Bool

  /// The greatest worth that a group can have.
  var worth: Int

  /// The least number of places of a group that is worth as much.
  var places: Int

  /// The least cost of a group that is worth as much with as few places, meters.
  var cost: Double
}

/// The search for the group of places that comes first.
///
/// Three questions, one after the other. What the best worth is and how many places it takes depends
/// only on which combinations of wants there are: a branch and bound over them. Then the cost: by
/// `farthest` places come nearest first until some of them do; by `walk` and `spread` a branch and
/// bound over the places that are near enough for the best found so far. Bounds only rule out what
/// cannot be among the answers; everything that decides is a reported distance.
struct CoverSearch {
  let tree: KDTree
  let center: Coordinate

  /// For each want the places within the greatest distance that count toward the worth.
  let sets: [PositionSet]

  let greatestCount: Int
  let cost: CoverQuery.Cost
  let weights: WantWeights
  var budget: SearchBudget

  /// No cost is less, as far as it is proven.
  var floor = 0.0

  /// More than the errors of a few reported distances together, meters.
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
      // a place may have had more than it was chosen for
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
    // of a walk that was found last, another order may be shorter
    found.choice = CoverChoice(found.choice.positions, from: center, by: cost, in: tree)
    found.cost = min(floor, found.choice.cost)
    return found
  }

  /// Without time to look at the places there is the nearest of the want that is worth most.
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

  /// What a group costs at least if one of its places is so far away.
  static func least(_ cost: CoverQuery.Cost, farthest: Double) -> Double {
    switch cost {
    case .farthest: farthest
    case .walk: max(0, farthest - slack)
    case .spread: 0
    }
  }

  /// The union of wants.
  static func union(_ masks: some Sequence<UInt64>) -> UInt64 { masks.reduce(0, |) }

  /// The nearest places that meet the wants of each mask.
  private func choice(of masks: [UInt64], _ groups: PlaceGroups) -> CoverChoice {
    let nearest = masks.compactMap { mask in
      let set = groups.set(capacity: tree.count) { mask & ~$0 == 0 }
      return tree.nearest(to: center, count: 1, where: set).first?.index
    }
    return CoverChoice(Array(Set(nearest)), from: center, by: cost, in: tree)
  }

  /// The distance within which there is as much as a group is worth.
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
