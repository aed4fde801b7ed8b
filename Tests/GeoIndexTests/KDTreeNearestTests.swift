import TestSupport
import Testing

@testable import GeoIndex

struct KDTreeNearestTests {
  @Test(arguments: Layout.allCases)
  func `nearest equals a sorted linear scan bit for bit`(_ layout: Layout) {
    var queries = 0
    for scenario in Scenario.all(of: layout) {
      for center in scenario.centers {
        queries += Self.check(scenario, from: center)
      }
    }
    #if !DEBUG
    #expect(queries >= 2_000)
    #endif
  }

  /// All counts and limits from one center; returns how many queries that was.
  private static func check(_ scenario: Scenario, from center: Coordinate) -> Int {
    let tree = scenario.tree
    let ranked = scenario.scan.ranked(from: center)
    let counts = [0, 1, 2, 10, tree.count, tree.count + 1]
    let median = ranked.isEmpty ? 1_000 : ranked[ranked.count / 2].distance
    let limits = [0, median, median.nextDown, median.nextUp, .infinity].filter { $0 >= 0 }
    var queries = 0
    for allowed in [nil, scenario.filter] {
      for count in counts {
        scenario.expect(
          tree.nearest(to: center, count: count, where: allowed),
          equals: LinearScan.nearest(count, of: ranked, where: allowed),
          "nearest \(count) to \(center), filtered: \(allowed != nil)"
        )
      }
      for limit in limits {
        scenario.expect(
          tree.nearest(to: center, count: 7, within: limit, where: allowed),
          equals: LinearScan.nearest(7, of: ranked, within: limit, where: allowed),
          "nearest 7 to \(center) within \(limit), filtered: \(allowed != nil)"
        )
      }
      queries += counts.count + limits.count
    }
    return queries
  }

  @Test(arguments: Layout.allCases)
  func `a search with a limit of steps gives the same answer or none`(_ layout: Layout) {
    for scenario in Scenario.all(of: layout) {
      for center in scenario.centers {
        for (count, steps) in [(1, 0), (1, 8), (7, 20), (100, 60), (100, 1_000)] {
          let found = scenario.tree.nearest(to: center, count: count, within: 1e6, steps: steps)
          guard let found else { continue }
          #expect(found == scenario.tree.nearest(to: center, count: count, within: 1e6))
        }
      }
    }
  }

  @Test func `a search with a limit of steps answers near points, and gives up far from all`() {
    var random = SplitMix64(stream: "steps")
    let town = Coordinate.at(32.95, -96.82)
    let tree = KDTree((0..<50_000).map { _ in random.coordinate(near: town, degrees: 0.5) })
    #expect(tree.nearest(to: town, count: 100, within: .infinity, steps: 100)?.count == 100)
    for far in [Coordinate.at(90, 0), .at(-32.95, 83.18)] {
      #expect(tree.nearest(to: far, count: 100, within: .infinity, steps: 100) == nil)
    }
    #expect(tree.nearest(to: .at(90, 0), count: 9, within: 1_000, steps: 100) == [])
    #expect(KDTree([]).nearest(to: town, count: 1, within: 1, steps: 0) == [])
  }

  @Test func `equally far points come by index, and the lower ones are kept`() {
    let point = Coordinate.at(10, 20)
    let tree = KDTree(Array(repeating: point, count: 100))
    let found = tree.nearest(to: point, count: 3)
    #expect(found == (0..<3).map { Neighbor(index: $0, distance: 0) })
    let mirrored = KDTree([.at(1, 0), .at(0, 1), .at(0, -1), .at(-1, 0)])
    #expect(mirrored.nearest(to: .at(0, 0), count: 4).map(\.index) == [0, 3, 1, 2])
    #expect(mirrored.nearest(to: .at(0, 0), count: 1).map(\.index) == [0])
    #expect(mirrored.nearest(to: .at(0, 0), count: 3).map(\.index) == [0, 3, 1])
  }

  @Test func `the nearest cities to Paris come in order`() {
    let cities: [(String, Coordinate)] = [
      ("New York", .at(40.7128, -74.0060)), ("Berlin", .at(52.52, 13.405)),
      ("Brussels", .at(50.8503, 4.3517)), ("London", .at(51.5074, -0.1278)),
      ("Madrid", .at(40.4168, -3.7038)), ("Sydney", .at(-33.8688, 151.2093)),
    ]
    let tree = KDTree(cities.map(\.1))
    let found = tree.nearest(to: .at(48.8566, 2.3522), count: 4)
    #expect(found.map { cities[$0.index].0 } == ["Brussels", "London", "Berlin", "Madrid"])
  }

  @Test func `a neighbor across the antimeridian is near`() throws {
    let tree = KDTree([.at(0, 179.99), .at(0, -179), .at(0, -179.995)])
    let found = tree.nearest(to: .at(0, -179.999), count: 2)
    #expect(found.map(\.index) == [2, 0])
    let farther = try #require(found.last)
    #expect(farther.distance < 1_300)
  }

  @Test func `longitude does not matter at a pole`() {
    let tree = KDTree([.at(90, 0), .at(90, 77), .at(89.9999, -100)])
    let found = tree.nearest(to: .at(90, -45), count: 3)
    #expect(found.map(\.index) == [0, 1, 2])
    #expect(found[0].distance == 0)
    #expect(found[1].distance == 0)
  }

  @Test func `an empty tree and a count of zero give nothing`() {
    #expect(KDTree([]).nearest(to: .at(0, 0), count: 5) == [])
    #expect(KDTree([.at(0, 0)]).nearest(to: .at(0, 0), count: 0) == [])
  }

  @Test func `turning all longitudes by 45 degrees moves no distance by more than 0.1 um`() {
    var random = SplitMix64(stream: "turn")
    let points = (0..<300).map { _ in random.coordinate() }
    let center = random.coordinate()
    let before = KDTree(points).nearest(to: center, count: 300)
    for turn in stride(from: 45.0, to: 360, by: 45) {
      let turned = points.map { Coordinate.at($0.latitude, $0.longitude + turn) }
      let after = KDTree(turned).nearest(
        to: .at(center.latitude, center.longitude + turn),
        count: 300
      )
      for (one, other) in zip(before, after) {
        #expect(abs(one.distance - other.distance) < 1e-7)
      }
    }
  }
}
