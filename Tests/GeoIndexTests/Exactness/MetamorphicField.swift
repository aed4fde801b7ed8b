import GeoIndex

/// A field, and trees over the same points turned, spelled otherwise and in another order.
struct MetamorphicField {
  var field: QueryField

  /// Degrees by which the turned points lie farther east, a multiple of 45.
  let turn: Double

  let turned: KDTree

  /// The same points with other bits: ±180, ±0.0, any longitude at a pole.
  let respelled: KDTree

  let shuffled: KDTree

  /// The same points in the same order, built on another number of threads.
  let rebuilt: KDTree

  /// From positions in the shuffled tree to those in the field's.
  let order: [Int]

  init(_ layout: Layout, size: Int, round: Int) {
    var field = QueryField(layout, size: size, round: round)
    let points = field.scan.coordinates
    let turn = Double(field.random.int(below: 7) + 1) * 45
    turned = KDTree(points.map { $0.turned(by: turn) })
    respelled = KDTree(points.map { $0.respelled(using: &field.random) })
    let order = Array(points.indices).shuffled(using: &field.random)
    shuffled = KDTree(order.map { points[$0] }, threads: 1 + field.random.int(below: 8))
    rebuilt = KDTree(points, threads: 1 + field.random.int(below: 8))
    self.order = order
    self.turn = turn
    self.field = field
  }

  var tree: KDTree { field.tree }

  mutating func filter() -> QueryFilter {
    field.filters[field.random.int(below: field.filters.count)]
  }

  /// The exact distance of some point from a place, or its neighbors in floating point.
  mutating func rim(around center: Coordinate) -> Double {
    guard field.count > 0 else { return 1_000 }
    let count = field.rank() + 1
    let rim = tree.nearest(to: center, count: count).last?.distance ?? 0
    return [rim, rim.nextUp, max(0, rim.nextDown)][field.random.int(below: 3)]
  }

  /// A set over the shuffled tree that lets the same points through.
  func shuffled(_ allowed: BitSet?) -> BitSet? {
    guard let allowed else { return nil }
    return BitSet(
      capacity: order.count,
      order.indices.filter { allowed.contains(order[$0]) }
    )
  }
}

extension Coordinate {
  /// The position `degrees` farther east.
  func turned(by degrees: Double) -> Coordinate {
    let sum = longitude + degrees
    return .at(latitude, sum > 180 ? sum - 360 : sum)
  }

  /// The same position in other bits if there are any.
  func respelled(using random: inout SplitMix64) -> Coordinate {
    let latitude = self.latitude == 0 ? -self.latitude : self.latitude
    if latitude.magnitude == 90 { return .at(latitude, random.double(in: -180...180)) }
    let isSpelledTwice = longitude == 0 || longitude.magnitude == 180
    return .at(latitude, isSpelledTwice ? -longitude : longitude)
  }
}
