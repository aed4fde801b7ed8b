import Foundation
import TestSupport
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

  /// Whether two trees have the same bytes.
  private static func isSame(_ one: KDTree, _ other: KDTree) -> Bool {
    one.byteCount == other.byteCount
      && memcmp(one.storage.base, other.storage.base, one.byteCount) == 0
  }

  @Test(arguments: Layout.allCases)
  func `the same points give the same tree, byte for byte, on any number of threads`(
    _ layout: Layout
  ) {
    // above the 20 000 points from which on a subtree is a task of its own
    #if DEBUG
    let sizes = [0, 1, 17, 1_000] + (layout == .clustered ? [21_000] : [])
    #else
    let sizes = [0, 1, 17, 3_000, 70_000]
    #endif
    for size in sizes {
      var random = SplitMix64(stream: "threads \(layout)")
      let points = layout.coordinates(count: size, using: &random)
      let tree = KDTree(points, threads: 1)
      #expect(Self.isSame(tree, KDTree(points)), "\(layout) \(size)")
      for threads in [2, 3, 8] {
        let other = KDTree(points, threads: threads)
        #expect(Self.isSame(tree, other), "\(layout) \(size), \(threads) threads")
      }
    }
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
    let count = 20_000
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
