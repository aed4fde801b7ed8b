/// Points while they are sorted into leaf order: x, y and z in steps of 3 mm, and the position.
///
/// Splits need no exact coordinates, only the same ones everywhere. A coordinate followed by the
/// position is a unique key, so that equal points can be divided like others.
///
/// `@unchecked Sendable`: tasks that share the memory work on ranges that do not overlap.
struct SplitRecords: @unchecked Sendable {
  private let records: UnsafeMutablePointer<SIMD4<UInt32>>

  /// Up to this count, records are sorted completely.
  private static let fewCount = 24

  init(count: Int) {
    records = .allocate(capacity: count)
  }

  func deallocate() {
    records.deallocate()
  }

  /// Sets a point.
  @inline(__always)
  func set(_ index: Int, to point: SurfacePoint, position: Int) {
    records[index] = SIMD4(
      Self.steps(point.x),
      Self.steps(point.y),
      Self.steps(point.z),
      UInt32(truncatingIfNeeded: position)
    )
  }

  /// The position of a point.
  @inline(__always)
  func position(at index: Int) -> Int { Int(records[index][3]) }

  @inline(__always)
  private static func steps(_ coordinate: Double) -> UInt32 {
    UInt32((coordinate + 6_400_000) * 335)
  }

  @inline(__always)
  private func key(_ index: Int, _ axis: Int) -> UInt64 {
    let words = UnsafeRawPointer(records + index).assumingMemoryBound(to: UInt32.self)
    return UInt64(words[axis]) &<< 32 | UInt64(words[3])
  }

  /// The axis, 0...2, along which a range is longest, judged by at most 256 of its records.
  func longestAxis(of range: Range<Int>) -> Int {
    let stride = range.count / 256 + 1
    var (low, high) = (records[range.lowerBound], records[range.lowerBound])
    for index in Swift.stride(from: range.lowerBound, to: range.upperBound, by: stride) {
      let record = records[index]
      low.replace(with: record, where: record .< low)
      high.replace(with: record, where: record .> high)
    }
    let span = high &- low
    if span[0] >= span[1], span[0] >= span[2] { return 0 }
    return span[1] >= span[2] ? 1 : 2
  }

  /// Moves the records with lesser keys along an axis before `middle`, the others from there on.
  ///
  /// - Complexity: O(n) expected for n records; no recursion.
  func divide(_ range: Range<Int>, at middle: Int, along axis: Int) {
    var (low, high) = (range.lowerBound, range.upperBound)
    while high - low > Self.fewCount {
      let pivot = pivot(of: low..<high, near: middle, axis)
      var split = partition(low..<high, before: pivot, axis)
      if split == low {
        // the pivot is the least key of all: it goes first by itself
        split = partition(low..<high, before: pivot + 1, axis)
      }
      if middle == split { return }
      if middle < split { high = split } else { low = split }
    }
    sort(low..<high, axis)
  }

  /// A key of the range whose rank is likely to be near the middle's, a little to its outside.
  ///
  /// So the first partition leaves the smaller side, and the second little more than the sample's
  /// error: about one and a half passes for a median (after R. W. Floyd and R. L. Rivest,
  /// Communications of the ACM 18, 1975, Algorithm 489).
  private func pivot(of range: Range<Int>, near middle: Int, _ axis: Int) -> UInt64 {
    let size =
      switch range.count {
      case ..<200: 5
      case ..<5_000: 15
      case ..<100_000: 63
      default: 255
      }
    return withUnsafeTemporaryAllocation(of: UInt64.self, capacity: size) { sample in
      let step = range.count / size
      for turn in sample.indices {
        sample[turn] = key(range.lowerBound + turn * step + step / 2, axis)
      }
      var sorted = sample
      sorted.sort()
      let share = Double(middle - range.lowerBound) / Double(range.count)
      let margin = (share * (1 - share) * Double(size)).squareRoot()
      let rank = share * Double(size) + (share < 0.5 ? margin : -margin)
      return sample[max(0, min(size - 1, Int(rank)))]
    }
  }

  /// Moves the records with keys below a pivot to the front of a range, without a branch.
  ///
  /// - Returns: where the others start.
  private func partition(_ range: Range<Int>, before pivot: UInt64, _ axis: Int) -> Int {
    var split = range.lowerBound
    for index in range {
      let isBefore = key(index, axis) < pivot
      let record = records[index]
      records[index] = records[split]
      records[split] = record
      split &+= isBefore ? 1 : 0
    }
    return split
  }

  private func sort(_ range: Range<Int>, _ axis: Int) {
    for index in range.dropFirst() {
      let record = records[index]
      let key = key(index, axis)
      var place = index
      while place > range.lowerBound, self.key(place &- 1, axis) > key {
        records[place] = records[place &- 1]
        place &-= 1
      }
      records[place] = record
    }
  }
}
