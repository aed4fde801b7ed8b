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
      for count in start...values.count {
        if count > start { bound.add(values[count - 1]) }
        bound.tighten()
        let value = values.prefix(count).sorted()[rank]
        let place = "SEED=\(SplitMix64.seed) \(what), \(count)"
        #expect(bound.bound >= value, "\(place)")
        if bound.isCoarse {
          #expect(bound.bound <= max(greatest * 0x1p-15, .leastNormalMagnitude), "\(place)")
        } else {
          #expect(bound.bound <= max(value * 33 / 32, .leastNormalMagnitude), "\(place)")
        }
      }
    }
  }
}
