/// What a point is split by: its value along an axis, then its position, so that no two are equal.
struct SplitKey: Comparable {
  var value: Double
  let position: UInt32

  static func < (lhs: SplitKey, rhs: SplitKey) -> Bool {
    lhs.value < rhs.value || (lhs.value == rhs.value && lhs.position < rhs.position)
  }
}

extension [SplitKey] {
  /// Moves the lesser keys of a range before `middle` and the others from there on.
  ///
  /// Quickselect (C. A. R. Hoare, Communications of the ACM 4, 1961, Algorithm 65) with the median
  /// of three as pivot; where pivots keep turning out badly, what is left is sorted.
  ///
  /// - Parameters:
  ///   - range: the keys to divide.
  ///   - middle: an index inside the range.
  /// - Complexity: O(n) expected, O(n log n) at worst for n keys; no recursion.
  mutating func partition(_ range: Range<Int>, at middle: Int) {
    var (low, high) = (range.lowerBound, range.upperBound - 1)
    var rounds = 2 * (Int.bitWidth - range.count.leadingZeroBitCount)
    while low < high {
      guard rounds > 0 else {
        self[low...high].sort()
        return
      }
      rounds -= 1
      let (left, right) = divide(low...high, by: medianOfThree(low, high))
      // low...right is at most the pivot, left...high at least; a key between is the pivot
      if middle <= right {
        high = right
      } else if middle >= left {
        low = left
      } else {
        return
      }
    }
  }

  /// Swaps the keys of a range around a pivot until two indexes cross, and returns those.
  private mutating func divide(
    _ range: ClosedRange<Int>,
    by pivot: SplitKey
  ) -> (left: Int, right: Int) {
    var (left, right) = (range.lowerBound, range.upperBound)
    while left <= right {
      while self[left] < pivot { left += 1 }
      while pivot < self[right] { right -= 1 }
      guard left <= right else { break }
      swapAt(left, right)
      left += 1
      right -= 1
    }
    return (left, right)
  }

  private func medianOfThree(_ low: Int, _ high: Int) -> SplitKey {
    let (first, middle, last) = (self[low], self[(low + high) / 2], self[high])
    return Swift.max(Swift.min(first, middle), Swift.min(Swift.max(first, middle), last))
  }
}
