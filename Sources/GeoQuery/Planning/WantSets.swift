import GeoIndex

/// The places that meet each want of a query.
struct WantSets {
  /// The places for each want, at any distance.
  let all: [PositionSet]

  /// The places for each want, within the maximum distance.
  let within: [PositionSet]

  init(_ query: CoverQuery, _ engine: QueryEngine) throws {
    let tree = engine.snapshot.tree
    let all = try query.wants.map { want in
      switch want.places {
      case .filter(let filter):
        return try engine.positions(matching: filter, until: query.deadline)
          ?? PositionSet(all: tree.count)
      case .set(let set):
        precondition(
          set.capacity == tree.count,
          "The capacity of a want's set must be the count of the snapshot."
        )
        return set
      }
    }
    self.all = all
    guard query.maximumDistance < .infinity else {
      within = all
      return
    }
    let ball = tree.positionSet(within: query.maximumDistance, of: query.center)
    within = all.map { $0.intersection(ball) }
  }

  /// The places within the maximum distance; empty for wants without a worth.
  func counting(_ weights: WantWeights) -> [PositionSet] {
    within.indices.map { want in
      weights.amounts[want] > 0 ? within[want] : PositionSet(capacity: within[want].capacity)
    }
  }

  /// A place with the wants that it meets.
  func place(at position: Int, _ distance: Double) -> Cover.Place {
    Cover.Place(
      position: position,
      distance: distance,
      meets: all.indices.filter { all[$0].contains(position) }
    )
  }
}
