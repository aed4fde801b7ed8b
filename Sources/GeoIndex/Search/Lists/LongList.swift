/// The candidates of a search for many points, in no order.
///
/// Unlike a ``ShortList`` it never skips a point that may be among the nearest along the ellipsoid,
/// even if many are equally far, and grows for them. Its limit is updated after each leaf by a
/// ``RankBound``, or, if further points are costly, from the last of its points when the list has
/// grown by a part; only then are points beyond the limit removed.
struct LongList<Ruler: CandidateRuler>: TakingList {
  private(set) var limit: Double
  private(set) var limitKey: Int32
  private(set) var count = 0

  /// The squared length beyond which a point is useless, square meters.
  private(set) var greatestLengthSquared: Double

  private let capacity: Int
  private let ruler: Ruler
  private let allowed: AllowedPositions?
  private let scratch: UnsafeMutableRawPointer
  private var bound: RankBound
  private var lengthsSquared: UnsafeMutablePointer<Double>
  private var slots: UnsafeMutablePointer<UInt32>
  private var room: Int

  /// The count at which the bound starts anew.
  private var fullCount: Int

  /// The number of leaves that may still be scanned.
  private var leafBudget: Int

  /// - Parameters:
  ///   - capacity: how many points are searched for, one or more.
  ///   - greatest: the squared length, square meters, beyond which points are useless.
  ///   - ruler: how points are measured.
  ///   - allowed: which points count; all if nil.
  ///   - leafBudget: the number of leaves that may be scanned; a filter's own budget limits it too.
  init(
    capacity: Int,
    within greatest: Double,
    ruler: Ruler,
    allowed: AllowedPositions?,
    leafBudget: Int
  ) {
    self.capacity = capacity
    self.ruler = ruler
    self.allowed = allowed
    self.leafBudget = min(leafBudget, allowed?.leafBudget ?? .max)
    greatestLengthSquared = greatest
    let bounds = ruler.bounds(within: greatest)
    (limit, limitKey) = (bounds.chordSquared, bounds.key)
    fullCount = capacity
    room = min(2 * capacity, 4_096) + 2 * TreeShape.leafCapacity
    lengthsSquared = .allocate(capacity: room)
    slots = .allocate(capacity: room)
    scratch = .allocate(byteCount: RankBound.byteCount, alignment: 16)
    bound = RankBound(rank: capacity - 1, scratch: scratch)
  }

  /// Frees the memory; the list must not be used afterwards.
  func deallocate() {
    lengthsSquared.deallocate()
    slots.deallocate()
    scratch.deallocate()
  }

  /// Whether there are `count` points.
  var isFull: Bool { count >= capacity }

  /// Whether the search ended because it would have taken too long.
  var isOverBudget: Bool { leafBudget < 0 }

  /// The slot of a point, in no order.
  subscript(index: Int) -> Int { Int(slots[index]) }

  @inline(__always)
  mutating func take(_ bits: UInt32, of scan: LeafScan, leaf: Int) {
    let first = count
    append(allowed?.restrict(bits, leaf: leaf) ?? bits, of: scan, leaf: leaf)
    if Ruler.isCostly {
      if count >= fullCount { select() }
    } else {
      if fullCount > capacity { addToBound(from: first) }
      if count >= fullCount { startBound() }
    }
    leafBudget &-= 1
    // no node is within a negative limit: the search ends
    if leafBudget < 0 { limitKey = -1 }
    if count + TreeShape.leafCapacity > room { grow() }
  }

  /// Adds points by their lengths.
  @inline(__always)
  private mutating func append(_ bits: UInt32, of scan: LeafScan, leaf: Int) {
    let (lengthsSquared, slots) = (lengthsSquared, slots)
    let greatest = greatestLengthSquared
    var (rest, count) = (bits, count)
    while rest != 0 {
      let lane = rest.trailingZeroBitCount
      rest &= rest &- 1
      let slot = leaf &* TreeShape.leafCapacity &+ lane
      let lengthSquared = ruler.lengthSquared(slot, chordSquared: scan[lane])
      lengthsSquared[count] = lengthSquared
      slots[count] = UInt32(truncatingIfNeeded: slot)
      // always so for chords
      count &+= lengthSquared <= greatest ? 1 : 0
    }
    self.count = count
  }

  /// Counts the points from `first` on, and lowers the limit.
  @inline(__always)
  private mutating func addToBound(from first: Int) {
    // in a separate variable, which no write through a pointer can change
    var bound = bound
    for index in first..<count { bound.add(lengthsSquared[index]) }
    bound.tighten()
    self.bound = bound
    lower(to: bound.bound)
  }

  /// Lowers the limits to those that the last of `count` points settles.
  @inline(__always)
  private mutating func lower(to lengthSquared: Double) {
    greatestLengthSquared = min(greatestLengthSquared, ruler.settled(after: lengthSquared))
    let bounds = ruler.bounds(within: greatestLengthSquared)
    (limit, limitKey) = (bounds.chordSquared, bounds.key)
  }

  /// Starts to bound the last of `count` points, or starts again further in.
  @inline(never)
  private mutating func startBound() {
    let isFirst = fullCount == capacity
    if !isFirst && bound.isCoarse { dropFar() }
    if isFirst || bound.isCoarse {
      let lengthsSquared = lengthsSquared
      var greatest = 0.0
      for index in 0..<count { greatest = max(greatest, lengthsSquared[index]) }
      bound.restart(greatest: greatest)
      addToBound(from: 0)
    }
    fullCount = max(count, capacity) + max(64, count / 2)
  }

  /// Lowers the limits by the very last of `count` points.
  @inline(never)
  private mutating func select() {
    let (lengthsSquared, capacity, count) = (lengthsSquared, capacity, count)
    let last = withUnsafeTemporaryAllocation(of: UInt64.self, capacity: 2 * count) { bits in
      guard let base = bits.baseAddress else { return UInt64.max }
      for index in 0..<count { base[index] = lengthsSquared[index].bitPattern }
      return RankSelection.value(ofRank: capacity - 1, in: base, count: count)
    }
    lower(to: Double(bitPattern: last))
    dropFar()
    fullCount = self.count + max(16, capacity / 4)
  }

  /// Ends the search: keeps only points that may be among the nearest, unless finding them costs
  /// more than keeping some others.
  mutating func settle() {
    dropFar()
    if count - capacity > (Ruler.isCostly ? 0 : 2 * capacity) { select() }
  }

  /// Drops the points beyond the limit, which cannot be among the nearest.
  private mutating func dropFar() {
    let (lengthsSquared, slots, limit) = (lengthsSquared, slots, greatestLengthSquared)
    var kept = 0
    for index in 0..<count {
      let lengthSquared = lengthsSquared[index]
      lengthsSquared[kept] = lengthSquared
      slots[kept] = slots[index]
      kept &+= lengthSquared <= limit ? 1 : 0
    }
    count = kept
  }

  private mutating func grow() {
    let wider = UnsafeMutablePointer<Double>.allocate(capacity: 2 * room)
    wider.update(from: lengthsSquared, count: count)
    lengthsSquared.deallocate()
    lengthsSquared = wider
    let longer = UnsafeMutablePointer<UInt32>.allocate(capacity: 2 * room)
    longer.update(from: slots, count: count)
    slots.deallocate()
    slots = longer
    room *= 2
  }
}
