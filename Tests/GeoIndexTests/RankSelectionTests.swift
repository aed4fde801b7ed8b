import TestSupport
import Testing

@testable import GeoIndex

struct RankSelectionTests {
  private static func selected(_ rank: Int, of values: [UInt64]) -> UInt64? {
    // room for as many again, which starts as what would be selected wrongly
    var copy = values + values.map { _ in 0 }
    return copy.withUnsafeMutableBufferPointer { buffer in
      buffer.baseAddress.map {
        RankSelection.value(ofRank: rank, in: $0, count: values.count)
      }
    }
  }

  @Test(arguments: SplitRecordsTests.Pattern.allCases)
  func `the value at a rank is that of a sorted list`(_ pattern: SplitRecordsTests.Pattern) {
    var random = SplitMix64(stream: "rank \(pattern)")
    for count in Array(1...40) + [100, 1_000, 20_000] {
      let values = (0..<count).map { UInt64(pattern.value($0, of: count, using: &random)) }
      let sorted = values.sorted()
      for rank in Set([0, 1, count / 4, count / 2, count - 2, count - 1])
      where sorted.indices ~= rank {
        #expect(
          Self.selected(rank, of: values) == sorted[rank],
          "SEED=\(SplitMix64.seed) \(pattern), \(rank) of \(count)"
        )
      }
    }
  }

  @Test func `bits of lengths are ordered as the lengths are, infinity included`() {
    let lengths = [
      Double.infinity, 0, 1e300, .leastNonzeroMagnitude, 1, 1.0.nextUp, 2, 0, 3, 4, 5, 6, 7, 8,
    ]
    let bits = lengths.map(\.bitPattern)
    for (rank, length) in lengths.sorted().enumerated() {
      #expect(Self.selected(rank, of: bits) == length.bitPattern)
    }
  }
}
