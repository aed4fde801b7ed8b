/// A bound that keeps above the value of a rank while values come in, and stays close to it.
///
/// Counts the values in buckets by the first bits of their floating-point numbers: 32 to an octave, so
/// that a bound is at most 1/32 above the value, over sixteen octaves.
struct RankBound {
  private static let bucketCount = 512

  /// The bits of a number that a bucket does not tell: all but five of the fraction's 52.
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

  /// Forgets all values, to count such as are mostly at most the greatest.
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

  /// Lowers the bound as far as it can be.
  @inline(__always)
  mutating func tighten() {
    while within &- Int(counts[last]) > rank {
      within &-= Int(counts[last])
      last &-= 1
    }
  }

  /// Not below the value of the rank, once there are enough values.
  var bound: Double {
    Double(bitPattern: UInt64(truncatingIfNeeded: max(start &+ last &+ 1, 1)) &<< Self.bucketBits)
  }

  /// Whether the bound may be far above the value of the rank.
  var isCoarse: Bool { last == 0 }
}
