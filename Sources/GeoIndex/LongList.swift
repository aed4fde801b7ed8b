/// The candidates of a search for many points: unordered, thinned out whenever it has grown by a part.
///
/// Unlike a ``ShortList`` it never leaves out a point that may be among the nearest along the
/// ellipsoid, however many are equally far; it grows for them.
struct LongList<Ruler: CandidateRuler>: CandidateList {
  private(set) var limit: Double
  private(set) var limitKey: Int32
  private(set) var count = 0

  private let capacity: Int
  private let ruler: Ruler
  private let allowed: AllowedPositions?
  private var lengthsSquared: UnsafeMutablePointer<Double>
  private var slots: UnsafeMutablePointer<UInt32>
  private var room: Int

  /// The count at which the list is thinned out.
  private var fullCount: Int

  /// How many leaves may still be filtered.
  private var leafBudget: Int

  /// - Parameters:
  ///   - capacity: how many points are searched for, one or more.
  ///   - limit: the squared length, square metres, beyond which points are of no use.
  ///   - ruler: how points are measured.
  ///   - allowed: which points count; all where nil.
  init(capacity: Int, limit: Double, ruler: Ruler, allowed: AllowedPositions?) {
    self.capacity = capacity
    self.limit = limit
    self.ruler = ruler
    self.allowed = allowed
    leafBudget = allowed?.leafBudget ?? .max
    limitKey = ChordBound.key(limit)
    fullCount = capacity + TreeShape.leafCapacity
    room = min(fullCount, 4_096) + TreeShape.leafCapacity
    lengthsSquared = .allocate(capacity: room)
    slots = .allocate(capacity: room)
  }

  /// Gives the memory back; the list is not used afterwards.
  func deallocate() {
    lengthsSquared.deallocate()
    slots.deallocate()
  }

  /// Whether there are as many points as are searched for.
  var isFull: Bool { count >= capacity }

  /// Whether the search ended because filtering took too long.
  var isOverBudget: Bool { leafBudget < 0 }

  /// The slot of a point, in no order.
  subscript(index: Int) -> Int { Int(slots[index]) }

  @inline(__always)
  mutating func take(_ bits: UInt32, of scan: LeafScan, leaf: Int) {
    if Ruler.measuresChords, allowed == nil {
      append(bits, of: scan, leaf: leaf)
    } else {
      measure(allowed?.restrict(bits, leaf: leaf) ?? bits, of: scan, leaf: leaf)
    }
    if count >= fullCount { thinOut() }
    leafBudget &-= 1
    // no node is within a negative limit: the search ends
    if leafBudget < 0 { limitKey = -1 }
    if count + TreeShape.leafCapacity > room { grow() }
  }

  /// Takes points in by their chords, without a branch.
  @inline(__always)
  private mutating func append(_ bits: UInt32, of scan: LeafScan, leaf: Int) {
    let first = UInt32(truncatingIfNeeded: leaf &* TreeShape.leafCapacity)
    for lane in 0..<TreeShape.leafCapacity {
      lengthsSquared[count] = scan[lane]
      slots[count] = first &+ UInt32(truncatingIfNeeded: lane)
      count &+= Int((bits &>> UInt32(truncatingIfNeeded: lane)) & 1)
    }
  }

  /// Takes points in by their lengths.
  @inline(__always)
  private mutating func measure(_ bits: UInt32, of scan: LeafScan, leaf: Int) {
    var rest = bits
    while rest != 0 {
      let lane = rest.trailingZeroBitCount
      rest &= rest &- 1
      let slot = leaf &* TreeShape.leafCapacity &+ lane
      let lengthSquared = ruler.lengthSquared(slot, chordSquared: scan[lane])
      guard lengthSquared <= limit else { continue }
      lengthsSquared[count] = lengthSquared
      slots[count] = UInt32(truncatingIfNeeded: slot)
      count &+= 1
    }
  }

  /// Drops the points that are surely not among the nearest.
  mutating func thinOut() {
    guard isFull else { return }
    let bits = UnsafeMutablePointer<UInt64>.allocate(capacity: 2 * count)
    defer { bits.deallocate() }
    for index in 0..<count {
      bits[index] = lengthsSquared[index].bitPattern
    }
    let last = RankSelection.value(ofRank: capacity - 1, in: bits, count: count)
    limit = min(limit, ruler.settled(after: Double(bitPattern: last)))
    limitKey = ChordBound.key(limit)
    var kept = 0
    for index in 0..<count {
      let isKept = lengthsSquared[index] <= limit
      lengthsSquared[kept] = lengthsSquared[index]
      slots[kept] = slots[index]
      kept &+= isKept ? 1 : 0
    }
    count = kept
    fullCount = kept + max(32, kept / 2)
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

/// How a list of candidates measures points, and what a measurement settles.
protocol CandidateRuler {
  /// Whether the length is the chord itself.
  static var measuresChords: Bool { get }

  /// The square of a length that stands for a point's distance, square metres; at least the chord's.
  func lengthSquared(_ slot: Int, chordSquared: Double) -> Double

  /// A squared length so great that a reported distance of a point beyond it is certainly greater
  /// than that of a point with a squared length of at most this.
  func settled(after lengthSquared: Double) -> Double
}

/// Measures by the chord: as far as the chord formula holds.
struct ChordRuler: CandidateRuler {
  static var measuresChords: Bool { true }

  @inline(__always)
  func lengthSquared(_ slot: Int, chordSquared: Double) -> Double { chordSquared }

  @inline(__always)
  func settled(after lengthSquared: Double) -> Double { ChordBound.settled(after: lengthSquared) }
}
