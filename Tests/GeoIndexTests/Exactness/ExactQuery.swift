import GeoIndex

/// One question to a tree, with the filter it goes through.
struct ExactQuery: CustomStringConvertible {
  /// What runs are counted by.
  enum Kind: String, CaseIterable {
    case nearest
    case radius
    case radiusUnsorted
    case radiusCount
    case box
    case boxUnsorted
    case boxCount
    case batch
  }

  let kind: Kind

  /// Where distances are measured from; boxes ignore it.
  let center: Coordinate

  /// How many neighbors are asked for; of use to nearest only.
  let count: Int

  /// The maximum distance of nearest, or the radius.
  let distance: Double

  let box: BoundingBox
  let filter: QueryFilter

  /// What a failure message says, enough to ask again.
  var description: String {
    let place = "\(center.latitude),\(center.longitude)"
    let question =
      switch kind {
      case .nearest, .batch: "\(kind) \(count) to \(place) within \(distance)"
      case .radius, .radiusUnsorted: "\(kind) \(distance) of \(place)"
      case .radiusCount: "count within \(distance) of \(place)"
      case .box, .boxUnsorted: "\(kind) \(box)"
      case .boxCount: "count in \(box)"
      }
    return "\(question), filter \(filter.name)"
  }

  /// The tree's answer: the one place of the exactness run that calls the API it is about.
  func answer(by tree: KDTree) -> ExactAnswer {
    let allowed = filter.positions
    return switch kind {
    case .nearest:
      .neighbors(tree.nearest(to: center, count: count, within: distance, where: allowed))
    case .radius: .neighbors(tree.within(radius: distance, of: center, where: allowed))
    case .radiusUnsorted:
      .neighbors(tree.within(radius: distance, of: center, sorted: false, where: allowed).sorted())
    case .radiusCount: .count(tree.count(within: distance, of: center, where: allowed))
    case .box: .positions(tree.within(box, where: allowed))
    case .boxUnsorted: .positions(tree.within(box, sorted: false, where: allowed).sorted())
    case .boxCount: .count(tree.count(in: box, where: allowed))
    case .batch: .neighbors(batch(in: tree))
    }
  }

  /// This query's answer out of a batch: asked between others, on some number of threads.
  private func batch(in tree: KDTree) -> [Neighbor] {
    let others = [center.antipode, .at(90, 0), center, .at(0, 180), center.antipode]
    // any number will do, if it is the same in every run
    let place = Int(center.latitude.bitPattern % 6)
    var centers = others
    centers.insert(center, at: place)
    let lists = tree.nearest(
      to: centers,
      count: count,
      within: distance,
      where: filter.positions,
      threads: [1, 2, 3, nil][place % 4]
    )
    return lists.count == centers.count ? Array(lists[place]) : []
  }

  /// The answer by definition.
  ///
  /// - Parameters:
  ///   - ranked: all points by (distance, index), seen from this query's center.
  ///   - scan: the points.
  /// - Returns: what any right answer has to equal.
  func answer(from ranked: [Neighbor], of scan: LinearScan) -> ExactAnswer {
    let allowed = filter.positions
    return switch kind {
    case .nearest, .batch: .neighbors(prefix(of: ranked, count: count))
    case .radius, .radiusUnsorted: .neighbors(prefix(of: ranked, count: .max))
    case .radiusCount: .count(prefix(of: ranked, count: .max).count)
    case .box, .boxUnsorted: .positions(scan.positions(in: box, where: allowed))
    case .boxCount: .count(scan.positions(in: box, where: allowed).count)
    }
  }

  /// The first allowed ones of a ranking, up to the distance.
  private func prefix(of ranked: [Neighbor], count: Int) -> [Neighbor] {
    var found: [Neighbor] = []
    for neighbor in ranked {
      guard found.count < count, neighbor.distance <= distance else { break }
      if filter.positions?.contains(neighbor.index) ?? true { found.append(neighbor) }
    }
    return found
  }
}

/// What a query gives.
enum ExactAnswer {
  case neighbors([Neighbor])
  case positions([Int])
  case count(Int)

  /// How this answer departs from the right one; nil if it is the same, bit for bit.
  func fault(insteadOf right: ExactAnswer) -> String? {
    switch (self, right) {
    case (.neighbors(let one), .neighbors(let other)):
      return Self.fault(one, insteadOf: other) {
        $0.index == $1.index && $0.distance.bitPattern == $1.distance.bitPattern
      }
    case (.positions(let one), .positions(let other)):
      return Self.fault(one, insteadOf: other, areSame: ==)
    case (.count(let one), .count(let other)):
      return one == other ? nil : "counted \(one), not \(other)"
    default: return "an answer of another kind"
    }
  }

  private static func fault<Part>(
    _ one: [Part],
    insteadOf other: [Part],
    areSame: (Part, Part) -> Bool
  ) -> String? {
    guard !one.elementsEqual(other, by: areSame) else { return nil }
    let first = zip(one, other).first { !areSame($0, $1) }
    return "gave \(one.count) of \(other.count), first difference \(String(describing: first))"
  }
}

/// A part of the points, by name; all of them if there is no set.
struct QueryFilter: Sendable {
  let name: String
  let positions: BitSet?
}
