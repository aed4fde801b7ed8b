import Foundation
import GeoIndex

extension QueryField {
  /// A random box: around a point, with edges on points, across the antimeridian, polar, of no width.
  mutating func box() -> BoundingBox {
    let edges = random.int(below: 3) == 0 ? specialEdges() : nudged(edgesAroundAPoint())
    let box = BoundingBox(
      west: edges.west,
      south: min(edges.south, edges.north),
      east: edges.east,
      north: max(edges.south, edges.north)
    )
    return box ?? .world
  }

  private typealias Edges = (west: Double, south: Double, east: Double, north: Double)

  /// Between two points, or some way around one, each power of ten as likely as another.
  private mutating func edgesAroundAPoint() -> Edges {
    let one = point()
    if Bool.random(using: &random) {
      let other = point()
      return (one.longitude, one.latitude, other.longitude, other.latitude)
    }
    let half = (pow(10, random.double(in: -9...2.2)), pow(10, random.double(in: -9...1.9)))
    let low = Coordinate.at(one.latitude - half.1, one.longitude - half.0)
    let high = Coordinate.at(one.latitude + half.1, one.longitude + half.0)
    return (low.longitude, low.latitude, high.longitude, high.latitude)
  }

  /// The same edges, or some of them moved to the next number.
  private mutating func nudged(_ edges: Edges) -> Edges {
    guard random.int(below: 3) == 0 else { return edges }
    return (
      max(-180, Bool.random(using: &random) ? edges.west.nextUp : edges.west.nextDown),
      Bool.random(using: &random) ? edges.south : max(-90, edges.south.nextDown),
      min(180, Bool.random(using: &random) ? edges.east.nextUp : edges.east.nextDown),
      Bool.random(using: &random) ? edges.north : min(90, edges.north.nextUp)
    )
  }

  private mutating func specialEdges() -> Edges {
    let one = point()
    let (latitude, longitude) = (one.latitude, one.longitude)
    let third = random.coordinate()
    let all: [Edges] = [
      (-180, -90, 180, 90), (180, -90, 180, 90), (-180, -90, -180, 90), (180, -90, -180, 90),
      (longitude, latitude, longitude, latitude), (longitude, -90, longitude, 90),
      (-180, latitude, 180, latitude), (180, -90, longitude, 90), (longitude, -90, -180, 90),
      (longitude, -90, 180, 90), (-180, -90, longitude, 90), (-180, latitude, 180, 90),
      (longitude, third.latitude, max(-180, longitude.nextDown), 90),
      (min(180, longitude.nextUp), -90, longitude, third.latitude),
      (random.double(in: 90...180), -60, random.double(in: -180 ... -90), 60),
      (third.longitude, 90 - random.tiny(), longitude, 90),
      (third.longitude, -90, longitude, random.tiny() - 90),
      (third.longitude, 90, longitude, 90), (third.longitude, -90, longitude, -90),
      (-90, -30, 90, 30), (90, -90, -90, 90), (-179, latitude, 179, latitude), (0, 0, 0, 0),
      (third.longitude, third.latitude, longitude, latitude), (-0.0, -90, 0, 90),
    ]
    return all[random.int(below: all.count)]
  }
}

extension QueryFilter {
  /// Filters of many densities, scattered and all in one place; the first lets everything through.
  static func all(
    over coordinates: [Coordinate],
    using random: inout SplitMix64
  ) -> [QueryFilter] {
    let count = coordinates.count
    var filters = [QueryFilter(name: "none", positions: nil)]
    for divisor in [1, 3, 100, 1_000] {
      let members = (0..<count).filter { _ in random.int(below: divisor) == 0 }
      let positions = BitSet(capacity: count, members)
      filters.append(QueryFilter(name: "1/\(divisor)", positions: positions))
    }
    let single = (0..<min(1, count)).map { _ in random.int(below: count) }
    let middle = coordinates.map(\.latitude).sorted().dropFirst(count / 2).first ?? 0
    let southern = (0..<count).filter { coordinates[$0].latitude < middle }
    return filters + [
      QueryFilter(name: "empty", positions: BitSet(capacity: count)),
      QueryFilter(name: "single", positions: BitSet(capacity: count, single)),
      QueryFilter(name: "southern half", positions: BitSet(capacity: count, southern)),
    ]
  }
}
