import TestSupport
import Testing

@testable import GeoIndex

struct RankBoundTests {
  @Test(arguments: NeighborSortTests.Spread.allCases)
  func `the bound is never below the value of the rank, and near it`(
    _ spread: NeighborSortTests.Spread
  ) {
    var random = SplitMix64(stream: "rank bound \(spread)")
    for count in [1, 2, 16, 100, 1_000] {
      for rank in Set([0, count / 2, count - 1]) {
        let values = (0..<2 * count).map { index in
          let distance = spread.distance(index, of: 2 * count, using: &random)
          return distance * distance
        }
        Self.check(values, start: count, rank: rank, "\(spread), \(rank) of \(count)")
      }
    }
  }

  /// Starts with some values and adds the others one by one.
  private static func check(_ values: [Double], start: Int, rank: Int, _ what: String) {
    withScratch(RankBound.byteCount) { scratch in
      var bound = RankBound(rank: rank, scratch: scratch)
      let greatest = values.prefix(start).max() ?? 0
      bound.restart(maximum: greatest)
      for value in values.prefix(start) { bound.add(value) }
      var sorted = values.prefix(start).sorted()
      for count in start...values.count {
        if count > start {
          let value = values[count - 1]
          bound.add(value)
          sorted.insert(value, at: sorted.firstIndex { $0 > value } ?? sorted.count)
        }
        bound.tighten()
        let most = bound.isCoarse ? greatest * 0x1p-15 : sorted[rank] * 33 / 32
        guard bound.bound >= sorted[rank], bound.bound <= max(most, .leastNormalMagnitude) else {
          Issue.record("SEED=\(SplitMix64.seed) \(what), \(count): \(bound.bound), \(sorted[rank])")
          continue
        }
      }
    }
  }
}
