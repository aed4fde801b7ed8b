/// The candidates that a nearest search collects.
protocol CandidateList {
  /// The squared chord beyond which a point is useless, square meters; finite.
  var limit: Double { get }

  /// The limit as a node's key.
  var limitKey: Int32 { get }

  /// The area in which points count; everywhere if nil.
  ///
  /// A pointer, so that copies of the list count no references: those took a tenth of the time.
  var area: UnsafePointer<AreaRegion>? { get }

  /// Measures a leaf and adds those of its points that may be answers.
  mutating func look(
    at points: UnsafePointer<SIMD2<Double>>,
    of leaf: Int,
    from origin: ECEFPoint,
    by scan: LeafScan
  )
}

extension CandidateList {
  var area: UnsafePointer<AreaRegion>? { nil }
}

/// A list that accepts all points within its limit.
protocol CandidateCollector: CandidateList {
  /// Adds points of a leaf that was scanned: at least one, and only such within the limit.
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
  private var minimumRival = Double.infinity

  init(limit: Double) {
    self.limit = limit
    limitKey = ChordLimits.key(limit)
  }

  /// Whether another point may be as near along the ellipsoid.
  var isTied: Bool { minimumRival <= limit }

  @inline(__always)
  mutating func look(
    at points: UnsafePointer<SIMD2<Double>>,
    of leaf: Int,
    from origin: ECEFPoint,
    by scan: LeafScan
  ) {
    let minimum = scan.measureMinimum(points, from: origin)
    guard minimum <= limit else { return }
    guard minimum < chordSquared else {
      minimumRival = min(minimumRival, minimum)
      return
    }
    minimumRival = min(minimumRival, chordSquared)
    chordSquared = minimum
    limit = min(limit, ChordLimits.settled(after: minimum))
    limitKey = ChordLimits.key(limit)
    let close = scan.bits(within: limit)
    slot = leaf &* TreeShape.leafCapacity &+ close.trailingZeroBitCount
    // if two are this close, it does not matter which one: the search is repeated
    if close & (close &- 1) != 0 { minimumRival = minimum }
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
  static let maximumCapacity = SortingNetwork.count - 1

  /// The candidates that have a number, and the bits of it.
  private static let maximumCandidateCount = 64
  private static let candidateBits: UInt64 = 63

  /// The bytes of scratch memory that a list needs.
  static let byteCount = maximumCandidateCount * MemoryLayout<UInt32>.stride

  /// Accounts for the six bits of a chord that a key does not have.
  private static let keySlack = 1 + 0x1p-44

  @inline(__always)
  init(capacity: Int, limit: Double, scratch: UnsafeMutableRawPointer) {
    self.capacity = capacity
    self.limit = limit
    limitKey = ChordLimits.key(limit)
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
    let settled = ChordLimits.settled(after: last) * Self.keySlack + .leastNormalMagnitude
    limit = min(limit, settled)
    limitKey = ChordLimits.key(limit)
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
    if candidateCount &+ bits.nonzeroBitCount > Self.maximumCandidateCount { renumber() }
    for lane in SetBits(bits) {
      let chord = scan[lane].bitPattern & ~Self.candidateBits
      keys.insert(Double(bitPattern: chord | UInt64(truncatingIfNeeded: candidateCount)))
      slots[candidateCount] = first &+ UInt32(truncatingIfNeeded: lane)
      candidateCount &+= 1
    }
  }

  /// Makes room for candidates: only those still in the list keep a number.
  @inline(never)
  private mutating func renumber() {
    let old = (0..<SortingNetwork.count).map { keys[$0] }.filter { $0 < .greatestFiniteMagnitude }
    let kept = old.map(slot(of:))
    keys = SortingNetwork()
    for number in old.indices {
      let chord = old[number].bitPattern & ~Self.candidateBits
      keys.insert(Double(bitPattern: chord | UInt64(number)))
      slots[number] = UInt32(kept[number])
    }
    candidateCount = old.count
  }
}

/// The candidates of a search for many points, in no order.
///
/// Unlike a ``TopK16`` it never skips a point that may be among the nearest along the ellipsoid,
/// even if many are equally far, and grows for them. Its limit is updated after each leaf by a
/// ``RankBound``; only when the list has grown by a part are points beyond the limit removed.
struct TopK: CandidateCollector {
  private(set) var limit: Double
  private(set) var limitKey: Int32

  let area: UnsafePointer<AreaRegion>?

  private let capacity: Int
  private let allowed: FilterMask?
  private let view: TreeView
  private let scratch: UnsafeMutableRawPointer
  private var bound: RankBound

  /// Slots as indexes, and squared chords.
  private var candidates: GrowingBuffer<Neighbor>

  /// The count at which the bound starts anew.
  private var fullCount: Int

  /// The number of leaves that may still be scanned.
  private var leafBudget: Int

  /// - Parameters:
  ///   - capacity: how many points are searched for, one or more.
  ///   - limit: the squared chord, square meters, beyond which points are useless.
  ///   - allowed: which points count, and how many leaves may be scanned for them; all if nil.
  ///   - area: in which area points count; in an area as many leaves may be scanned as for its set.
  ///   - view: the tree.
  init(
    capacity: Int,
    within limit: Double,
    where allowed: FilterMask?,
    in area: UnsafePointer<AreaRegion>? = nil,
    of view: TreeView
  ) {
    self.capacity = capacity
    self.allowed = allowed
    self.area = area
    self.view = view
    leafBudget = area == nil ? allowed?.leafBudget ?? .max : AreaRegion.leafBudget + capacity / 8
    self.limit = limit
    limitKey = ChordLimits.key(limit)
    fullCount = capacity
    let room = min(2 * capacity, 4_096) + 2 * TreeShape.leafCapacity
    let listByteCount = room * MemoryLayout<Neighbor>.stride
    scratch = .allocate(byteCount: listByteCount + RankBound.byteCount, alignment: 16)
    candidates = GrowingBuffer(scratch: scratch, room: room)
    bound = RankBound(rank: capacity - 1, scratch: scratch + listByteCount)
  }

  /// Frees the memory; the list must not be used afterwards.
  func deallocate() {
    candidates.deallocate()
    scratch.deallocate()
  }

  /// Whether there are `capacity` points.
  var isFull: Bool { candidates.count >= capacity }

  /// Whether the search ended because it would have taken too long.
  var isOverBudget: Bool { leafBudget < 0 }

  /// The slots of the points that may be among the nearest.
  func found() -> [Int] {
    [Int](unsafeUninitializedCapacity: candidates.count) { slots, count in
      guard let base = slots.baseAddress else { return }
      for candidate in candidates.elements {
        base[count] = candidate.index
        count &+= candidate.distance <= limit ? 1 : 0
      }
    }
  }

  @inline(__always)
  mutating func take(_ bits: UInt32, of scan: LeafScan, leaf: Int) {
    // in a separate variable, which no write through a pointer can change
    var candidates = candidates
    let first = candidates.count
    var bits = allowed?.restrict(bits, leaf: leaf) ?? bits
    if let area { bits = area.pointee.restrict(bits, leaf: leaf, in: view) }
    for lane in SetBits(bits) {
      let slot = leaf &* TreeShape.leafCapacity &+ lane
      candidates.append(Neighbor(index: slot, distance: scan[lane]))
    }
    self.candidates = candidates
    if fullCount > capacity { addToBound(from: first) }
    if candidates.count >= fullCount { startBound() }
    leafBudget &-= 1
    // no node is within a negative limit: the search ends
    if leafBudget < 0 { limitKey = -1 }
  }

  /// Counts the points from `first` on, and lowers the limit.
  @inline(__always)
  private mutating func addToBound(from first: Int) {
    let candidates = candidates
    var bound = bound
    for index in first..<candidates.count { bound.add(candidates[index].distance) }
    bound.tighten()
    self.bound = bound
    limit = min(limit, ChordLimits.settled(after: bound.bound))
    limitKey = ChordLimits.key(limit)
  }

  /// Starts to bound the last of `capacity` points, or starts again further in.
  @inline(never)
  private mutating func startBound() {
    let isFirst = fullCount == capacity
    if !isFirst && bound.isCoarse { dropFar() }
    if isFirst || bound.isCoarse {
      var maximum = 0.0
      for index in 0..<candidates.count { maximum = max(maximum, candidates[index].distance) }
      bound.restart(maximum: maximum)
      addToBound(from: 0)
    }
    fullCount = max(candidates.count, capacity) + max(64, candidates.count / 2)
  }

  /// Drops the points beyond the limit, which cannot be among the nearest.
  private mutating func dropFar() {
    let (candidates, limit) = (candidates, limit)
    var kept = 0
    for index in 0..<candidates.count {
      candidates[kept] = candidates[index]
      kept &+= candidates[kept].distance <= limit ? 1 : 0
    }
    self.candidates.removeLast(candidates.count &- kept)
  }
}

/// The candidates of a search for points up to 10 000 km away, by Thomas's estimates.
///
/// The margin for their error is several times the error, and yet so small that Karney's inverse
/// must decide between few points only.
struct GeodesicTopK: CandidateCollector {
  private(set) var limit = 0.0
  private(set) var limitKey: Int32 = 0

  /// The estimate beyond which a point is useless, meters.
  private(set) var maximumEstimate: Double

  private let view: TreeView
  private let origin: ECEFPoint
  private let allowed: FilterMask?
  let area: UnsafePointer<AreaRegion>?
  private var leafBudget: Int

  /// The nearest by estimate, and all that may be nearer; both with slots as indexes.
  private var nearest: NeighborHeap
  private var candidates: [Neighbor] = []

  /// The weight of nodes' squares along the axis, see ``FloatPoint``.
  static let axialWeight = Ellipsoid.axisRatioSquared

  /// The longest distance that is measured, meters.
  static let maximumDistance = 10_000_000.0

  /// The square of a chord that proves a distance below that, square meters.
  static let maximumChordSquared = 8_900_000.0 * 8_900_000

  /// The maximum error of an estimate, meters.
  static func margin(at distance: Double) -> Double { 0.000_1 + distance * 0.000_000_02 }

  /// Makes a list like a ``TopK``: the least of `leafBudget` and, without an area, a filter's own
  /// budget is the number of leaves that may be scanned.
  init(
    capacity: Int,
    within maximumDistance: Double,
    of origin: ECEFPoint,
    in view: TreeView,
    where allowed: FilterMask?,
    in area: UnsafePointer<AreaRegion>? = nil,
    leafBudget: Int
  ) {
    self.view = view
    self.origin = origin
    self.allowed = allowed
    self.area = area
    self.leafBudget = area == nil ? min(leafBudget, allowed?.leafBudget ?? .max) : leafBudget
    nearest = NeighborHeap(capacity: capacity)
    maximumEstimate = Self.limit(maximumDistance)
    lower(to: maximumEstimate)
  }

  /// The greatest estimate that a point within a distance can have, meters.
  ///
  /// It is less than the distance if that is too long to be measured.
  static func limit(_ maximumDistance: Double) -> Double {
    min(
      maximumDistance + margin(at: maximumDistance),
      Self.maximumDistance - 2 * margin(at: Self.maximumDistance)
    )
  }

  /// An estimate so great that a reported distance of a point beyond it is certainly greater than
  /// that of a point with at most this estimate.
  static func settled(after estimate: Double) -> Double {
    // the margin of the farther one is at most a little greater
    estimate + 2.001 * margin(at: estimate)
  }

  /// The squared chord, and the key of a stretched one, that no point within an estimate exceeds.
  static func bounds(within estimate: Double) -> (chordSquared: Double, key: Int32) {
    let distance = estimate + 1.001 * margin(at: estimate)
    // chords of the stretched ellipsoid say nothing of shorter ones
    let limits = ChordLimits(max(distance, Geodesic.maximumNearChord + 1))
    // stretching shortens no chord
    return (
      min(limits.finiteSquared, limits.stretchedSquared),
      ChordLimits.key(limits.stretchedSquared)
    )
  }

  /// Whether there are `capacity` points.
  var isFull: Bool { candidates.count >= nearest.capacity }

  /// Whether the search ended because it would have taken too long.
  var isOverBudget: Bool { leafBudget < 0 }

  /// The slots of the points that may be among the nearest.
  func found() -> [Int] {
    candidates.filter { $0.distance <= maximumEstimate }.map(\.index)
  }

  mutating func take(_ bits: UInt32, of scan: LeafScan, leaf: Int) {
    var bits = allowed?.restrict(bits, leaf: leaf) ?? bits
    if let area { bits = area.pointee.restrict(bits, leaf: leaf, in: view) }
    for lane in SetBits(bits) {
      let slot = leaf * TreeShape.leafCapacity + lane
      let point = view.point(atSlot: slot)
      let estimate = Geodesic.estimate(from: origin, x: point.x, y: point.y, z: point.z)
      guard estimate <= maximumEstimate else { continue }
      candidates.append(Neighbor(index: slot, distance: estimate))
      nearest.offer(Neighbor(index: slot, distance: estimate))
    }
    let settled = isFull ? Self.settled(after: nearest.limit) : .infinity
    if settled < maximumEstimate { lower(to: settled) }
    leafBudget -= 1
    // no node is within a negative limit: the search ends
    if leafBudget < 0 { limitKey = -1 }
  }

  private mutating func lower(to estimate: Double) {
    maximumEstimate = estimate
    (limit, limitKey) = Self.bounds(within: maximumEstimate)
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
      var parent = 0
      while 2 * parent + 1 < heap.count {
        var child = 2 * parent + 1
        if child + 1 < heap.count, heap[child] < heap[child + 1] { child += 1 }
        guard neighbor < heap[child] else { break }
        heap[parent] = heap[child]
        parent = child
      }
      heap[parent] = neighbor
    }
  }

  /// The neighbors in order.
  func sorted() -> [Neighbor] { heap.sorted() }
}
