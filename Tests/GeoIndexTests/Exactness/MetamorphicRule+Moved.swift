import GeoIndex
import TestSupport

extension MetamorphicField {
  /// How far turning may move a distance, meters.
  private static let tolerance = 1e-7

  mutating func turnedFault() -> String? {
    let (center, count, filter) = (field.center(), field.rank() + 1, filter())
    let there = center.turned(by: turn)
    let before = tree.nearest(to: center, count: count, where: filter.positions)
    let after = turned.nearest(to: there, count: count, where: filter.positions)
    guard before.count == after.count else { return "turned by \(turn): \(after.count) answers" }
    for (one, other) in zip(before, after) {
      // two that change places are as far but for the tolerance of each
      let isSame = one.index == other.index
      let own = isSame ? one.distance : center.distance(to: tree[other.index])
      let isNear =
        abs(own - other.distance) <= Self.tolerance
        && abs(one.distance - own) <= 2 * Self.tolerance
      guard isNear else { return "turned by \(turn): \(one) became \(other) from \(center)" }
    }
    let radius = rim(around: center)
    let inside = Set(tree.within(radius: radius, of: center).map(\.index))
    let wrong = inside.symmetricDifference(turned.within(radius: radius, of: there).map(\.index))
    let isAtRim = wrong.allSatisfy {
      abs(center.distance(to: tree[$0]) - radius) <= Self.tolerance
    }
    return isAtRim ? nil : "turned by \(turn): radius \(radius) of \(center)"
  }

  mutating func respelledFault() -> String? {
    let base = field.center()
    // where spellings differ, mostly
    let pole = Bool.random(using: &field.random) ? 90.0 : -90
    let special: [Coordinate] = [
      .at(pole, base.longitude), .at(base.latitude, 180), .at(0, base.longitude),
      .at(base.latitude, 0), .at(0, -180), base,
    ]
    let center = special[field.random.int(below: special.count)]
    let other = center.respelled(using: &field.random)
    let (count, radius, filter) = (field.rank() + 1, rim(around: center), filter())
    let allowed = filter.positions
    let isSame =
      tree.nearest(to: center, count: count, where: allowed)
      == respelled.nearest(to: other, count: count, where: allowed)
      && tree.within(radius: radius, of: center, where: allowed)
        == respelled.within(radius: radius, of: other, where: allowed)
      && tree.count(within: radius, of: center, where: allowed)
        == respelled.count(within: radius, of: other, where: allowed)
    guard isSame else { return "\(center) spelled \(other), \(count), \(radius), \(filter.name)" }
    let box = field.box()
    guard tree.within(box) == respelled.within(box) else { return "respelled in \(box)" }
    let points = field.scan.coordinates
    let poles = points.indices.filter {
      points[$0].latitude.magnitude == 90
        && (box.south...box.north).contains(points[$0].latitude)
    }
    return Set(tree.within(box)).isSuperset(of: poles) ? nil : "a pole is not in \(box)"
  }

  mutating func shuffledFault() -> String? {
    let (center, count, filter) = (field.center(), field.rank() + 1, filter())
    let (allowed, moved) = (filter.positions, shuffled(filter.positions))
    let one = tree.nearest(to: center, count: count, where: allowed)
    let other = shuffled.nearest(to: center, count: count, where: moved)
    guard one.map(\.distance) == other.map(\.distance) else { return "shuffled from \(center)" }
    // at the last distance either may have chosen others; before it both have all
    let last = one.last?.distance ?? 0
    let inner = one.filter { $0.distance < last }.map(\.index).sorted()
    let otherInner = other.filter { $0.distance < last }.map { order[$0.index] }.sorted()
    guard inner == otherInner, other == other.sorted() else { return "ties from \(center)" }
    let radius = rim(around: center)
    let circle = tree.within(radius: radius, of: center, where: allowed).map(\.index).sorted()
    let otherCircle = shuffled.within(radius: radius, of: center, where: moved)
    guard circle == otherCircle.map({ order[$0.index] }).sorted() else {
      return "shuffled, radius \(radius) of \(center)"
    }
    let box = field.box()
    let isSame =
      tree.within(box, where: allowed)
      == shuffled.within(box, where: moved).map { order[$0] }.sorted()
    return isSame ? nil : "shuffled, box \(box), filter \(filter.name)"
  }
}
