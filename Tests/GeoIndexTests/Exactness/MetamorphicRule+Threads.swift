import GeoIndex
import TestSupport

extension MetamorphicField {
  mutating func threadedFault() -> String? {
    let centers = (0..<field.random.int(below: 80)).map { _ in field.center() }
    let (count, filter) = (min(40, field.rank() + 1), filter())
    let allowed = filter.positions
    let limit = Bool.random(using: &field.random) ? rim(around: field.center()) : .infinity
    let threads = field.random.int(below: 5)
    let lists = tree.nearest(
      to: centers,
      count: count,
      within: limit,
      where: allowed,
      threads: threads == 0 ? nil : threads
    )
    guard lists.count == centers.count else { return "\(lists.count) lists of \(centers.count)" }
    for (center, list) in zip(centers, lists) {
      let single = rebuilt.nearest(to: center, count: count, within: limit, where: allowed)
      guard list.elementsEqual(single) else {
        return "batch of \(centers.count) on \(threads) threads: \(count) of \(center), \(limit)"
      }
    }
    let (center, radius, box) = (field.center(), limit.isFinite ? limit : 1_000, field.box())
    let isSame =
      tree.within(radius: radius, of: center, where: allowed)
      == rebuilt.within(radius: radius, of: center, where: allowed)
      && tree.within(radius: radius, of: center, sorted: false, where: allowed)
        == rebuilt.within(radius: radius, of: center, sorted: false, where: allowed)
      && tree.within(box, sorted: false, where: allowed)
        == rebuilt.within(box, sorted: false, where: allowed)
    return isSame ? nil : "rebuilt: radius \(radius) of \(center), box \(box), \(filter.name)"
  }
}
