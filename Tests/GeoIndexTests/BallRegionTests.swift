import TestSupport
import Testing

@testable import GeoIndex

struct BallRegionTests {
  #if DEBUG
  private static let sizes = [3, 288]
  #else
  private static let sizes = [3, 288, 1_100]
  #endif

  @Test(arguments: Layout.allCases)
  func `what is said of a lane holds for each of its points`(_ layout: Layout) {
    for size in Self.sizes {
      let scenario = Scenario(layout, size: size, centerCount: 7)
      let lanes = TreeLane.all(of: scenario.tree)
      for center in scenario.centers {
        let ranked = scenario.scan.ranked(from: center)
        let rims = [0, ranked.count / 9, ranked.count / 2, ranked.count - 1].map {
          ranked[$0].distance
        }
        let radii: [Double] = rims.flatMap { [$0, $0.nextDown, $0 * 1.000_001] }
        for radius in radii + [0, 5_000, 2e7, .infinity] where radius >= 0 {
          Self.check(scenario, lanes, radius: radius, of: center)
        }
      }
    }
  }

  private static func check(
    _ scenario: Scenario,
    _ lanes: [TreeLane],
    radius: Double,
    of center: Coordinate
  ) {
    let tree = scenario.tree
    withScratch(BallRegion.byteCount) { scratch in
      let ball = BallRegion(radius: radius, of: ECEFPoint(center), scratch: scratch)
      for lane in lanes {
        let relation = LaneRelation(of: lane.node, in: tree.view, to: ball)
        let isTouched = relation.touched & 1 << UInt32(lane.lane) != 0
        let isInside = relation.inside & 1 << UInt32(lane.lane) != 0
        if isTouched && !isInside && !lane.slots.isEmpty { continue }
        let members = lane.sites(in: tree).map { $0.coordinate.distance(to: center) <= radius }
        let place = "\(scenario): node \(lane.node), lane \(lane.lane), \(radius) m of \(center)"
        #expect(isTouched || !members.contains(true), "\(place) is said to be outside")
        #expect(!isInside || !members.contains(false), "\(place) is said to be inside")
        #expect(!lane.slots.isEmpty || !isTouched, "\(place) is empty")
      }
    }
  }

  @Test(arguments: PairKind.allCases)
  func `a point is contained where its reported distance is`(_ kind: PairKind) {
    var random = SplitMix64(stream: "ball \(kind)")
    for _ in 0..<300 {
      let (one, other) = kind.pair(using: &random)
      let tree = KDTree([other])
      let distance = one.distance(to: other)
      for radius in [
        distance, distance.nextUp, distance.nextDown, distance * 0.999, distance * 1.001,
      ]
      where radius >= 0 {
        withScratch(BallRegion.byteCount) { scratch in
          var probe = NoProbe()
          let ball = BallRegion(radius: radius, of: ECEFPoint(one), scratch: scratch)
          let isInside = ball.contains(0, of: tree.view, &probe)
          #expect(isInside == (distance <= radius), "\(one) to \(other), \(radius) m")
          let chord = Chord(from: ECEFPoint(one), to: ECEFPoint(other)).squared
          #expect(!isInside || chord <= ball.touchedSquared, "\(one) to \(other), \(radius) m")
          #expect(chord > ball.insideSquared || isInside, "\(one) to \(other), \(radius) m")
        }
      }
    }
  }

  @Test func `lanes away from the rim are not cut`() {
    let (center, point) = (Coordinate.at(45, 0), Coordinate.at(45, 15))
    let tree = KDTree([point])
    let distance = center.distance(to: point)
    for (radius, isTouched, isInside) in [
      (distance * 0.99, false, false), (distance, true, false), (distance * 1.01, true, true),
    ] {
      withScratch(BallRegion.byteCount) { scratch in
        let ball = BallRegion(radius: radius, of: ECEFPoint(center), scratch: scratch)
        let lanes = LaneRelation(of: 0, in: tree.view, to: ball)
        #expect((lanes.touched != 0) == isTouched)
        #expect((lanes.inside != 0) == isInside)
      }
    }
  }
}
