/// Sorts neighbors by (distance, index).
enum NeighborSort {
  /// Up to this count, insertion is fastest.
  private static let fewCount = 24

  /// The number of insertion steps from which another method is faster.
  private static func greatestStepCount(_ count: Int) -> Int { max(24 * count, 10_000) }

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

  /// Sorts the neighbors at some ranks, and leaves those before and after them unordered.
  ///
  /// - Parameters:
  ///   - neighbors: as for ``sort(_:)``.
  ///   - ranks: in 0..<neighbors.count.
  /// - Complexity: O(n) expected, and that of sorting the ranks.
  static func sort(_ neighbors: UnsafeMutableBufferPointer<Neighbor>, ranks: Range<Int>) {
    guard !ranks.isEmpty, let base = neighbors.baseAddress else { return }
    let end = ranks.upperBound
    if end < neighbors.count { divide(base, 0..<neighbors.count, at: end) }
    if ranks.lowerBound > 0 { divide(base, 0..<end, at: ranks.lowerBound) }
    sort(UnsafeMutableBufferPointer(start: base + ranks.lowerBound, count: ranks.count))
  }

  /// Moves neighbors of a range so that the first of them, up to a rank, come before the others.
  ///
  /// Quickselect (C. A. R. Hoare, Communications of the ACM 4, 1961, Algorithm 65).
  private static func divide(
    _ base: UnsafeMutablePointer<Neighbor>,
    _ range: Range<Int>,
    at rank: Int
  ) {
    var (low, high) = (range.lowerBound, range.upperBound - 1)
    // random pivots, so that no order of the input is slow
    var random: UInt64 = 0x9E37_79B9_7F4A_7C15
    func candidate() -> Neighbor {
      random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return base[low + Int((random >> 33) % UInt64(high - low + 1))]
    }
    while high > low {
      let (one, two, three) = (candidate(), candidate(), candidate())
      let pivot = max(min(one, two), min(max(one, two), three))
      var (left, right) = (low, high)
      while left <= right {
        while base[left] < pivot { left += 1 }
        while pivot < base[right] { right -= 1 }
        guard left <= right else { break }
        (base[left], base[right]) = (base[right], base[left])
        left += 1
        right -= 1
      }
      if rank <= right {
        high = right
      } else if rank > left {
        low = left
      } else {
        return
      }
    }
  }

  /// Groups neighbors by buckets of d²; false if they are too full to be of use.
  private static func scatter(_ neighbors: UnsafeMutableBufferPointer<Neighbor>) -> Bool {
    let count = neighbors.count
    guard let base = neighbors.baseAddress else { return true }
    var greatest = 0.0
    // by magnitude, so that no distance from a damaged file has a bucket beyond the last
    for index in 0..<count { greatest = max(greatest, base[index].distance.magnitude) }
    let scale = Double(count - 1) / (greatest * greatest)
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
    guard steps <= greatestStepCount(count) else { return false }
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

/// Sorts positions in ascending order.
enum PositionSort {
  private static let digitBits = 11

  /// Sorts in place: by digits of 11 bits from the lowest (radix sort), since positions are small.
  ///
  /// - Parameters:
  ///   - positions: each in 0..<bound.
  ///   - bound: more than any position.
  /// - Complexity: O(n) for each digit of the bound.
  static func sort(_ positions: inout [Int], below bound: Int) {
    guard positions.count > 256 else {
      positions.sort()
      return
    }
    var other = positions
    var shift = 0
    while bound &>> shift > 0 {
      scatter(positions, by: shift, into: &other)
      swap(&positions, &other)
      shift += digitBits
    }
  }

  /// Groups positions by a digit and keeps their order within each group.
  private static func scatter(_ positions: [Int], by shift: Int, into other: inout [Int]) {
    let mask = 1 << digitBits - 1
    withUnsafeTemporaryAllocation(of: Int.self, capacity: mask + 1) { starts in
      starts.initialize(repeating: 0)
      for position in positions {
        starts[(position &>> shift) & mask] &+= 1
      }
      var start = 0
      for digit in starts.indices {
        (starts[digit], start) = (start, start + starts[digit])
      }
      for position in positions {
        let digit = (position &>> shift) & mask
        other[starts[digit]] = position
        starts[digit] &+= 1
      }
    }
  }
}
