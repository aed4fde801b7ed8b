/// The candidates of a search for a few points: the sixteen closest by chord, in order.
///
/// A squared chord and the number of its candidate make one 64-bit key: the last six bits of a chord
/// are worth less than rounding. So the order is kept by minima and maxima alone, without a branch
/// that a processor could guess wrong: where a new key x goes into an ascending list a, the list
/// becomes a'(i) = max(a(i - 1), min(a(i), x)).
struct ShortList: CandidateList {
  private(set) var limit: Double
  private(set) var limitKey: Int32

  private let capacity: Int
  private var keys = SortedKeys()
  private var candidateCount = 0
  private let slots: UnsafeMutablePointer<UInt32>

  /// The most points that can be searched for: one less than there are keys, which tells of ties.
  static let greatestCapacity = SortedKeys.count - 1

  private static let candidateBits: UInt64 = 63

  /// The bytes of scratch memory that a list needs.
  static let byteCount = 64 * MemoryLayout<UInt32>.stride

  /// Covers the six bits of a chord that a key gives away.
  private static let keySlack = 1 + 0x1p-44

  @inline(__always)
  init(capacity: Int, limit: Double, scratch: UnsafeMutableRawPointer) {
    self.capacity = capacity
    self.limit = limit
    limitKey = ChordBound.key(limit)
    slots = scratch.assumingMemoryBound(to: UInt32.self)
  }

  /// Whether as many points were found as were searched for.
  var isFull: Bool { keys[capacity - 1] < .greatestFiniteMagnitude }

  /// Whether a point that was left out may be as near along the ellipsoid as one in the list.
  var isTied: Bool { keys[capacity] <= limit }

  /// The slot of the point at a place of the list.
  @inline(__always)
  subscript(index: Int) -> Int { slot(of: keys[index]) }

  private func slot(of key: Double) -> Int {
    Int(slots[Int(truncatingIfNeeded: key.bitPattern & Self.candidateBits)])
  }

  @inline(__always)
  mutating func take(_ bits: UInt32, of scan: LeafScan, leaf: Int) {
    if candidateCount > 64 - TreeShape.leafCapacity { renumber() }
    let first = UInt32(truncatingIfNeeded: leaf &* TreeShape.leafCapacity)
    var rest = bits
    while rest != 0 {
      let lane = rest.trailingZeroBitCount
      rest &= rest &- 1
      let chord = scan[lane].bitPattern & ~Self.candidateBits
      keys.insert(Double(bitPattern: chord | UInt64(truncatingIfNeeded: candidateCount)))
      slots[candidateCount] = first &+ UInt32(truncatingIfNeeded: lane)
      candidateCount &+= 1
    }
    let last = keys[capacity &- 1]
    guard last < .greatestFiniteMagnitude else { return }
    // the sum is for chords of zero, whose keys are their numbers alone
    let settled = ChordBound.settled(after: last) * Self.keySlack + .leastNormalMagnitude
    limit = min(limit, settled)
    limitKey = ChordBound.key(limit)
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

/// Sixteen numbers in ascending order.
private struct SortedKeys {
  static let count = 16

  private var a0 = top
  private var a1 = top
  private var a2 = top
  private var a3 = top
  private var a4 = top
  private var a5 = top
  private var a6 = top
  private var a7 = top

  private static var top: SIMD2<Double> { SIMD2(repeating: .greatestFiniteMagnitude) }

  /// Puts a number in; the greatest drops out.
  @inline(__always)
  mutating func insert(_ number: Double) {
    let x = SIMD2<Double>(repeating: number)
    a7 = Self.greater(Self.between(a6, a7), Self.lesser(a7, x))
    a6 = Self.greater(Self.between(a5, a6), Self.lesser(a6, x))
    a5 = Self.greater(Self.between(a4, a5), Self.lesser(a5, x))
    a4 = Self.greater(Self.between(a3, a4), Self.lesser(a4, x))
    a3 = Self.greater(Self.between(a2, a3), Self.lesser(a3, x))
    a2 = Self.greater(Self.between(a1, a2), Self.lesser(a2, x))
    a1 = Self.greater(Self.between(a0, a1), Self.lesser(a1, x))
    a0 = Self.greater(SIMD2(-1, a0[0]), Self.lesser(a0, x))
  }

  /// The number at a place, 0..<16.
  @inline(__always)
  subscript(index: Int) -> Double {
    var copy = self
    return withUnsafeBytes(of: &copy) {
      $0.load(fromByteOffset: index &* MemoryLayout<Double>.stride, as: Double.self)
    }
  }

  /// The numbers before each of a pair's: the last of the pair before, and its own first.
  @inline(__always)
  private static func between(_ one: SIMD2<Double>, _ other: SIMD2<Double>) -> SIMD2<Double> {
    SIMD2(one[1], other[0])
  }

  @inline(__always)
  private static func lesser(_ one: SIMD2<Double>, _ other: SIMD2<Double>) -> SIMD2<Double> {
    let isLess: SIMDMask<SIMD2<Int64>> = other .< one
    return one.replacing(with: other, where: isLess)
  }

  @inline(__always)
  private static func greater(_ one: SIMD2<Double>, _ other: SIMD2<Double>) -> SIMD2<Double> {
    let isLess: SIMDMask<SIMD2<Int64>> = one .< other
    return one.replacing(with: other, where: isLess)
  }
}
