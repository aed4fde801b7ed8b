/// Sixteen numbers in ascending order, the least of all that were inserted.
///
/// All by minima and maxima, without a branch.
struct SortedKeys {
  static let count = 16

  private var pairs: EightPairs

  /// Two numbers that are greater than any other.
  static var top: SIMD2<Double> { SIMD2(repeating: .greatestFiniteMagnitude) }

  @inline(__always)
  init() {
    pairs = EightPairs { _ in Self.top }
  }

  /// The sixteen least of thirty-two numbers, which come as sixteen pairs.
  ///
  /// By sorting networks (K. E. Batcher, Sorting networks and their applications, 1968): two columns of
  /// sixteen side by side, then the two of them. Four columns of eight are sorted first, each pair of
  /// columns is merged. Then, for each i, the lesser of the i-th least of one and the i-th greatest of
  /// the other is one of the sixteen; they rise and then fall.
  @inline(__always)
  init(_ pair: (Int) -> SIMD2<Double>) {
    var low = EightPairs(pair)
    var high = EightPairs { pair($0 &+ 8) }
    low.sort()
    high.sort()
    (low, high) = (
      EightPairs { Self.lesser(low[$0], high[7 &- $0]) },
      EightPairs { Self.greater(low[7 &- $0], high[$0]) }
    )
    low.sortBitonic()
    high.sortBitonic()
    // pair i has the i-th and the (15 - i)-th number
    let least = EightPairs { Self.lesser(low[$0], Self.swapped(high[7 &- $0])) }
    var halves = EightPairs { index in
      let (one, other) = (least[index], Self.swapped(least[7 &- index]))
      return SIMD2(Self.lesser(one, other)[0], Self.greater(one, other)[0])
    }
    halves.sortBitonic()
    pairs = EightPairs { index in
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
    pairs = EightPairs { index in
      let before = index == 0 ? SIMD2(-1, old.a0[0]) : SIMD2(old[index &- 1][1], old[index][0])
      return Self.greater(before, Self.lesser(old[index], x))
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

  @inline(__always)
  fileprivate static func lesser(_ one: SIMD2<Double>, _ other: SIMD2<Double>) -> SIMD2<Double> {
    let isLess: SIMDMask<SIMD2<Int64>> = other .< one
    return one.replacing(with: other, where: isLess)
  }

  @inline(__always)
  fileprivate static func greater(_ one: SIMD2<Double>, _ other: SIMD2<Double>) -> SIMD2<Double> {
    let isLess: SIMDMask<SIMD2<Int64>> = one .< other
    return one.replacing(with: other, where: isLess)
  }
}

/// Eight pairs of numbers: two columns that are sorted in parallel.
private struct EightPairs {
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
    (one, other) = (SortedKeys.lesser(one, other), SortedKeys.greater(one, other))
  }
}
