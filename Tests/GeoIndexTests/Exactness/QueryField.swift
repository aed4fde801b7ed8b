import Foundation
import GeoIndex
import TestSupport

/// The points of one layout at one size, their tree, and a source of random queries.
struct QueryField: CustomStringConvertible {
  let layout: Layout
  let round: Int
  let scan: LinearScan
  let tree: KDTree
  let filters: [QueryFilter]
  var random: SplitMix64

  var count: Int { scan.coordinates.count }

  /// What a failure message says, enough to make the same field again.
  var description: String {
    "SEED=\(SplitMix64.seed) layout \(layout.rawValue), round \(round), \(count) points"
  }

  init(_ layout: Layout, size: Int, round: Int) {
    var random = SplitMix64(stream: "exact \(layout.rawValue) \(round) \(size)")
    let coordinates = layout.coordinates(count: size, using: &random)
    self.layout = layout
    self.round = round
    scan = LinearScan(coordinates: coordinates)
    tree = KDTree(coordinates)
    filters = QueryFilter.all(over: coordinates, using: &random)
    self.random = random
  }

  /// A place to ask from: on a point, near the data, far from it, where geometry is special.
  mutating func center() -> Coordinate {
    let anchor = point()
    switch random.int(below: 12) {
    case 0, 1: return anchor
    case 2: return random.coordinate(near: anchor, degrees: 0.05)
    case 3: return random.coordinate(near: anchor, degrees: 3)
    case 4: return random.coordinate(near: anchor, degrees: random.tiny())
    case 5: return random.coordinate()
    case 6: return anchor.antipode
    case 7: return random.coordinate(near: anchor.antipode, degrees: random.tiny())
    case 8: return .at(Bool.random(using: &random) ? 90 : -90, random.double(in: -180...180))
    case 9: return random.polar(north: Bool.random(using: &random))
    case 10:
      // as far from two points, or nearly so: ties
      let other = point()
      return .at(
        (anchor.latitude + other.latitude) / 2,
        (anchor.longitude + other.longitude) / 2
      )
    default: return .at(anchor.latitude.nextUp, anchor.longitude.nextDown)
    }
  }

  /// A random query.
  ///
  /// - Parameters:
  ///   - center: the place to ask from.
  ///   - ranked: all points by (distance, index) from there.
  /// - Returns: a query of any kind, filtered or not.
  mutating func query(from center: Coordinate, _ ranked: [Neighbor]) -> ExactQuery {
    let kinds: [ExactQuery.Kind] = [
      .nearest, .nearest, .nearest, .nearest, .nearest, .batch, .radius, .radius, .radiusUnsorted,
      .radiusCount, .box, .box, .boxUnsorted, .boxCount,
    ]
    let kind = kinds[random.int(below: kinds.count)]
    let isNearest = kind == .nearest || kind == .batch
    let isBounded = !isNearest || random.int(below: 3) == 0
    // half of the queries are not filtered
    let isFiltered = Bool.random(using: &random)
    let filter = filters[isFiltered ? random.int(below: filters.count) : 0]
    return ExactQuery(
      kind: kind,
      center: center,
      count: neighborCount(),
      distance: isBounded ? distance(among: ranked) : .infinity,
      box: [.box, .boxUnsorted, .boxCount].contains(kind) ? box() : .world,
      filter: filter
    )
  }

  /// Any of the points, or some place where there is none.
  mutating func point() -> Coordinate {
    scan.coordinates.randomElement(using: &random) ?? .at(1, 2)
  }

  /// A rank among the points, each power of two as likely as another; 0 if there is none.
  mutating func rank() -> Int {
    let top = log(Double(max(1, count)))
    return min(max(0, count - 1), Int(exp(random.double(in: 0...1) * top)) - 1)
  }

  private mutating func neighborCount() -> Int {
    let counts = [0, 1, 1, 1, 2, 3, 5, 8, 10, 10, 16, 50, 64, 100, 200]
    let wholes = [count, count + 1, max(0, count - 1), .max]
    // all points of a large field are slow to rank: seldom, then
    if random.int(below: count > 3_000 ? 60 : 6) == 0 { return wholes[random.int(below: 4)] }
    let turn = random.int(below: counts.count + 3)
    return turn < counts.count ? counts[turn] : rank() + 1
  }

  /// A radius: the exact distance of a point and its neighbors in floating point, or a special one.
  private mutating func distance(among ranked: [Neighbor]) -> Double {
    let rim = ranked.isEmpty ? 1_000 : ranked[rank()].distance
    switch random.int(below: 12) {
    case 0, 1, 2, 3: return rim
    case 4, 5: return rim.nextUp
    case 6, 7: return max(0, rim.nextDown)
    case 8: return pow(10, random.double(in: -7...7.3))
    case 9: return rim * random.double(in: 0.99...1.01)
    case 10: return random.double(in: 399_900...400_100)
    default:
      let special = [
        0, .leastNonzeroMagnitude, 1e-300, 20_003_931.4586, 20_003_931.4587, 20_003_931.5,
        .infinity,
      ]
      return special[random.int(below: count > 3_000 ? 3 : special.count)]
    }
  }
}
