import TestSupport
import Testing

@testable import GeoIndex

struct BitSetTests {
  @Test func `an empty set holds nothing`() {
    let empty = BitSet(capacity: 0)
    #expect(empty.isEmpty)
    #expect(empty.count == 0)
    #expect(empty.capacity == 0)
    #expect(!BitSet(capacity: 65).contains(64))
  }

  @Test func `positions go in once`() {
    var set = BitSet(capacity: 130, [0, 63, 64, 129, 64])
    #expect(set.count == 4)
    #expect((0..<130).filter(set.contains) == [0, 63, 64, 129])
    set.insert(63)
    set.insert(1)
    #expect(set.count == 5)
    #expect(!set.isEmpty)
  }

  @Test func `sets are equal by what they hold and over how many`() {
    #expect(BitSet(capacity: 9, [3, 1]) == BitSet(capacity: 9, [1, 3]))
    #expect(BitSet(capacity: 9, [1]) != BitSet(capacity: 10, [1]))
    #expect(BitSet(capacity: 9, [1]) != BitSet(capacity: 9, [2]))
  }

  @Test func `a random set equals a Set`() {
    var random = SplitMix64(stream: "positions")
    let members = Set((0..<300).map { _ in random.int(below: 1_000) })
    let set = BitSet(capacity: 1_000, members)
    #expect(set.count == members.count)
    #expect((0..<1_000).allSatisfy { set.contains($0) == members.contains($0) })
  }

  @Test(arguments: [0, 1, 64, 65, 1_000])
  func `what is in both, in one only, or in either is that of Sets`(capacity: Int) {
    var random = SplitMix64(stream: "two sets \(capacity)")
    let (one, other) = (
      Set((0..<capacity).filter { _ in random.int(below: 2) == 0 }),
      Set((0..<capacity).filter { _ in random.int(below: 3) == 0 })
    )
    let (left, right) = (BitSet(capacity: capacity, one), BitSet(capacity: capacity, other))
    #expect(left.intersection(right) == BitSet(capacity: capacity, one.intersection(other)))
    #expect(left.subtracting(right) == BitSet(capacity: capacity, one.subtracting(other)))
    #expect(BitSet(all: capacity).subtracting(right).count == capacity - other.count)
    var both = left
    both.formUnion(right)
    #expect(both == BitSet(capacity: capacity, one.union(other)))
  }

  @Test func `the words hold 64 positions each, the lowest bit first`() {
    let set = BitSet(capacity: 128, [0, 63, 64, 127])
    let words = set.withUnsafeWords { [$0[0], $0[1], $0[2]] }
    let ends: UInt64 = 1 << 63 | 1
    #expect(words == [ends, ends, 0])
  }
}
