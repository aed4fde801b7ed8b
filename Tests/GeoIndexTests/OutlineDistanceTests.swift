import TestSupport
import Testing

@testable import GeoIndex

struct OutlineDistanceTests {
  /// The least distance to a line by looking at many points of each edge, and again around the best ones.
  private static func least(from position: Coordinate, to lines: [Area.Ring]) -> Double {
    var best = Double.infinity
    for line in lines {
      for (start, end) in zip(line, line.dropFirst()) {
        func length(_ share: Double) -> Double {
          let share = min(1, max(0, share))
          return position.distance(
            to: .at(
              start.latitude + (end.latitude - start.latitude) * share,
              start.longitude + (end.longitude - start.longitude) * share
            )
          )
        }
        let count = 200
        // a degree has at most 111.7 km, so no point is nearer than its sample by more than a step
        let turn =
          (end.latitude - start.latitude).magnitude + (end.longitude - start.longitude).magnitude
        let step = 111_700 * turn / Double(count)
        let samples = (0...count).map { length(Double($0) / Double(count)) }
        let nearest = samples.indices.sorted { samples[$0] < samples[$1] }.prefix(3)
        for index in nearest where samples[index] - step < best {
          var (low, high) = (Double(index - 1) / Double(count), Double(index + 1) / Double(count))
          for _ in 0..<80 {
            let third = (high - low) / 3
            if length(low + third) < length(high - third) { high -= third } else { low += third }
          }
          best = min(best, samples[index], length((low + high) / 2))
        }
      }
    }
    return best
  }

  private static func tolerance(_ distance: Double) -> Double {
    distance < 100_000 ? 0.01 : distance < 1_000_000 ? distance * 1e-5 : distance * 0.005
  }

  @Test(arguments: AreaKind.allCases.filter { $0 != .thousands })
  func `the distance to an area – of any kind – is that of brute force`(_ kind: AreaKind) throws {
    var random = SplitMix64(stream: "outline \(kind.rawValue)")
    var outside = 0
    for _ in 0..<4 {
      let area = try kind.area(using: &random)
      for number in 0..<12 {
        let position =
          number % 3 == 0 ? random.coordinate() : AreaKind.position(near: area, using: &random)
        let distance = area.distance(from: position)
        if area.contains(position) {
          #expect(distance == 0)
          continue
        }
        let expected = Self.least(from: position, to: area.polygons.flatMap(\.self))
        outside += 1
        let error = distance - expected
        #expect(
          error < Self.tolerance(expected) && error > -1e-3,
          "SEED=\(SplitMix64.seed) \(kind.rawValue) \(position): \(distance), not \(expected)"
        )
      }
    }
    #expect(outside > 5)
  }

  @Test func `the distance to a box – also across the antimeridian – is that of its four edges`()
    throws
  {
    var random = SplitMix64(stream: "box distance")
    for _ in 0..<200 {
      let south = random.double(in: -90...80)
      let box = try #require(
        BoundingBox(
          west: random.double(in: -180...180),
          south: south,
          east: random.double(in: -180...180),
          north: random.double(in: south...min(90, south + 30))
        )
      )
      let position = random.coordinate()
      let distance = box.distance(from: position)
      if box.contains(position) {
        #expect(distance == 0)
        continue
      }
      let east = box.west > box.east ? box.east + 360 : box.east
      let corners = [
        (box.west, box.south), (east, box.south), (east, box.north), (box.west, box.north),
        (box.west, box.south),
      ].map { Area.Vertex(longitude: $0.0, latitude: $0.1) }
      let expected = Self.least(from: position, to: [corners])
      #expect((distance - expected).magnitude < Self.tolerance(expected), "\(box) \(position)")
    }
  }

  @Test func `a box extended to a position – has it and all that it had – and no more than needed`()
    throws
  {
    var random = SplitMix64(stream: "extended box")
    let longitudes = [-180, -179.9, -90, 0, 10, 170, 179.9, 180]
    for _ in 0..<5_000 {
      func longitude() -> Double {
        random.int(below: 2) == 0
          ? longitudes[random.int(below: longitudes.count)] : random.double(in: -180...180)
      }
      let south = random.double(in: -90...90)
      let box = try #require(
        BoundingBox(
          west: longitude(),
          south: south,
          east: longitude(),
          north: random.double(in: south...90)
        )
      )
      let latitudes = [-90, 90, south, random.double(in: -90...90)]
      let position = Coordinate.at(latitudes[random.int(below: 4)], longitude())
      let extended = box.extended(to: position)
      #expect(extended.contains(position), "\(box) \(position)")
      if box.contains(position) { #expect(extended == box) }
      for _ in 0..<10 {
        let other = Coordinate.at(random.double(in: box.south...box.north), longitude())
        if box.contains(other) { #expect(extended.contains(other), "\(box) \(position) \(other)") }
      }
      // one edge of each pair at most has moved, and only to the position
      #expect(extended.west == box.west || extended.east == box.east)
      for (edge, own) in [(extended.west, box.west), (extended.east, box.east)] {
        #expect(edge == own || edge == position.longitude)
      }
      #expect(extended.south == min(box.south, position.latitude))
      #expect(extended.north == max(box.north, position.latitude))
    }
  }

  @Test func `an outline of a million vertices – around a position – is measured in bounded work`()
    throws
  {
    let count = 200_000
    let ring = (0...count).map { number in
      let angle = Double(number % count) / Double(count) * 2 * .pi
      return Area.Vertex(
        longitude: 10 + 0.01 * CMath.cosine(angle),
        latitude: 0.01 * CMath.sine(angle)
      )
    }
    let hole = try Area([
      [
        [(9.0, -1.0), (11, -1), (11, 1), (9, 1), (9, -1)]
          .map { Area.Vertex(longitude: $0.0, latitude: $0.1) }, ring,
      ]
    ])
    let distance = hole.distance(from: .at(0, 10))
    #expect((distance - 1_105.74).magnitude < 0.1, "\(distance)")
  }
}
