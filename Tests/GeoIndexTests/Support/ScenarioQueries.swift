import GeoIndex
import TestSupport

extension Scenario {
  /// The exact distance of some point, or some length if there is none.
  mutating func radius(of ranked: [Neighbor]) -> Double {
    ranked.randomElement(using: &random)?.distance ?? 1_000
  }

  /// Boxes of every kind, with edges on points among them.
  mutating func boxes() -> [BoundingBox] {
    let one = point()
    let other = point()
    let third = random.coordinate()
    let (south, north) = (
      min(one.latitude, other.latitude), max(one.latitude, other.latitude)
    )
    let edges: [(west: Double, south: Double, east: Double, north: Double)] = [
      (one.longitude, south, other.longitude, north),
      (other.longitude, south, one.longitude, north),
      (one.longitude.nextUp, south.nextUp, other.longitude, north),
      (one.longitude, south, other.longitude.nextDown, north.nextDown),
      (one.longitude, one.latitude, one.longitude, one.latitude),
      (one.longitude, -90, one.longitude, 90),
      (-180, one.latitude, 180, one.latitude),
      (third.longitude, min(third.latitude, south), other.longitude, max(third.latitude, south)),
      (random.double(in: 90...180), -60, random.double(in: -180 ... -90), 60),
      (third.longitude, 89.8, one.longitude, 90),
      (third.longitude, -90, one.longitude, -89.7),
      (180, -90, 180, 90), (-180, -90, -180, 90), (180, -90, -180, 90),
      (180, -90, one.longitude, 90), (one.longitude, -90, -180, 90),
      (-90, -30, 90, 30), (90, -90, -90, 90), (-179, south, 179, north),
      (one.longitude, south, one.longitude.nextDown, north),
    ]
    return [.world]
      + edges.compactMap {
        BoundingBox(west: $0.west, south: $0.south, east: $0.east, north: $0.north)
      }
  }

  private mutating func point() -> Coordinate {
    coordinates.randomElement(using: &random) ?? .at(1, 2)
  }
}
