import TestSupport
import Testing

@testable import GeoIndex

struct RadixSortTests {
  @Test func `positions ascend`() {
    var random = SplitMix64(stream: "ascend")
    for bound in [
      1, 2, 255, 256, 2_047, 2_048, 2_049, 100_000, 1 << 22, 1 << 22 + 1, 4_294_967_294,
    ] {
      for count in [0, 1, 2, 255, 256, 257, 258, 3_000] {
        var positions = (0..<count).map { _ in random.int(below: bound) }
        if let last = positions.indices.last { positions[last] = bound - 1 }
        let expected = positions.sorted()
        RadixSort.sort(&positions, below: bound)
        #expect(positions == expected, "SEED=\(SplitMix64.seed) \(count) below \(bound)")
      }
    }
  }
}
