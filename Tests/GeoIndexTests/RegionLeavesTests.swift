import Testing

@testable import GeoIndex

struct RegionLeavesTests {
  @Test func `runs that follow each other are joined`() {
    withUnsafeTemporaryAllocation(byteCount: RegionLeaves.byteCount, alignment: 16) { memory in
      guard let scratch = memory.baseAddress else { return }
      var found = RegionLeaves(scratch: scratch)
      defer { found.deallocate() }
      found.take(2..<3)
      found.take(3..<7)
      found.take(9..<10)
      found.cut(8)
      #expect(Array(found.runs) == [2..<7, 9..<10])
      #expect(Array(found.cutLeaves) == [8])
      #expect(found.leafCount == 7)
      var leaves: [Int] = []
      found.visit { leaf, isWhole in leaves.append(isWhole ? leaf : -leaf) }
      #expect(leaves == [2, 3, 4, 5, 6, 9, -8])
    }
  }

  @Test func `a buffer keeps what is appended while it grows`() {
    withUnsafeTemporaryAllocation(byteCount: 4 * 8, alignment: 16) { memory in
      guard let scratch = memory.baseAddress else { return }
      var buffer = GrowingBuffer<Int>(scratch: scratch, room: 4)
      defer { buffer.deallocate() }
      for number in 0..<10_000 {
        buffer.append(number)
      }
      buffer[77] = -1
      #expect(buffer.count == 10_000)
      #expect((0..<10_000).allSatisfy { buffer[$0] == ($0 == 77 ? -1 : $0) })
    }
  }
}
