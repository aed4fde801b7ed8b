import Testing

@testable import GeoIndex

struct NodeLanesTests {
  /// A lane's bounds to a place: of the squared chord, and of that on the stretched ellipsoid.
  private struct Bounds {
    let nearest: Double
    let nearestStretched: Double
    let farthest: Double

    init(_ tree: KDTree, _ lane: TreeLane, to origin: ECEFPoint) {
      let lanes = NodeLanes(tree.view.nodes, node: lane.node, half: lane.lane / 4)
      (nearest, farthest) = withScratch(FloatPoint.byteCount) { scratch in
        let place = FloatPoint(origin, axialWeight: 1, scratch: scratch)
        return (
          Double(lanes.nearestSquared(to: place)[lane.lane % 4]),
          Double(lanes.farthestSquared(to: place)[lane.lane % 4])
        )
      }
      nearestStretched = withScratch(FloatPoint.byteCount) { scratch in
        let weight = Ellipsoid.axisRatioSquared
        let place = FloatPoint(origin, axialWeight: weight, scratch: scratch)
        return Double(lanes.nearestSquared(to: place)[lane.lane % 4])
      }
    }
  }

  @Test(arguments: Layout.allCases)
  func `bounds hold for every point of a lane`(_ layout: Layout) {
    let rounding = 1 + 4e-7
    for size in [1, 17, 288, 1_100] {
      let scenario = Scenario(layout, size: size, centerCount: 9)
      let tree = scenario.tree
      for center in scenario.centers {
        let origin = ECEFPoint(center)
        for lane in TreeLane.all(of: tree) where !lane.slots.isEmpty {
          let chords = lane.sites(in: tree).map { Chord(from: origin, to: $0) }
          let bounds = Bounds(tree, lane, to: origin)
          let isTrue = chords.allSatisfy { chord in
            let stretched =
              chord.equatorialSquared + chord.axialSquared * Ellipsoid.axisRatioSquared
            return bounds.nearest <= chord.squared * rounding
              && bounds.nearestStretched <= stretched * rounding
              && bounds.farthest * rounding >= chord.squared
          }
          #expect(isTrue, "\(scenario): node \(lane.node), lane \(lane.lane) from \(center)")
        }
      }
    }
  }

  @Test func `an empty lane is infinitely far`() {
    let scenario = Scenario(.uniform, size: 288, centerCount: 7)
    let empty = TreeLane.all(of: scenario.tree).filter(\.slots.isEmpty)
    #expect(empty.count == 6 + 7)
    for lane in empty {
      for center in scenario.centers {
        let bounds = Bounds(scenario.tree, lane, to: ECEFPoint(center))
        #expect(bounds.nearest == .infinity)
        #expect(bounds.nearestStretched == .infinity)
        #expect(bounds.farthest == .infinity)
      }
    }
  }

  @Test func `bounds are sharp to a few meters`() {
    let scenario = Scenario(.uniform, size: 1_100, centerCount: 7)
    for center in scenario.centers {
      let origin = ECEFPoint(center)
      let place = [origin.x, origin.y, origin.z]
      for lane in TreeLane.all(of: scenario.tree) where !lane.slots.isEmpty {
        let box = lane.box(in: scenario.tree)
        var (nearest, farthest) = (0.0, 0.0)
        for axis in 0..<3 {
          let gap = max(0, box.low[axis] - place[axis], place[axis] - box.high[axis])
          let reach = max(box.high[axis] - place[axis], place[axis] - box.low[axis])
          nearest += gap * gap
          farthest += reach * reach
        }
        let bounds = Bounds(scenario.tree, lane, to: origin)
        #expect(nearest.squareRoot() - bounds.nearest.squareRoot() < 8)
        #expect(bounds.farthest.squareRoot() - farthest.squareRoot() < 8)
      }
    }
  }
}
