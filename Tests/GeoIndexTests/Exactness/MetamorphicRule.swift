import GeoIndex

/// What holds between answers, whatever the right ones are: invariants of geoq by their numbers.
enum MetamorphicRule: String, CaseIterable, Sendable {
  /// I2: one neighbor more changes none of those before.
  case oneMoreNeighbor

  /// I3: a larger radius loses nothing; 0 gives the points at the place, half a meridian all.
  case largerRadius

  /// I4: the circle through the k-th neighbor holds k at least, and one a little smaller fewer.
  case circleThroughNeighbor

  /// I5: a box is the union of its parts; counts are lengths; the world holds everything.
  case splitBox

  /// I6: turning all longitudes moves no distance by more than 0.1 µm.
  case turned

  /// I7: ±180, ±0.0 and a pole's longitude make no difference.
  case respelled

  /// I8: the order of the points makes none, but among points equally far.
  case shuffled

  /// I8: neither does the number of threads, of the build and of a batch.
  case threaded

  /// Tries one random case.
  ///
  /// - Parameter trial: the points and trees.
  /// - Returns: what broke the rule; nil if nothing did.
  func fault(in trial: inout MetamorphicField) -> String? {
    switch self {
    case .oneMoreNeighbor: trial.oneMoreNeighborFault()
    case .largerRadius: trial.largerRadiusFault()
    case .circleThroughNeighbor: trial.circleFault()
    case .splitBox: trial.splitBoxFault()
    case .turned: trial.turnedFault()
    case .respelled: trial.respelledFault()
    case .shuffled: trial.shuffledFault()
    case .threaded: trial.threadedFault()
    }
  }
}

extension MetamorphicField {
  mutating func oneMoreNeighborFault() -> String? {
    let (center, count, filter) = (field.center(), field.rank(), filter())
    let fewer = tree.nearest(to: center, count: count, where: filter.positions)
    let more = tree.nearest(to: center, count: count + 1, where: filter.positions)
    let isPrefix = more.starts(with: fewer) && more.count <= fewer.count + 1
    let isFull = fewer.count == count || more.count == fewer.count
    return isPrefix && isFull ? nil : "nearest \(count) of \(center), filter \(filter.name)"
  }

  mutating func largerRadiusFault() -> String? {
    let (center, filter) = (field.center(), filter())
    let allowed = filter.positions
    let radii = [rim(around: center), rim(around: center)].sorted()
    let small = tree.within(radius: radii[0], of: center, where: allowed)
    let large = tree.within(radius: radii[1], of: center, where: allowed)
    guard large.starts(with: small) else { return "radii \(radii) of \(center), \(filter.name)" }
    let here = tree.within(radius: 0, of: center).map(\.index)
    let equal = field.scan.coordinates.indices.filter { field.scan.coordinates[$0] == center }
    let isHere = here.allSatisfy { tree[$0].distance(to: center) == 0 }
    guard isHere, Set(here).isSuperset(of: equal) else { return "radius 0 of \(center)" }
    let all = tree.count(within: 20_003_931.46, of: center, where: allowed)
    return all == allowed?.count ?? field.count ? nil : "\(all) in half a meridian of \(center)"
  }

  mutating func circleFault() -> String? {
    let (center, count, filter) = (field.center(), field.rank() + 1, filter())
    let allowed = filter.positions
    let found = tree.nearest(to: center, count: count, where: allowed)
    guard let rim = found.last?.distance else { return nil }
    let listed = tree.within(radius: rim, of: center, where: allowed)
    let counted = tree.count(within: rim, of: center, where: allowed)
    let fewer = rim > 0 ? tree.count(within: rim.nextDown, of: center, where: allowed) : 0
    let isRight = listed.starts(with: found) && counted == listed.count && fewer < found.count
    return isRight ? nil : "circle through \(found.count) of \(center), filter \(filter.name)"
  }

  mutating func splitBoxFault() -> String? {
    let (box, filter) = (field.box(), filter())
    let allowed = filter.positions
    let found = tree.within(box, where: allowed)
    guard tree.count(in: box, where: allowed) == found.count else { return "count in \(box)" }
    let cut = min(box.north, max(box.south, field.point().latitude))
    let (west, east) = (box.west, box.east)
    var parts = [
      BoundingBox(west: west, south: box.south, east: east, north: cut),
      BoundingBox(west: west, south: cut, east: east, north: box.north),
    ]
    if box.crossesAntimeridian {
      parts = [
        BoundingBox(west: west, south: box.south, east: 180, north: box.north),
        BoundingBox(west: -180, south: box.south, east: east, north: box.north),
      ]
    }
    let union = Set(parts.compactMap(\.self).flatMap { tree.within($0, where: allowed) })
    guard union.sorted() == found else { return "parts of \(box), filter \(filter.name)" }
    let world = tree.within(.world, where: allowed).count
    return world == allowed?.count ?? field.count ? nil : "the world holds \(world)"
  }
}
