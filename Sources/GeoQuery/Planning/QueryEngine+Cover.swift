import GeoIndex

extension QueryEngine {
  /// The few places that together meet the most wants.
  ///
  /// The answer is the first of all groups of at most `query.places` places, each within
  /// `query.maximumDistance`, in this order: most wants met (or greatest total amount), fewest
  /// places, least cost, ids. Ids are compared as sorted lists, element by element. Costs are
  /// computed from reported distances, so the order is exact. If no want is met, there are no
  /// places.
  ///
  /// A want that cannot be met does not fail the query. If the deadline passes during the search,
  /// the answer is the best group found, and `Cover.bounds` has the proven bounds.
  ///
  /// - Parameter query: The wants, the center and the limits.
  /// - Returns: The places, and the outcome of each want.
  /// - Throws: `QueryError` if a number is out of range; `QueryTimeout` if the deadline passes before the
  ///   search has begun.
  public func cover(_ query: CoverQuery) throws -> Cover {
    try query.check()
    let sets = try WantSets(query, self)
    return try cover(query, sets, SearchBudget(until: query.deadline))
  }

  func cover(_ query: CoverQuery, _ sets: WantSets, _ budget: SearchBudget) throws -> Cover {
    let tree = snapshot.tree
    let weights = WantWeights(query)
    var search = CoverSearch(
      tree: tree,
      center: query.center,
      sets: sets.counting(weights),
      greatestCount: query.places,
      cost: query.cost,
      weights: weights,
      budget: budget
    )
    let found = search.run()
    let positions =
      query.cost == .walk
      ? CoverChoice.walk(found.choice.positions, from: query.center, in: tree).order
      : found.choice.positions
    var places = positions.map { sets.place(at: $0, query.center.distance(to: tree[$0])) }
    if query.cost != .walk {
      places.sort { ($0.distance, $0.position) < ($1.distance, $1.position) }
    }
    let wants = query.wants.indices.map { outcome(of: $0, query, sets, places) }
    let isMet = wants.map { $0.unmet == nil }
    let unit = query.preference == .count ? 1 : 1_000_000.0
    return Cover(
      met: isMet.count { $0 },
      of: wants.count,
      value: WantWeights.total(query.wants.indices.filter { isMet[$0] }.map { query.wants[$0] }),
      cost: found.choice.cost,
      isOptimal: found.isOptimal,
      bounds: found.isOptimal
        ? nil
        : Cover.Bounds(met: Double(found.worth) / unit, places: found.places, cost: found.cost),
      places: places,
      wants: wants,
      page: Page(places.map { Neighbor(index: $0.position, distance: $0.distance) }, of: snapshot)
    )
  }

  private func outcome(
    of want: Int,
    _ query: CoverQuery,
    _ sets: WantSets,
    _ places: [Cover.Place]
  ) -> Cover.Outcome {
    let by = places.filter { $0.meets.contains(want) }
      .min { ($0.distance, $0.position) < ($1.distance, $1.position) }?.position
    let set = sets.all[want]
    let reason: Cover.Outcome.Reason =
      set.isEmpty ? .nowhere : sets.within[want].isEmpty ? .beyond : .places
    return Cover.Outcome(
      label: query.wants[want].label,
      by: by,
      places: set.count,
      placesWithin: sets.within[want].count,
      nearest: set.isEmpty
        ? nil : snapshot.tree.nearest(to: query.center, count: 1, where: set).first,
      unmet: by == nil ? reason : nil
    )
  }

  /// The number of places that meet a want.
  ///
  /// - Throws: `QueryTimeout`.
  public func count(of want: Want, until deadline: Deadline? = nil) throws -> Int {
    switch want.places {
    case .filter(let filter):
      try positions(matching: filter, until: deadline)?.count ?? snapshot.count
    case .set(let set): set.count
    }
  }

  /// Single places in order of the wants that they meet.
  ///
  /// The order is (number or amount of wants met, descending; distance; id). Places that meet no
  /// want, or are beyond `query.maximumDistance`, are omitted.
  ///
  /// - Parameters:
  ///   - query: The wants, the center and the limits; its maximum number of places and its cost are
  ///     ignored.
  ///   - count: The maximum number of places.
  ///   - onlyNearest: Whether to list only the nearest for each number of wants met (or amount).
  /// - Returns: The places, each with the wants that it meets.
  /// - Throws: `QueryError` if a number is out of range; `QueryTimeout`.
  public func coverRanking(
    _ query: CoverQuery,
    count: Int,
    onlyNearest: Bool = false
  ) throws -> [Cover.Place] {
    try query.check()
    guard count >= 0 else { throw QueryError("rank", "must be zero or more") }
    let sets = try WantSets(query, self)
    let weights = WantWeights(query)
    var budget = SearchBudget(until: query.deadline)
    guard let groups = try? PlaceGroups(sets.counting(weights), &budget) else {
      throw QueryTimeout()
    }
    var found: [Cover.Place] = []
    for worth in Set(groups.wants.map { weights($0) }).sorted(by: >) where found.count < count {
      try query.deadline?.check()
      let set = groups.set(capacity: snapshot.count) { weights($0) == worth }
      let nearest = snapshot.tree.nearest(
        to: query.center,
        count: onlyNearest ? 1 : count - found.count,
        where: set
      )
      found += nearest.map { sets.place(at: $0.index, $0.distance) }
    }
    return found
  }
}
