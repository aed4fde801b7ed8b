/// Selection of the value at a rank without sorting.
///
/// Quickselect (C. A. R. Hoare, Communications of the ACM 4, 1961, Algorithm 65). Each partition
/// copies the lesser values forward and the others to a second place, without a branch.
enum RankSelection {
  /// The value that has `rank` others before it in ascending order.
  ///
  /// - Parameters:
  ///   - rank: in 0..<count.
  ///   - values: `count` values and room for `count` more; overwritten.
  ///   - count: one or more.
  /// - Returns: the value.
  /// - Complexity: O(count) expected.
  static func value(
    ofRank rank: Int,
    in values: UnsafeMutablePointer<UInt64>,
    count: Int
  ) -> UInt64 {
    var (source, other) = (values, values + count)
    var (rank, count) = (rank, count)
    while count > 12 {
      let pivot = median(source[0], source[count / 2], source[count - 1])
      var lesser = divide(source, count, before: pivot, others: other)
      if lesser == 0 {
        // the pivot is the least value: those equal to it come first; all are in the copy, whereas
        // each was also written over the first
        swap(&source, &other)
        lesser = divide(source, count, before: pivot + 1, others: other)
        if rank < lesser { return pivot }
      }
      if rank < lesser {
        count = lesser
      } else {
        rank -= lesser
        count -= lesser
        swap(&source, &other)
      }
    }
    sort(source, count)
    return source[rank]
  }

  @inline(__always)
  private static func median(_ one: UInt64, _ two: UInt64, _ three: UInt64) -> UInt64 {
    max(min(one, two), min(max(one, two), three))
  }

  /// Moves the values below a pivot to the front and copies the others elsewhere.
  ///
  /// - Returns: how many are below the pivot.
  private static func divide(
    _ values: UnsafeMutablePointer<UInt64>,
    _ count: Int,
    before pivot: UInt64,
    others: UnsafeMutablePointer<UInt64>
  ) -> Int {
    var lesser = 0
    for index in 0..<count {
      let value = values[index]
      others[index &- lesser] = value
      values[lesser] = value
      lesser &+= value < pivot ? 1 : 0
    }
    return lesser
  }

  private static func sort(_ values: UnsafeMutablePointer<UInt64>, _ count: Int) {
    for index in 0..<count {
      let value = values[index]
      var place = index
      while place > 0, values[place &- 1] > value {
        values[place] = values[place &- 1]
        place &-= 1
      }
      values[place] = value
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

  /// Forgets all values, to count values that are mostly at most `greatest`.
  mutating func restart(greatest: Double) {
    counts.initialize(repeating: 0, count: Self.bucketCount + 1)
    start = Int(greatest.bitPattern >> Self.bucketBits) - (Self.bucketCount - 1)
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
