package import GeoIndex

/// Whether positions are in an area, in integers of 128 bits: all numbers are multiples of 2⁻⁵⁰.
///
/// Unlike the index it counts the edges above a point, and looks at each.
package struct ExactArea {
  private typealias Point = (x: Int64, y: Int64)

  /// For each polygon its edges.
  private let polygons: [[(start: Point, end: Point)]]

  package init(_ area: Area) {
    polygons = area.polygons.map { rings in
      rings.flatMap { ring in
        let points = ring.map { (Self.integer($0.longitude), Self.integer($0.latitude)) }
        return zip(points, points.dropFirst()).map { ($0, $1) }
      }
    }
  }

  package func contains(_ coordinate: Coordinate) -> Bool {
    let y = Self.integer(coordinate.latitude)
    if coordinate.latitude.magnitude == 90 {
      return polygons.joined().contains { $0.start.y == y }
    }
    return (-2...2).contains { turn in
      let x = Self.integer(coordinate.longitude) + Self.integer(360) * Int64(turn)
      return polygons.contains { Self.hold($0, (x, y)) }
    }
  }

  private static func hold(_ edges: [(start: Point, end: Point)], _ point: Point) -> Bool {
    var isOdd = false
    for (start, end) in edges {
      let isBetween = (start.x > point.x) != (end.x > point.x)
      let isNear =
        min(start.x, end.x) <= point.x && point.x <= max(start.x, end.x)
        && min(start.y, end.y) <= point.y && point.y <= max(start.y, end.y)
      guard isBetween || isNear else { continue }
      let one = Int128(end.x - start.x) * Int128(point.y - start.y)
      let other = Int128(end.y - start.y) * Int128(point.x - start.x)
      if isNear, one == other { return true }
      // eastward, the edge is above if the point is to its right
      if isBetween, (one < other) == (end.x > start.x) { isOdd.toggle() }
    }
    return isOdd
  }

  /// A number in units of 2⁻⁵⁰.
  private static func integer(_ number: Double) -> Int64 {
    guard let integer = Int64(exactly: number * 0x1p50) else {
      preconditionFailure("\(number) is no multiple.")
    }
    return integer
  }

  /// The nearest multiple of 2⁻⁵⁰.
  package static func rounded(_ number: Double) -> Double { (number * 0x1p50).rounded() * 0x1p-50 }
}

/// Kinds of polygons that have broken some test for points in polygons before.
package enum AreaKind: String, CaseIterable, Sendable {
  case star
  case starWithHole
  case crossingRings
  case grid
  case slivers
  case stairs
  case manyParts
  case overlappingParts
  case beyondAntimeridian
  case cutAtAntimeridian
  case turnedTwice
  case polarCap
  case world
  case tiny
  case thousands

  /// An area of this kind; of `thousands`, with ten thousand vertices.
  package func area(using random: inout SplitMix64) throws -> Area {
    let center = (random.double(in: -170...170), random.double(in: -75...75))
    switch self {
    case .star:
      return try Area([[Self.star(center, 10, 3 + random.int(below: 40), &random)]])
    case .starWithHole:
      let rings = [10.0, 3, 2].map { Self.star(center, $0, 3 + random.int(below: 20), &random) }
      return try Area([rings])
    case .crossingRings:
      let count = 3 + random.int(below: 20)
      return try Area([(0..<2).map { _ in Self.scattered(center, count, &random) }])
    case .grid:
      let rings = (0..<2).map { _ in
        (0..<3 + random.int(below: 9)).map { _ in
          Self.vertex(Double(random.int(below: 5)) * 0.25, Double(random.int(below: 5)) * 0.25)
        }
      }
      return try Area([rings.map(Self.closed)])
    case .slivers:
      let end = (center.0 + random.double(in: -5...5), center.1 + random.double(in: -5...5))
      let middle = ((center.0 + end.0) / 2, (center.1 + end.1) / 2)
      let parts = (0..<3).map { _ in
        let corner = (middle.0.nextUp, random.int(below: 2) == 0 ? middle.1.nextDown : middle.1)
        return [Self.closed([center, end, corner].map(Self.vertex))]
      }
      return try Area(parts)
    case .stairs:
      let steps = (0...20).flatMap { (step: Int) in [(step, step), (step + 1, step)] }
      let ring = steps.map { Self.vertex(center.0 + Double($0.0), -60 + Double($0.1)) }
      return try Area([[Self.closed(ring + [Self.vertex(center.0 - 1, -39)])]])
    case .manyParts:
      return try Area(
        (0..<60).map { _ in
          let part = (center.0 + random.double(in: -9...9), center.1 + random.double(in: -9...9))
          return [Self.star(part, 0.8, 3 + random.int(below: 12), &random)]
        }
      )
    case .overlappingParts:
      return try Area(
        (0..<4).map { _ in [Self.star(center, 8, 3 + random.int(below: 30), &random)] }
      )
    case .beyondAntimeridian:
      let side = random.int(below: 2) == 0 ? 180.0 : -180
      return try Area([[Self.star((side, center.1), 12, 3 + random.int(below: 40), &random)]])
    case .cutAtAntimeridian:
      let (south, north) = (center.1 - 4.0, center.1 + 5.0)
      let west = [(175.0, south), (180, south), (180, north), (172, north)].map(Self.vertex)
      let east = [(-180.0, south), (-174, south), (-171, north), (-180, north)].map(Self.vertex)
      return try Area([[Self.closed(west)], [Self.closed(east)]])
    case .turnedTwice:
      let longitude = random.int(below: 2) == 0 ? 523.0 : -519
      return try Area([[Self.star((longitude, center.1), 12, 3 + random.int(below: 40), &random)]])
    case .polarCap:
      let latitude = random.double(in: 60...89.9)
      let pole = random.int(below: 2) == 0 ? 1.0 : -1
      let ring = [(-180.0, latitude), (0, latitude - 1), (180, latitude), (180, 90), (-180, 90)]
      return try Area([[Self.closed(ring.map { Self.vertex($0.0, $0.1 * pole) })]])
    case .world:
      let ring = [(-180.0, -90.0), (180, -90), (180, 90), (-180, 90)].map(Self.vertex)
      return try Area([[Self.closed(ring), Self.star(center, 10, 9, &random)]])
    case .tiny:
      let ring = (0..<5).map { _ in
        Self.vertex(
          0x1p-50 * Double(random.int(below: 9) - 4),
          0x1p-50 * Double(random.int(below: 9))
        )
      }
      return try Area([[Self.closed(ring)]])
    case .thousands:
      return try Area([
        [Self.star(center, 12, 7_000, &random), Self.star(center, 4, 3_000, &random)]
      ])
    }
  }

  /// A ring around a center, its corners at random distances of up to about `radius` degrees.
  package static func star(
    _ center: (longitude: Double, latitude: Double),
    _ radius: Double,
    _ count: Int,
    _ random: inout SplitMix64
  ) -> Area.Ring {
    closed(
      (0..<count).map { index in
        // the direction from a rational parametrization, without the C library
        let turn = 4 * (Double(index) + random.double(in: 0...0.9)) / Double(count)
        let t = turn.truncatingRemainder(dividingBy: 1)
        let (x, y) = ((1 - t * t) / (1 + t * t), 2 * t / (1 + t * t))
        let (east, north) = [(x, y), (-y, x), (-x, -y), (y, -x)][Int(turn) % 4]
        let distance = radius * random.double(in: 0.6...1)
        return vertex(center.longitude + east * distance, center.latitude + north * distance)
      }
    )
  }

  private static func scattered(
    _ center: (Double, Double),
    _ count: Int,
    _ random: inout SplitMix64
  ) -> Area.Ring {
    closed(
      (0..<count).map { _ in
        vertex(center.0 + random.double(in: -6...6), center.1 + random.double(in: -6...6))
      }
    )
  }

  private static func closed(_ vertices: [Area.Vertex]) -> Area.Ring {
    vertices + vertices.prefix(1)
  }

  private static func vertex(_ longitude: Double, _ latitude: Double) -> Area.Vertex {
    Area.Vertex(
      longitude: ExactArea.rounded(longitude),
      latitude: ExactArea.rounded(min(90, max(-90, latitude)))
    )
  }

  /// A position that is hard to decide: a corner, on an edge, an ulp away from it, level with a corner,
  /// on the antimeridian, at a pole, or anywhere near.
  package static func position(near area: Area, using random: inout SplitMix64) -> Coordinate {
    let rings = area.polygons[random.int(below: area.polygons.count)]
    let ring = rings[random.int(below: rings.count)]
    let index = random.int(below: ring.count - 1)
    let (start, end) = (ring[index], ring[index + 1])
    let share = random.double(in: 0...1)
    var longitude = start.longitude + (end.longitude - start.longitude) * share
    var latitude = start.latitude + (end.latitude - start.latitude) * share
    switch random.int(below: 8) {
    case 0: (longitude, latitude) = (start.longitude, start.latitude)
    case 1:
      longitude = (start.longitude + end.longitude) / 2
      latitude = (start.latitude + end.latitude) / 2
    case 2: longitude = random.int(below: 2) == 0 ? longitude.nextUp : longitude.nextDown
    case 3: latitude = random.int(below: 2) == 0 ? latitude.nextUp : latitude.nextDown
    case 4: (longitude, latitude) = (longitude + random.double(in: -9...9), start.latitude)
    case 5:
      longitude += random.double(in: -9...9)
      latitude += random.double(in: -9...9)
    case 6 where random.int(below: 4) == 0: latitude = random.int(below: 2) == 0 ? 90 : -90
    case 6 where random.int(below: 2) == 0: longitude = random.int(below: 2) == 0 ? 180 : -180
    default: break
    }
    let turned = Coordinate.at(latitude, longitude)
    return Coordinate.at(ExactArea.rounded(turned.latitude), ExactArea.rounded(turned.longitude))
  }
}
