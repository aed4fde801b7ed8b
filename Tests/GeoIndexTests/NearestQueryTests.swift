import Foundation
import TestSupport
import Testing

@testable import GeoIndex

/// The stages of a search: ``ClosestPoint``, ``TopK16``, ``TopK`` and ``RankedQuery``, through
/// the tree's queries.
struct NearestQueryTests {
  /// Counts on both sides of where one list takes over from another.
  private static let counts = [
    1, 2, TopK16.maximumCapacity - 1, TopK16.maximumCapacity,
    TopK16.maximumCapacity + 1, 100, 400,
  ]

  @Test(arguments: [1.0, 30_000, 390_000, 410_000, 1_900_000, 2_100_000, 19_000_000])
  func `points in a ring around the center are ordered, at any distance`(_ meters: Double) {
    var random = SplitMix64(stream: "ring \(meters)")
    #if DEBUG
    let spreads = [1e-9, 0.03]
    #else
    let spreads = [1e-9, 1e-6, 1e-4, 0.03]
    #endif
    for spread in spreads {
      let center = random.coordinate()
      let points = (0..<500).map { _ in
        random.step(from: center, meters: meters * (1 + random.double(in: 0...spread)))
      }
      let tree = KDTree(points)
      let ranked = LinearScan(coordinates: points).ranked(from: center)
      for count in Self.counts {
        let found = tree.nearest(to: center, count: count)
        #expect(
          found == Array(ranked.prefix(count)),
          "SEED=\(SplitMix64.seed) \(count) at \(meters) m, spread by \(spread)"
        )
      }
    }
  }

  @Test func `a point just beyond a stage by its chord may come before one just within`() {
    var random = SplitMix64(stream: "edge of a stage")
    for latitude in [0.0, 30, 60] {
      let center = Coordinate.at(latitude, 20)
      let points = (0..<60).map { _ in
        let far = random.step(from: center, meters: 400_000)
        let wanted = 400_000 + random.double(in: -0.1...0.1)
        var point = far
        var share = 1.0
        for _ in 0..<6 {
          share *=
            wanted / Chord(from: ECEFPoint(center), to: ECEFPoint(point)).squared.squareRoot()
          point = .at(
            latitude + share * (far.latitude - latitude),
            20 + share * (far.longitude - 20)
          )
        }
        return point
      }
      let tree = KDTree(points)
      let ranked = LinearScan(coordinates: points).ranked(from: center)
      for count in 1...60 {
        let found = tree.nearest(to: center, count: count)
        #expect(
          found == Array(ranked.prefix(count)),
          "SEED=\(SplitMix64.seed) \(count) at \(latitude) degrees"
        )
      }
    }
  }

  @Test func `points on both sides of each stage's limit are ordered`() {
    var random = SplitMix64(stream: "stages")
    for limit in [25_000.0, 400_000, 2_000_000] {
      for layout in 0..<3 {
        let center = random.coordinate()
        // before the limit, across it, and beyond with a few before
        let points = (0..<300).map { index in
          let share = [0.98...1.0, 0.99...1.01, index < 10 ? 0.9...1 : 1.0...1.02][layout]
          return random.step(from: center, meters: limit * random.double(in: share))
        }
        let tree = KDTree(points)
        let ranked = LinearScan(coordinates: points).ranked(from: center)
        for count in [1, 9, 10, 11, 24, 25, 150, 300] {
          let found = tree.nearest(to: center, count: count)
          #expect(
            found == Array(ranked.prefix(count)),
            "SEED=\(SplitMix64.seed) \(count), \(limit) m"
          )
        }
      }
    }
  }

  @Test(arguments: [1, 5, 24, 25, 100, 5_000])
  func `of many equal points the first are chosen`(_ count: Int) {
    #if DEBUG
    let size = 10_000
    #else
    let size = 100_000
    #endif
    let point = Coordinate.at(-33.9, 18.4)
    let tree = KDTree(Array(repeating: point, count: size))
    let odd = BitSet(capacity: size, stride(from: 1, to: size, by: 2))
    for center in [point, .at(-33.9, 18.5), .at(-30, 18), .at(0, 0), point.antipode] {
      let distance = center.distance(to: point)
      let expected = (0..<count).map { Neighbor(index: $0, distance: distance) }
      #expect(tree.nearest(to: center, count: count) == expected)
      #expect(tree.nearest(to: center, count: count, within: distance) == expected)
      let filtered = tree.nearest(to: center, count: count, where: odd).map(\.index)
      #expect(filtered == (0..<count).map { 2 * $0 + 1 })
      guard distance > 0 else { continue }
      #expect(tree.nearest(to: center, count: count, within: distance.nextDown).isEmpty)
    }
  }

  @Test func `equal distances to different points are ordered by index`() {
    // mirror images: by the meridian of the center, and by the equator with it
    var random = SplitMix64(stream: "mirrors")
    let offsets = (0..<400).map { _ in
      (Double(1 + random.int(below: 12)) / 64, Double(1 + random.int(below: 12)) / 64)
    }
    let points = offsets.flatMap { latitude, longitude in
      [
        Coordinate.at(latitude, 30 + longitude), .at(latitude, 30 - longitude),
        .at(-latitude, 30 + longitude), .at(-latitude, 30 - longitude),
      ]
    }.shuffled(using: &random)
    let tree = KDTree(points)
    for center in [Coordinate.at(0, 30), .at(0, -150), .at(0.1, 30), .at(90, 30)] {
      let ranked = LinearScan(coordinates: points).ranked(from: center)
      #expect(Set(ranked.map(\.distance)).count < ranked.count / 2)
      for count in 1...60 {
        #expect(tree.nearest(to: center, count: count) == Array(ranked.prefix(count)))
      }
      for count in [100, 500, 1_599, 1_600] {
        #expect(tree.nearest(to: center, count: count) == Array(ranked.prefix(count)))
      }
    }
  }

  @Test func `a search with a limit finds what lies before it, whatever its list`() {
    var random = SplitMix64(stream: "limits")
    for layout in [Layout.uniform, .clustered, .gridWithDuplicates] {
      let points = layout.coordinates(count: 1_500, using: &random)
      let tree = KDTree(points)
      for center in [points[0], random.coordinate(near: points[1], degrees: 2)] {
        let ranked = LinearScan(coordinates: points).ranked(from: center)
        for rank in [0, 3, 23, 24, 25, 60, 700] {
          let limit = ranked[rank].distance
          for count in Self.counts {
            let found = tree.nearest(to: center, count: count, within: limit)
            let expected = LinearScan.nearest(count, of: ranked, within: limit)
            #expect(found == expected, "SEED=\(SplitMix64.seed) \(layout), \(count), \(limit) m")
          }
        }
      }
    }
  }

  @Test(arguments: [1.0, 20_000, 300_000, 500_000, 1_200_000, 1_900_000, 5_000_000, 18_000_000])
  func `the greatest distance is closed, bit for bit`(_ meters: Double) {
    var random = SplitMix64(stream: "closed \(meters)")
    for _ in 0..<15 {
      let center = random.coordinate()
      let points = (0..<30).map { _ in random.step(from: center, meters: meters) }
      let tree = KDTree(points)
      let ranked = LinearScan(coordinates: points).ranked(from: center)
      for rank in [0, 7, 29] {
        let limit = ranked[rank].distance
        for (count, limit) in [(1, limit), (9, limit), (30, limit), (30, limit.nextDown)] {
          let found = tree.nearest(to: center, count: count, within: limit)
          let expected = LinearScan.nearest(count, of: ranked, within: limit)
          #expect(found == expected, "SEED=\(SplitMix64.seed) \(count) of \(center), \(limit) m")
        }
      }
    }
  }
}
