import Testing

@testable import GeoIndex

struct ParallelTests {
  @Test(arguments: [1, 2, 3, 8, 100])
  func `the parts of a range are the range, in order`(_ threads: Int) {
    for range in [0..<0, 5..<5, 5..<6, 0..<2, 3..<1_003] {
      let parts = Parallel.mapParts(of: range, threads: threads) { $0 }
      #expect(parts.flatMap { Array($0) } == Array(range))
      #expect(parts.count == min(threads, max(1, range.count)))
    }
  }

  @Test func `each number is met once`() {
    for count in [0, 1, 2, 100] {
      let met = TreeStorage(byteCount: 128)
      Parallel.forEach(count) { number in
        let byte = met.base.load(fromByteOffset: number, as: UInt8.self)
        met.base.storeBytes(of: byte + 1, toByteOffset: number, as: UInt8.self)
      }
      let bytes = (0..<128).map { met.base.load(fromByteOffset: $0, as: UInt8.self) }
      #expect(bytes == (0..<128).map { $0 < count ? 1 : 0 })
    }
  }

  @Test func `there is a core`() {
    #expect(Parallel.coreCount >= 1)
  }
}
