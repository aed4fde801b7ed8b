/// The candidates of a search for a few points: the sixteen closest by chord, in order.
///
/// A squared chord and the number of its candidate make one 64-bit key: the last six bits of a
/// chord are below the rounding. So the order is kept by ``SortedKeys``, without a branch that a
/// processor could guess wrong.
struct ShortList: TakingList {
  private(set) var limit: Double
  private(set) var limitKey: Int32

  private let capacity: Int
  private var keys = SortedKeys()
  private var candidateCount = 0
  private let slots: UnsafeMutablePointer<UInt32>

  /// The maximum number of points that can be searched for: one less than the number of keys, the
  /// last of which shows ties.
  static let greatestCapacity = SortedKeys.count - 1

  /// The candidates that have a number, and the bits of it.
  private static let greatestCandidateCount = 64
  private static let candidateBits: UInt64 = 63

  /// The bytes of scratch memory that a list needs.
  static let byteCount = greatestCandidateCount * MemoryLayout<UInt32>.stride

  /// Accounts for the six bits of a chord that a key does not have.
  private static let keySlack = 1 + 0x1p-44

  @inline(__always)
  init(capacity: Int, limit: Double, scratch: UnsafeMutableRawPointer) {
    self.capacity = capacity
    self.limit = limit
    limitKey = ChordBound.key(limit)
    slots = scratch.assumingMemoryBound(to: UInt32.self)
  }

  /// Whether enough points were found.
  var isFull: Bool { keys[capacity - 1] < .greatestFiniteMagnitude }

  /// Whether a point that was skipped may be as near along the ellipsoid as one in the list.
  var isTied: Bool { keys[capacity] <= limit }

  /// The slot of the point at an index of the list.
  @inline(__always)
  subscript(index: Int) -> Int { slot(of: keys[index]) }

  private func slot(of key: Double) -> Int {
    Int(slots[Int(truncatingIfNeeded: key.bitPattern & Self.candidateBits)])
  }

  @inline(__always)
  mutating func take(_ bits: UInt32, of scan: LeafScan, leaf: Int) {
    let first = UInt32(truncatingIfNeeded: leaf &* TreeShape.leafCapacity)
    if candidateCount == 0 {
      takeAll(of: scan, first: first)
    } else {
      insert(bits, of: scan, first: first)
    }
    let last = keys[capacity &- 1]
    guard last < .greatestFiniteMagnitude else { return }
    // the sum is for chords of zero, whose keys are their numbers alone
    let settled = ChordBound.settled(after: last) * Self.keySlack + .leastNormalMagnitude
    limit = min(limit, settled)
    limitKey = ChordBound.key(limit)
  }

  /// Starts with the points of a leaf that are within the limit; each lane is its candidate's number.
  @inline(__always)
  private mutating func takeAll(of scan: LeafScan, first: UInt32) {
    candidateCount = TreeShape.leafCapacity
    for lane in 0..<TreeShape.leafCapacity {
      slots[lane] = first &+ UInt32(truncatingIfNeeded: lane)
    }
    let limits = SIMD2<Double>(repeating: limit)
    var numbers = SIMD2<Int64>(0, 1)
    keys = SortedKeys { pair in
      let chords = scan.pair(pair)
      let bits = unsafeBitCast(chords, to: SIMD2<Int64>.self)
      let keys = (bits & Int64(bitPattern: ~Self.candidateBits)) | numbers
      numbers &+= 2
      let isWithin: SIMDMask<SIMD2<Int64>> = chords .<= limits
      return SortedKeys.top.replacing(
        with: unsafeBitCast(keys, to: SIMD2<Double>.self),
        where: isWithin
      )
    }
  }

  /// Adds points of a leaf one by one.
  @inline(__always)
  private mutating func insert(_ bits: UInt32, of scan: LeafScan, first: UInt32) {
    if candidateCount &+ bits.nonzeroBitCount > Self.greatestCandidateCount { renumber() }
    var rest = bits
    while rest != 0 {
      let lane = rest.trailingZeroBitCount
      rest &= rest &- 1
      let chord = scan[lane].bitPattern & ~Self.candidateBits
      keys.insert(Double(bitPattern: chord | UInt64(truncatingIfNeeded: candidateCount)))
      slots[candidateCount] = first &+ UInt32(truncatingIfNeeded: lane)
      candidateCount &+= 1
    }
  }

  /// Makes room for candidates: only those still in the list keep a number.
  @inline(never)
  private mutating func renumber() {
    let old = keys
    keys = SortedKeys()
    candidateCount = 0
    var kept: [Int] = []
    for index in 0..<SortedKeys.count where old[index] < .greatestFiniteMagnitude {
      kept.append(slot(of: old[index]))
    }
    for (number, slot) in kept.enumerated() {
      let chord = old[number].bitPattern & ~Self.candidateBits
      keys.insert(Double(bitPattern: chord | UInt64(number)))
      slots[number] = UInt32(slot)
    }
    candidateCount = kept.count
  }
}
