import TestSupport
import Testing

@testable import GeoIndex

struct KDTreeBatchTests {
  /// Whether two lists are the same, bit for bit.
  private static func isSame(_ one: some Collection<Neighbor>, _ other: [Neighbor]) -> Bool {
    one.elementsEqual(other) {
      $0.index == $1.index && $0.distance.bitPattern == $1.distance.bitPattern
    }
  }

  @Test(arguments: Layout.allCases)
  func `many searches at once give what they give one by one`(_ layout: Layout) {
    // enough centers for the threads to get a part each
    #if DEBUG
    let (sizes, centerCount) = ([1, 200], 130)
    #else
    let (sizes, centerCount) = ([1, 17, 1_000], 520)
    #endif
    for size in sizes {
      let scenario = Scenario(layout, size: size, centerCount: centerCount)
      let tree = scenario.tree
      for (count, limit) in [(0, .infinity), (1, .infinity), (10, 30_000.0)] {
        for allowed in [nil, scenario.filter] {
          let single = scenario.centers.map {
            tree.nearest(to: $0, count: count, within: limit, where: allowed)
          }
          for threads in [nil, 1, 2, 8] {
            let lists = tree.nearest(
              to: scenario.centers,
              count: count,
              within: limit,
              where: allowed,
              threads: threads
            )
            #expect(lists.count == single.count)
            let isEqual = zip(lists, single).allSatisfy { Self.isSame($0, $1) }
            #expect(isEqual, "\(scenario): \(count) within \(limit), \(threads ?? 0) threads")
          }
        }
      }
    }
  }

  @Test func `all points for each center`() {
    let scenario = Scenario(.gridWithDuplicates, size: 100, centerCount: 130)
    let lists = scenario.tree.nearest(to: scenario.centers, count: 101, threads: 2)
    for (center, list) in zip(scenario.centers, lists) {
      #expect(Self.isSame(list, scenario.scan.ranked(from: center)))
    }
  }

  @Test func `no centers have no lists, and an empty tree has empty ones`() {
    let tree = KDTree([.at(1, 2)])
    let none = tree.nearest(to: [Coordinate](), count: 3)
    #expect(none.isEmpty)
    #expect(none.startIndex == none.endIndex)
    let empty = KDTree([]).nearest(to: [.at(0, 0), .at(1, 1)], count: 3)
    #expect(empty.map(Array.init) == [[], []])
  }

  @Test func `the lists are a collection`() {
    let tree = KDTree([.at(0, 0), .at(0, 1), .at(0, 2)])
    let lists = tree.nearest(to: [.at(0, 2.1), .at(0, 0.2), .at(0, 1)], count: 2)
    #expect(lists.count == 3)
    #expect(lists[0].map(\.index) == [2, 1])
    #expect(lists[1].map(\.index) == [0, 1])
    #expect(lists[2].map(\.index) == [1, 2] || lists[2].map(\.index) == [1, 0])
    #expect(lists.last?.first?.index == 1)
    #expect(lists.map { $0.count }.reduce(0, +) == 6)
    #expect(lists.reversed().map { $0.first?.index } == [1, 0, 2])
  }
}
