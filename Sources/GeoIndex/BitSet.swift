/// A set of positions in a collection, one bit each.
///
/// Queries with a set return only points whose position is in it. Sets that are combined have one
/// capacity; that takes O(capacity / 64).
///
/// ```swift
/// var pizzerias = BitSet(capacity: tree.count)
/// pizzerias.insert(17)
/// let nearest = tree.nearest(to: paris, count: 5, where: pizzerias)
/// ```
public struct BitSet: Sendable, Hashable {
  /// The count of the collection: positions are 0..<capacity.
  public let capacity: Int

  private var words: [UInt64]

  /// Makes an empty set over the positions 0..<capacity.
  ///
  /// - Parameter capacity: the count of the collection, zero or more.
  /// - Complexity: O(capacity).
  public init(capacity: Int) {
    precondition(capacity >= 0, "The capacity of a position set must not be negative.")
    self.capacity = capacity
    words = Array(repeating: 0, count: capacity / 64 + 1)
  }

  /// Makes a set of positions in 0..<capacity, in any order; repeats count once.
  public init(capacity: Int, _ positions: some Sequence<Int>) {
    self.init(capacity: capacity)
    for position in positions {
      insert(position)
    }
  }

  /// Makes a set of capacity / 64 + 1 words, the lowest bit first; bits beyond the capacity are off.
  package init(capacity: Int, words: consuming [UInt64]) {
    precondition(words.count == capacity / 64 + 1, "A set needs a bit for each position.")
    self.capacity = capacity
    count = words.reduce(0) { $0 &+ $1.nonzeroBitCount }
    self.words = words
  }

  /// The number of positions in the set.
  public private(set) var count = 0

  /// Whether no position is in the set.
  public var isEmpty: Bool { count == 0 }

  /// Adds a position in 0..<capacity; does nothing if it is already in the set.
  public mutating func insert(_ position: Int) {
    checkRange(of: position)
    let bit: UInt64 = 1 << UInt64(position & 63)
    count += words[position >> 6] & bit == 0 ? 1 : 0
    words[position >> 6] |= bit
  }

  /// Whether a position in 0..<capacity is in the set.
  public func contains(_ position: Int) -> Bool {
    checkRange(of: position)
    return words[position >> 6] & (1 << UInt64(position & 63)) != 0
  }

  /// The positions that are also in another set.
  public func intersection(_ other: BitSet) -> BitSet {
    var both = self
    both.combine(with: other, &)
    return both
  }

  /// The positions that are not in another set.
  public func subtracting(_ other: BitSet) -> BitSet {
    var rest = self
    rest.combine(with: other) { $0 & ~$1 }
    return rest
  }

  /// Adds the positions of another set.
  public mutating func formUnion(_ other: BitSet) { combine(with: other, |) }

  @inline(__always)
  private mutating func combine(with other: BitSet, _ operation: (UInt64, UInt64) -> UInt64) {
    precondition(capacity == other.capacity, "Sets that meet must have the same capacity.")
    count = 0
    for index in words.indices {
      words[index] = operation(words[index], other.words[index])
      count += words[index].nonzeroBitCount
    }
  }

  /// Makes a set of all positions.
  package init(all capacity: Int) {
    var words = [UInt64](repeating: .max, count: capacity / 64 + 1)
    words[capacity / 64] = (1 << UInt64(capacity % 64)) - 1
    self.init(capacity: capacity, words: words)
  }

  /// Visits the positions of some sets in ascending order, each with the sets that have it.
  ///
  /// - Parameters:
  ///   - sets: at most 64, of one capacity.
  ///   - body: receives a position, and a bit for each set that has it, the lowest for the first.
  /// - Throws: what the body throws.
  /// - Complexity: O((capacity / 64 + positions) · sets).
  package static func visitUnion<Failure>(
    of sets: [BitSet],
    _ body: (_ position: Int, _ members: UInt64) throws(Failure) -> Void
  ) throws(Failure) {
    precondition(sets.count <= 64, "At most 64 sets are visited together.")
    var row = [UInt64](repeating: 0, count: sets.count)
    for index in 0..<(sets.first?.words.count ?? 0) {
      var rest: UInt64 = 0
      for set in sets.indices {
        row[set] = sets[set].words[index]
        rest |= row[set]
      }
      for bit in SetBits(rest) {
        var members: UInt64 = 0
        for set in row.indices { members |= (row[set] &>> UInt64(bit) & 1) &<< UInt64(set) }
        try body(index &* 64 &+ bit, members)
      }
    }
  }

  /// The number of positions in the set below one.
  ///
  /// - Complexity: O(capacity / 64).
  package func count(below position: Int) -> Int {
    let end = min(position, capacity)
    guard end > 0 else { return 0 }
    var count = 0
    for index in 0..<end >> 6 { count &+= words[index].nonzeroBitCount }
    let rest: UInt64 = (1 << UInt64(end & 63)) - 1
    return count + (words[end >> 6] & rest).nonzeroBitCount
  }

  /// The positions of the set with some ranks, 0 for the least of them.
  ///
  /// - Parameter ranks: in 0..<count.
  /// - Returns: the positions, ascending.
  /// - Complexity: O(capacity / 64 + ranks).
  package func positions(ranks: Range<Int>) -> [UInt32] {
    var found: [UInt32] = []
    found.reserveCapacity(ranks.count)
    var rank = 0
    for (index, word) in words.enumerated() where word != 0 {
      let bits = word.nonzeroBitCount
      defer { rank += bits }
      guard rank + bits > ranks.lowerBound else { continue }
      for (current, bit) in zip(rank..., SetBits(word)) {
        if current >= ranks.upperBound { return found }
        if current >= ranks.lowerBound { found.append(UInt32(index << 6 + bit)) }
      }
    }
    return found
  }

  /// Visits the positions of the set in ascending order.
  ///
  /// - Complexity: O(capacity / 64 + count).
  package func visit(_ body: (Int) -> Void) {
    words.withUnsafeBufferPointer { words in
      // most sets are sparse: four words at a time are usually empty
      for start in stride(from: 0, to: words.count, by: 4) {
        let end = min(start &+ 4, words.count)
        var any: UInt64 = 0
        for index in start..<end { any |= words[index] }
        guard any != 0 else { continue }
        for index in start..<end {
          for bit in SetBits(words[index]) { body(index &* 64 &+ bit) }
        }
      }
    }
  }

  /// Runs a body over the words of the set: 64 positions each, the lowest bit first.
  func withUnsafeWords<Result>(
    _ body: (UnsafePointer<UInt64>) throws -> Result
  ) rethrows -> Result {
    try words.withUnsafeBufferPointer { buffer in
      // there is at least one word
      guard let base = buffer.baseAddress else { preconditionFailure("A set has words.") }
      return try body(base)
    }
  }

  /// The number of leaves that a search can filter in the time that scanning the whole set takes.
  ///
  /// Measured: 0.5 ns a word and 8 ns a position against 120 ns a leaf.
  var leafBudget: Int { 8 + (words.count / 2 + 8 * count) / 120 }

  private func checkRange(of position: Int) {
    precondition(
      position >= 0 && position < capacity,
      "A position must be in the range of its set, 0..<capacity."
    )
  }
}

/// A filter in the form that a search uses: the words of a ``BitSet`` and its tree.
struct FilterMask {
  /// The words of a set over the tree's count, which must outlive the value.
  let words: UnsafePointer<UInt64>

  let view: TreeView

  /// The number of leaves that may be filtered before another method is faster.
  let leafBudget: Int

  /// Whether a position is in the set.
  func contains(_ position: Int) -> Bool {
    words[position &>> 6] & (1 &<< UInt64(truncatingIfNeeded: position & 63)) != 0
  }

  /// A bit for each of a leaf's given points that is in the set.
  func restrict(_ bits: UInt32, leaf: Int) -> UInt32 {
    var allowed: UInt32 = 0
    for lane in SetBits(bits) {
      let slot = leaf &* TreeShape.leafCapacity &+ lane
      allowed |= contains(view.position(atSlot: slot)) ? 1 &<< UInt32(lane) : 0
    }
    return allowed
  }

  /// The number of points of a run of leaves that are in the set.
  func count(inLeaves leaves: Range<Int>) -> Int { leaves.reduce(0) { $0 &+ count(inLeaf: $1) } }

  /// The number of points of a leaf that are in the set.
  func count(inLeaf leaf: Int) -> Int {
    let positions = view.positions(ofLeaf: leaf)
    let last = UInt32(truncatingIfNeeded: view.shape.pointCount &- 1)
    var count: UInt64 = 0
    for lane in 0..<view.shape.slots(ofLeaf: leaf).count {
      // a damaged file may hold any number here
      let position = min(positions[lane], last)
      count &+= (words[Int(position &>> 6)] &>> UInt64(position & 63)) & 1
    }
    return Int(truncatingIfNeeded: count)
  }
}

/// The numbers of a word's bits that are set, in ascending order.
struct SetBits<Word: FixedWidthInteger>: Sequence, IteratorProtocol {
  private var rest: Word
  init(_ word: Word) { rest = word }
  mutating func next() -> Int? {
    guard rest != 0 else { return nil }
    defer { rest &= rest &- 1 }
    return rest.trailingZeroBitCount
  }
}
