/// Puts positions in ascending order.
enum PositionOrder {
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
