/// Sorts neighbors by (distance, index).
enum NeighborSort {
  /// Up to this count, insertion is fastest.
  private static let fewCount = 24

  /// The number of insertion steps from which another method is faster.
  private static func maximumStepCount(_ count: Int) -> Int { max(24 * count, 10_000) }

  /// Sorts in place.
  ///
  /// With an even density, the squares of the distances are evenly distributed. So the neighbors
  /// are put into one bucket each by this square, and insertion does the rest; if the distribution
  /// is too uneven, the library's sort is used.
  ///
  /// - Parameter neighbors: distances are zero or more and finite.
  /// - Complexity: O(n) if density is even, O(n log n) at worst.
  static func sort(_ neighbors: UnsafeMutableBufferPointer<Neighbor>) {
    if neighbors.count <= fewCount || scatter(neighbors) {
      insertionSort(neighbors)
    } else {
      var rest = neighbors
      rest.sort()
    }
  }

  /// Groups neighbors by buckets of d²; false if they are too full to be of use.
  private static func scatter(_ neighbors: UnsafeMutableBufferPointer<Neighbor>) -> Bool {
    let count = neighbors.count
    guard let base = neighbors.baseAddress else { return true }
    var maximum = 0.0
    // by magnitude, so that no distance from a damaged file has a bucket beyond the last
    for index in 0..<count { maximum = max(maximum, base[index].distance.magnitude) }
    let scale = Double(count - 1) / (maximum * maximum)
    guard scale.isFinite, scale > 0 else { return false }
    let copy = UnsafeMutablePointer<Neighbor>.allocate(capacity: count)
    let ends = UnsafeMutablePointer<UInt32>.allocate(capacity: 2 * count)
    defer {
      copy.deallocate()
      ends.deallocate()
    }
    let buckets = ends + count
    ends.initialize(repeating: 0, count: count)
    for index in 0..<count {
      let neighbor = base[index]
      // the sum is rounded to a whole number, which its last bits are then
      let place = neighbor.distance * neighbor.distance * scale + 0x1p52
      let bucket = UInt32(truncatingIfNeeded: place.bitPattern)
      copy[index] = neighbor
      buckets[index] = bucket
      ends[Int(bucket)] &+= 1
    }
    var (end, steps) = (UInt32(0), 0)
    for index in 0..<count {
      let size = ends[index]
      steps &+= Int(size) &* Int(size)
      end &+= size
      ends[index] = end
    }
    guard steps <= maximumStepCount(count) else { return false }
    // the ends count down to the starts
    for index in 0..<count {
      let bucket = Int(buckets[index])
      ends[bucket] &-= 1
      base[Int(ends[bucket])] = copy[index]
    }
    return true
  }

  private static func insertionSort(_ neighbors: UnsafeMutableBufferPointer<Neighbor>) {
    guard let base = neighbors.baseAddress else { return }
    for index in 1..<max(1, neighbors.count) {
      let neighbor = base[index]
      var place = index
      while place > 0 {
        let other = base[place &- 1]
        guard neighbor < other else { break }
        base[place] = other
        place &-= 1
      }
      base[place] = neighbor
    }
  }
}

/// Sorts by the digits of numbers, from the lowest (radix sort): O(n) for each digit.
enum RadixSort {
  private static let digitBits = 11

  /// Sorts positions in 0..<bound.
  @inline(__always)
  static func sort(_ positions: inout [some FixedWidthInteger], below bound: Int) {
    guard positions.count > 256 else {
      positions.sort()
      return
    }
    sort(&positions, below: bound) { Int(truncatingIfNeeded: $0) }
  }

  /// Sorts items by numbers in 0..<bound; equal ones keep their order.
  @inline(__always)
  static func sort<Item>(_ items: inout [Item], below bound: Int, by number: (Item) -> Int) {
    let mask = 1 << digitBits - 1
    var other = items
    var shift = 0
    while bound &>> shift > 0 {
      withUnsafeTemporaryAllocation(of: Int.self, capacity: mask + 1) { starts in
        starts.initialize(repeating: 0)
        for item in items {
          starts[(number(item) &>> shift) & mask] &+= 1
        }
        var start = 0
        for digit in starts.indices {
          (starts[digit], start) = (start, start + starts[digit])
        }
        for item in items {
          let digit = (number(item) &>> shift) & mask
          other[starts[digit]] = item
          starts[digit] &+= 1
        }
      }
      swap(&items, &other)
      shift += digitBits
    }
  }
}

/// A bound that stays above the value at a rank while values are added, and close to it.
///
/// Counts the values in buckets by the first bits of their floating-point numbers: 32 to an octave, so
/// that a bound is at most 1/32 above the value, over sixteen octaves.
struct RankBound {
  private static let bucketCount = 512

  /// The bits of a number that do not affect its bucket: all but five of the fraction's 52.
  private static let bucketBits: UInt64 = 47

  /// The bytes of memory that it needs: a counter more, of values beyond the range.
  static let byteCount = (bucketCount + 1) * MemoryLayout<UInt32>.stride

  private let counts: UnsafeMutablePointer<UInt32>
  private let rank: Int

  /// The first bits of the numbers in the first bucket, which takes the lesser ones as well.
  private var start = 0

  /// The bucket with the value of the rank, and how many values are in it and below.
  private var last = 0
  private var within = 0

  /// - Parameters:
  ///   - rank: how many values are before the one that is bounded.
  ///   - scratch: `byteCount` bytes, which must outlive the value.
  init(rank: Int, scratch: UnsafeMutableRawPointer) {
    self.rank = rank
    counts = scratch.bindMemory(to: UInt32.self, capacity: Self.bucketCount + 1)
  }

  /// Forgets all values, to count values that are mostly at most `maximum`.
  mutating func restart(maximum: Double) {
    counts.initialize(repeating: 0, count: Self.bucketCount + 1)
    start = Int(maximum.bitPattern >> Self.bucketBits) - (Self.bucketCount - 1)
    (last, within) = (Self.bucketCount - 1, 0)
  }

  /// Counts a value, zero or more.
  @inline(__always)
  mutating func add(_ value: Double) {
    let place = Int(truncatingIfNeeded: value.bitPattern &>> Self.bucketBits) &- start
    let bucket = max(0, min(place, Self.bucketCount))
    counts[bucket] &+= 1
    within &+= bucket <= last ? 1 : 0
  }

  /// Lowers the bound as far as possible.
  @inline(__always)
  mutating func tighten() {
    while within &- Int(counts[last]) > rank {
      within &-= Int(counts[last])
      last &-= 1
    }
  }

  /// At least the value of the rank, once there are enough values.
  var bound: Double {
    Double(bitPattern: UInt64(truncatingIfNeeded: max(start &+ last &+ 1, 1)) &<< Self.bucketBits)
  }

  /// Whether the bound may be far above the value of the rank.
  var isCoarse: Bool { last == 0 }
}

/// Sixteen numbers in ascending order, the least of all that were inserted.
///
/// All by minima and maxima, without a branch.
struct SortingNetwork {
  static let count = 16

  private var pairs: NetworkColumns

  /// Two numbers that are greater than any other.
  static var top: SIMD2<Double> { SIMD2(repeating: .greatestFiniteMagnitude) }

  @inline(__always)
  init() {
    pairs = NetworkColumns { _ in Self.top }
  }

  /// The sixteen least of thirty-two numbers, which come as sixteen pairs.
  ///
  /// By sorting networks (K. E. Batcher, Sorting networks and their applications, 1968): two columns of
  /// sixteen side by side, then the two of them. Four columns of eight are sorted first, each pair of
  /// columns is merged. Then, for each i, the lesser of the i-th least of one and the i-th greatest of
  /// the other is one of the sixteen; they rise and then fall.
  @inline(__always)
  init(_ pair: (Int) -> SIMD2<Double>) {
    var low = NetworkColumns(pair)
    var high = NetworkColumns { pair($0 &+ 8) }
    low.sort()
    high.sort()
    (low, high) = (
      NetworkColumns { lesser(low[$0], high[7 &- $0]) },
      NetworkColumns { greater(low[7 &- $0], high[$0]) }
    )
    low.sortBitonic()
    high.sortBitonic()
    // pair i has the i-th and the (15 - i)-th number
    let lower = NetworkColumns { lesser(low[$0], Self.swapped(high[7 &- $0])) }
    var halves = NetworkColumns { index in
      let (one, other) = (lower[index], Self.swapped(lower[7 &- index]))
      return SIMD2(lesser(one, other)[0], greater(one, other)[0])
    }
    halves.sortBitonic()
    pairs = NetworkColumns { index in
      let half = index / 4
      let first = 2 &* index &- 8 &* half
      return SIMD2(halves[first][half], halves[first &+ 1][half])
    }
  }

  /// Inserts a number, and drops the greatest.
  ///
  /// After inserting x into an ascending list a, the list is a'(i) = max(a(i - 1), min(a(i), x)).
  @inline(__always)
  mutating func insert(_ number: Double) {
    let x = SIMD2<Double>(repeating: number)
    let old = pairs
    pairs = NetworkColumns { index in
      let before = index == 0 ? SIMD2(-1, old.a0[0]) : SIMD2(old[index &- 1][1], old[index][0])
      return greater(before, lesser(old[index], x))
    }
  }

  /// The number at a place, 0..<16.
  @inline(__always)
  subscript(index: Int) -> Double {
    var copy = pairs
    return withUnsafeBytes(of: &copy) {
      $0.load(fromByteOffset: index &* MemoryLayout<Double>.stride, as: Double.self)
    }
  }

  @inline(__always)
  private static func swapped(_ pair: SIMD2<Double>) -> SIMD2<Double> { SIMD2(pair[1], pair[0]) }
}

/// Eight pairs of numbers: two columns that are sorted in parallel.
private struct NetworkColumns {
  var a0, a1, a2, a3, a4, a5, a6, a7: SIMD2<Double>

  @inline(__always)
  init(_ pair: (Int) -> SIMD2<Double>) {
    (a0, a1, a2, a3) = (pair(0), pair(1), pair(2), pair(3))
    (a4, a5, a6, a7) = (pair(4), pair(5), pair(6), pair(7))
  }

  /// The pair at a place, 0..<8, which must be a literal after inlining.
  @inline(__always)
  subscript(index: Int) -> SIMD2<Double> {
    switch index {
    case 0: a0
    case 1: a1
    case 2: a2
    case 3: a3
    case 4: a4
    case 5: a5
    case 6: a6
    default: a7
    }
  }

  /// Sorts both columns.
  ///
  /// Not inlined: next to each other in one function, networks need more registers than there are.
  @inline(never)
  mutating func sort() {
    Self.order(&a0, &a2)
    Self.order(&a1, &a3)
    Self.order(&a4, &a6)
    Self.order(&a5, &a7)
    Self.order(&a0, &a4)
    Self.order(&a1, &a5)
    Self.order(&a2, &a6)
    Self.order(&a3, &a7)
    Self.order(&a0, &a1)
    Self.order(&a2, &a3)
    Self.order(&a4, &a5)
    Self.order(&a6, &a7)
    Self.order(&a2, &a4)
    Self.order(&a3, &a5)
    Self.order(&a1, &a4)
    Self.order(&a3, &a6)
    Self.order(&a1, &a2)
    Self.order(&a3, &a4)
    Self.order(&a5, &a6)
  }

  /// Sorts columns that rise and then fall, or are a rotation of such.
  ///
  /// Not inlined either.
  @inline(never)
  mutating func sortBitonic() {
    Self.order(&a0, &a4)
    Self.order(&a1, &a5)
    Self.order(&a2, &a6)
    Self.order(&a3, &a7)
    Self.order(&a0, &a2)
    Self.order(&a1, &a3)
    Self.order(&a4, &a6)
    Self.order(&a5, &a7)
    Self.order(&a0, &a1)
    Self.order(&a2, &a3)
    Self.order(&a4, &a5)
    Self.order(&a6, &a7)
  }

  @inline(__always)
  private static func order(_ one: inout SIMD2<Double>, _ other: inout SIMD2<Double>) {
    (one, other) = (lesser(one, other), greater(one, other))
  }
}
