import Foundation
import Testing

@testable import GeoIndex

struct KDTreeTests {
  @Test func `coordinates come back with their bits`() {
    let points = [Coordinate.at(-0.0, 180), .at(0, -180), .at(90, 12), .at(-90, -0.0)]
    let tree = KDTree(points + points)
    for index in 0..<8 {
      #expect(tree[index].latitude.bitPattern == points[index % 4].latitude.bitPattern)
      #expect(tree[index].longitude.bitPattern == points[index % 4].longitude.bitPattern)
    }
    #expect(tree.count == 8)
    #expect(!tree.isEmpty)
    #expect(KDTree([]).isEmpty)
  }

  @Test func `the same points give the same tree`() {
    var random = SplitMix64(stream: "twice")
    let points = Layout.clustered.coordinates(count: 3_000, using: &random)
    let (one, other) = (KDTree(points), KDTree(points))
    #expect(one.positions == other.positions)
    #expect(one.boxes == other.boxes)
  }

  @Test func `the order of the points changes indexes only`() {
    var random = SplitMix64(stream: "shuffle")
    let points = (0..<1_000).map { _ in random.coordinate() }
    let shuffled = points.shuffled(using: &random)
    let center = random.coordinate()
    let one = KDTree(points).nearest(to: center, count: 50)
    let other = KDTree(shuffled).nearest(to: center, count: 50)
    #expect(one.map { points[$0.index] } == other.map { shuffled[$0.index] })
    #expect(one.map(\.distance) == other.map(\.distance))
  }

  @Test func `a million equal points build and answer on a small stack`() async {
    #if DEBUG
    let count = 30_000
    #else
    let count = 1_000_000
    #endif
    let isRight = await withCheckedContinuation { continuation in
      let thread = Thread {
        let point = Coordinate.at(51.5, -0.1)
        let tree = KDTree(Array(repeating: point, count: count))
        let isRight =
          tree.nearest(to: point, count: 3).map(\.index) == [0, 1, 2]
          && tree.count(within: 1, of: point) == count
          && tree.count(in: .world) == count
          && tree.within(radius: 0, of: point).last?.index == count - 1
        continuation.resume(returning: isRight)
      }
      thread.stackSize = 512 * 1_024
      thread.start()
    }
    #expect(isRight)
  }
}
