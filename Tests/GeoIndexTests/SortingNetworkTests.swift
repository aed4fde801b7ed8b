import TestSupport
import Testing

@testable import GeoIndex

struct SortingNetworkTests {
  private static func list(_ keys: SortingNetwork) -> [Double] {
    (0..<SortingNetwork.count).map { keys[$0] }
  }

  private static func keys(leastOf numbers: [Double]) -> SortingNetwork {
    SortingNetwork { SIMD2(numbers[2 * $0], numbers[2 * $0 + 1]) }
  }

  @Test func `of thirty-two numbers the sixteen least are kept in order`() {
    var random = SplitMix64(stream: "sorted keys")
    for turn in 0..<3_000 {
      let values = [2, 5, 33, 1_000][turn % 4]
      let numbers = (0..<32).map { _ in Double(random.int(below: values)) }
      #expect(Self.list(Self.keys(leastOf: numbers)) == Array(numbers.sorted().prefix(16)))
    }
  }

  @Test func `wherever the least are, they are found`() {
    // by the 0-1 principle a sorting network is right if it is for all zeros and ones
    for start in 0..<32 {
      for length in 0...32 {
        let numbers = (0..<32).map { (($0 - start + 32) % 32) < length ? 0.0 : 1.0 }
        #expect(Self.list(Self.keys(leastOf: numbers)) == Array(numbers.sorted().prefix(16)))
      }
    }
    var random = SplitMix64(stream: "zeros and ones")
    for _ in 0..<20_000 {
      let bits = random.next()
      let numbers = (0..<32).map { Double(bits >> UInt64($0) & 1) }
      #expect(Self.list(Self.keys(leastOf: numbers)) == Array(numbers.sorted().prefix(16)))
    }
  }

  @Test func `numbers that come one by one find their places`() {
    var random = SplitMix64(stream: "insert")
    for turn in 0..<300 {
      var keys = SortingNetwork()
      var expected: [Double] = Array(repeating: .greatestFiniteMagnitude, count: 16)
      for _ in 0..<40 {
        let number = Double(random.int(below: [3, 50, 100_000][turn % 3]))
        keys.insert(number)
        expected = Array((expected + [number]).sorted().prefix(16))
        #expect(Self.list(keys) == expected)
      }
    }
  }
}
