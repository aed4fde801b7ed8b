/// The candidates of a search for many points, in no order.
///
/// Unlike a ``TopK16`` it never skips a point that may be among the nearest along the ellipsoid,
/// even if many are equally far, and grows for them. Its limit is updated after each leaf by a
/// ``RankBound``, or, if further points are costly, from the last of its points when the list has
/// grown by a part; only then are points beyond the limit removed.
struct TopK<Ruler: CandidateRuler>: CandidateCollector {
  private(set) var limit: Double
  private(set) var limitKey: Int32
  private(set) var count = 0

  /// The squared length beyond which a point is useless, square meters.
  private(set) var greatestLengthSquared: Double

  private let capacity: Int
  private let ruler: Ruler
  private let allowed: FilterMask?
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
    allowed: FilterMask?,
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

/// The candidates that a nearest search collects.
protocol CandidateList {
  /// The squared chord beyond which a point is useless, square meters; finite.
  var limit: Double { get }

  /// The limit as a node's key.
  var limitKey: Int32 { get }

  /// Measures a leaf and adds those of its points that may be answers.
  ///
  /// - Parameters:
  ///   - points: the leaf's points.
  ///   - leaf: the leaf.
  ///   - origin: the point to measure from.
  ///   - scan: for the chords.
  mutating func look(
    at points: UnsafePointer<SIMD2<Double>>,
    of leaf: Int,
    from origin: ECEFPoint,
    by scan: LeafScan
  )
}

/// A list that accepts all points within its limit.
protocol CandidateCollector: CandidateList {
  /// Adds points of a leaf.
  ///
  /// - Parameters:
  ///   - bits: which points, of those within the limit; at least one.
  ///   - scan: their chords.
  ///   - leaf: the leaf.
  mutating func take(_ bits: UInt32, of scan: LeafScan, leaf: Int)
}

extension CandidateCollector {
  @inline(__always)
  mutating func look(
    at points: UnsafePointer<SIMD2<Double>>,
    of leaf: Int,
    from origin: ECEFPoint,
    by scan: LeafScan
  ) {
    let bits = scan.measure(points, from: origin, limit: limit)
    if bits != 0 { take(bits, of: scan, leaf: leaf) }
  }
}

/// The candidates of a search for one point: the closest by chord.
struct ClosestPoint: CandidateList {
  private(set) var limit: Double
  private(set) var limitKey: Int32

  /// The closest point, and whether there is one.
  private(set) var slot = 0
  private(set) var chordSquared = Double.infinity

  /// The least squared chord of all points that were skipped.
  private var leastRival = Double.infinity

  init(limit: Double) {
    self.limit = limit
    limitKey = ChordBound.key(limit)
  }

  /// Whether another point may be as near along the ellipsoid.
  var isTied: Bool { leastRival <= limit }

  @inline(__always)
  mutating func look(
    at points: UnsafePointer<SIMD2<Double>>,
    of leaf: Int,
    from origin: ECEFPoint,
    by scan: LeafScan
  ) {
    let least = scan.measureLeast(points, from: origin)
    guard least <= limit else { return }
    guard least < chordSquared else {
      leastRival = min(leastRival, least)
      return
    }
    leastRival = min(leastRival, chordSquared)
    chordSquared = least
    limit = min(limit, ChordBound.settled(after: least))
    limitKey = ChordBound.key(limit)
    let close = scan.bits(within: limit)
    slot = leaf &* TreeShape.leafCapacity &+ close.trailingZeroBitCount
    // if two are this close, it does not matter which one: the search is repeated
    if close & (close &- 1) != 0 { leastRival = least }
  }
}

/// The candidates of a search for a few points: the sixteen closest by chord, in order.
///
/// A squared chord and the number of its candidate make one 64-bit key: the last six bits of a
/// chord are below the rounding. So the order is kept by ``SortingNetwork``, without a branch that a
/// processor could guess wrong.
struct TopK16: CandidateCollector {
  private(set) var limit: Double
  private(set) var limitKey: Int32

  private let capacity: Int
  private var keys = SortingNetwork()
  private var candidateCount = 0
  private let slots: UnsafeMutablePointer<UInt32>

  /// The maximum number of points that can be searched for: one less than the number of keys, the
  /// last of which shows ties.
  static let greatestCapacity = SortingNetwork.count - 1

  /// The candidates that have a number, and the bits of it.
  private static let greatestCandidateCount = 64
  private static let candidateBits: UInt64 = 63

  /// The bytes of scratch memory that a list needs.
  static let byteCount = greatestCandidateCount * MemoryLayout<UInt32>.stride

  /// Accounts for the six bits of a chord that a key does not have.
  private static let keySlack = 1 + 0x1p-44

  @inline(__always)
  init(capacity: Int, limit: Double, scratch: UnsafeMutableRawPointer) {
    self.capacity = capacity
    self.limit = limit
    limitKey = ChordBound.key(limit)
    slots = scratch.assumingMemoryBound(to: UInt32.self)
  }

  /// Whether enough points were found.
  var isFull: Bool { keys[capacity - 1] < .greatestFiniteMagnitude }

  /// Whether a point that was skipped may be as near along the ellipsoid as one in the list.
  var isTied: Bool { keys[capacity] <= limit }

  /// The slot of the point at an index of the list.
  @inline(__always)
  subscript(index: Int) -> Int { slot(of: keys[index]) }

  private func slot(of key: Double) -> Int {
    Int(slots[Int(truncatingIfNeeded: key.bitPattern & Self.candidateBits)])
  }

  @inline(__always)
  mutating func take(_ bits: UInt32, of scan: LeafScan, leaf: Int) {
    let first = UInt32(truncatingIfNeeded: leaf &* TreeShape.leafCapacity)
    if candidateCount == 0 {
      takeAll(of: scan, first: first)
    } else {
      insert(bits, of: scan, first: first)
    }
    let last = keys[capacity &- 1]
    guard last < .greatestFiniteMagnitude else { return }
    // the sum is for chords of zero, whose keys are their numbers alone
    let settled = ChordBound.settled(after: last) * Self.keySlack + .leastNormalMagnitude
    limit = min(limit, settled)
    limitKey = ChordBound.key(limit)
  }

  /// Starts with the points of a leaf that are within the limit; each lane is its candidate's number.
  @inline(__always)
  private mutating func takeAll(of scan: LeafScan, first: UInt32) {
    candidateCount = TreeShape.leafCapacity
    for lane in 0..<TreeShape.leafCapacity {
      slots[lane] = first &+ UInt32(truncatingIfNeeded: lane)
    }
    let limits = SIMD2<Double>(repeating: limit)
    var numbers = SIMD2<Int64>(0, 1)
    keys = SortingNetwork { pair in
      let chords = scan.pair(pair)
      let bits = unsafeBitCast(chords, to: SIMD2<Int64>.self)
      let keys = (bits & Int64(bitPattern: ~Self.candidateBits)) | numbers
      numbers &+= 2
      let isWithin: SIMDMask<SIMD2<Int64>> = chords .<= limits
      return SortingNetwork.top.replacing(
        with: unsafeBitCast(keys, to: SIMD2<Double>.self),
        where: isWithin
      )
    }
  }

  /// Adds points of a leaf one by one.
  @inline(__always)
  private mutating func insert(_ bits: UInt32, of scan: LeafScan, first: UInt32) {
    if candidateCount &+ bits.nonzeroBitCount > Self.greatestCandidateCount { renumber() }
    var rest = bits
    while rest != 0 {
      let lane = rest.trailingZeroBitCount
      rest &= rest &- 1
      let chord = scan[lane].bitPattern & ~Self.candidateBits
      keys.insert(Double(bitPattern: chord | UInt64(truncatingIfNeeded: candidateCount)))
      slots[candidateCount] = first &+ UInt32(truncatingIfNeeded: lane)
      candidateCount &+= 1
    }
  }

  /// Makes room for candidates: only those still in the list keep a number.
  @inline(never)
  private mutating func renumber() {
    let old = keys
    keys = SortingNetwork()
    candidateCount = 0
    var kept: [Int] = []
    for index in 0..<SortingNetwork.count where old[index] < .greatestFiniteMagnitude {
      kept.append(slot(of: old[index]))
    }
    for (number, slot) in kept.enumerated() {
      let chord = old[number].bitPattern & ~Self.candidateBits
      keys.insert(Double(bitPattern: chord | UInt64(number)))
      slots[number] = UInt32(slot)
    }
    candidateCount = kept.count
  }
}

/// How a list of candidates measures points, and what a measurement proves.
protocol CandidateRuler {
  /// The weight that nodes' squares along the axis have, see ``FloatPoint``.
  static var axialWeight: Double { get }

  /// Whether measuring another point takes longer than excluding it by selection.
  static var isCostly: Bool { get }

  /// The square of a length that approximates a point's distance, square meters.
  ///
  /// At least that of the chord, but for the length's error.
  func lengthSquared(_ slot: Int, chordSquared: Double) -> Double

  /// A squared length so great that a reported distance of a point beyond it is certainly greater
  /// than that of a point with a squared length of at most this.
  func settled(after lengthSquared: Double) -> Double

  /// The bounds that no point with at most this squared length exceeds.
  func bounds(within lengthSquared: Double) -> SearchBounds
}

/// What a search compares points and nodes with.
struct SearchBounds {
  /// Square meters, finite.
  let chordSquared: Double

  /// For nodes, see ``ChordBound``.
  let key: Int32
}

/// Measures by the chord: as far as the chord formula holds.
struct ChordRuler: CandidateRuler {
  static var axialWeight: Double { 1 }

  static var isCostly: Bool { false }

  @inline(__always)
  func lengthSquared(_ slot: Int, chordSquared: Double) -> Double { chordSquared }

  @inline(__always)
  func settled(after lengthSquared: Double) -> Double { ChordBound.settled(after: lengthSquared) }

  @inline(__always)
  func bounds(within lengthSquared: Double) -> SearchBounds {
    SearchBounds(chordSquared: lengthSquared, key: ChordBound.key(lengthSquared))
  }
}

/// Measures by Thomas's estimate with a margin for its error: up to 10 000 km.
///
/// The margin is several times the error, and yet so small that Karney's inverse must decide
/// between few points only.
struct EstimateRuler: CandidateRuler {
  let view: TreeView
  let origin: ECEFPoint

  static var axialWeight: Double { Ellipsoid.axisRatioSquared }

  static var isCostly: Bool { true }

  /// The longest distance that is measured, meters.
  static let greatestDistance = 10_000_000.0

  /// The square of a chord that proves a distance below that, square meters.
  static let greatestChordSquared = 8_900_000.0 * 8_900_000

  /// The maximum error of an estimate, meters.
  static func margin(at distance: Double) -> Double { 0.000_1 + distance * 0.000_000_02 }

  /// The greatest squared estimate that a point within a distance can have.
  ///
  /// It is less than the square of the distance if that is too long to be measured.
  func limit(_ maximumDistance: Double) -> Double {
    let estimate = maximumDistance + Self.margin(at: maximumDistance)
    let greatest = Self.greatestDistance - 2 * Self.margin(at: Self.greatestDistance)
    return estimate <= greatest ? estimate * estimate : greatest * greatest
  }

  @inline(__always)
  func lengthSquared(_ slot: Int, chordSquared: Double) -> Double {
    let point = view.point(atSlot: slot)
    let estimate = GeodesicEstimate(from: origin, x: point.x, y: point.y, z: point.z).distance
    return estimate * estimate
  }

  func settled(after lengthSquared: Double) -> Double {
    let estimate = lengthSquared.squareRoot()
    // the margin of the farther one is at most a little greater
    let greatest = estimate + 2.001 * Self.margin(at: estimate)
    return greatest * greatest
  }

  func bounds(within lengthSquared: Double) -> SearchBounds {
    let estimate = lengthSquared.squareRoot()
    let distance = estimate + 1.001 * Self.margin(at: estimate)
    // chords of the stretched ellipsoid say nothing of shorter ones
    let reach = Reach(max(distance, Geodesic.greatestNearChord + 1))
    // stretching shortens no chord
    return SearchBounds(
      chordSquared: min(reach.finiteChordSquared, reach.stretchedSquared),
      key: ChordBound.key(reach.stretchedSquared)
    )
  }
}

/// The least neighbors so far: a binary heap with the last of them, by distance and index, on top.
struct NeighborHeap {
  /// How many are kept, one or more.
  let capacity: Int

  /// Meters; farther neighbors are not kept.
  let maximumDistance: Double

  private var heap: [Neighbor] = []

  init(capacity: Int, maximumDistance: Double = .infinity) {
    self.capacity = capacity
    self.maximumDistance = maximumDistance
  }

  /// The distance beyond which a point is useless.
  var limit: Double { heap.count < capacity ? maximumDistance : heap[0].distance }

  /// Keeps a neighbor if it is among the least.
  ///
  /// - Complexity: O(log capacity).
  mutating func offer(_ neighbor: Neighbor) {
    guard neighbor.distance <= maximumDistance else { return }
    if heap.count < capacity {
      heap.append(neighbor)
      var child = heap.count - 1
      while child > 0, heap[(child - 1) / 2] < heap[child] {
        heap.swapAt(child, (child - 1) / 2)
        child = (child - 1) / 2
      }
    } else if neighbor < heap[0] {
      heap[0] = neighbor
      var parent = 0
      while true {
        var last = parent
        for child in [2 * parent + 1, 2 * parent + 2]
        where child < heap.count && heap[last] < heap[child] { last = child }
        guard last != parent else { return }
        heap.swapAt(parent, last)
        parent = last
      }
    }
  }

  /// The neighbors in order.
  func sorted() -> [Neighbor] { heap.sorted() }
}
