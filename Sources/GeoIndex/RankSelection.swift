/// Selection of the value at a rank without sorting.
///
/// Quickselect (C. A. R. Hoare, Communications of the ACM 4, 1961, Algorithm 65). Each partition
/// copies the lesser values forward and the others to a second place, without a branch.
enum RankSelection {
  /// The value that has `rank` others before it in ascending order.
  ///
  /// - Parameters:
  ///   - rank: in 0..<count.
  ///   - values: `count` values and room for as many again; overwritten.
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
