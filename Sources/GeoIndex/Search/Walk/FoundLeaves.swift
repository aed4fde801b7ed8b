/// The leaves that a walk over a region found: those entirely inside, as runs, and those that its
/// edge cuts.
///
/// The caller deallocates it.
struct FoundLeaves {
  private var starts: GrowingBuffer<UInt32>
  private var ends: GrowingBuffer<UInt32>
  private var cut: GrowingBuffer<CutPlace>

  private static let room = 32

  /// The bytes of scratch memory that start it.
  static let byteCount = 4 * room * MemoryLayout<UInt32>.stride

  /// - Parameter scratch: that many bytes, which must outlive the value.
  @inline(__always)
  init(scratch: UnsafeMutableRawPointer) {
    let stride = Self.room * MemoryLayout<UInt32>.stride
    starts = GrowingBuffer(scratch: scratch, room: Self.room)
    ends = GrowingBuffer(scratch: scratch + stride, room: Self.room)
    cut = GrowingBuffer(scratch: scratch + 2 * stride, room: 2 * Self.room)
  }

  @inline(__always)
  func deallocate() {
    starts.deallocate()
    ends.deallocate()
    cut.deallocate()
  }

  /// Adds a run of leaves; one that follows the last is joined to it.
  @inline(__always)
  mutating func take(_ leaves: Range<Int>) {
    let start = UInt32(truncatingIfNeeded: leaves.lowerBound)
    let end = UInt32(truncatingIfNeeded: leaves.upperBound)
    if ends.count > 0, ends[ends.count &- 1] == start {
      ends[ends.count &- 1] = end
    } else {
      starts.append(start)
      ends.append(end)
    }
  }

  /// Adds a leaf that the region's edges cut.
  @inline(__always)
  mutating func cut(_ leaf: CutPlace) { cut.append(leaf) }

  /// The number of runs.
  var runCount: Int { starts.count }

  /// A run of leaves wholly inside.
  @inline(__always)
  func run(_ index: Int) -> Range<Int> { Int(starts[index])..<Int(ends[index]) }

  /// The number of leaves that the edge cuts.
  var cutCount: Int { cut.count }

  /// A leaf that the edge cuts.
  @inline(__always)
  func cutLeaf(_ index: Int) -> CutPlace { cut[index] }

  /// The number of points in the runs.
  func pointCount(in shape: TreeShape) -> Int {
    var count = 0
    for index in 0..<runCount {
      count &+= shape.slots(ofLeaves: run(index)).count
    }
    return count
  }

  /// The number of leaves, whole or cut.
  var leafCount: Int {
    var count = cutCount
    for index in 0..<runCount {
      count &+= run(index).count
    }
    return count
  }
}

/// An append-only buffer of plain values that starts in the caller's memory.
///
/// Most walks over the tree find little and need no other memory. The caller deallocates the
/// buffer.
struct GrowingBuffer<Element> {
  private(set) var count = 0
  private var room: Int
  private var base: UnsafeMutablePointer<Element>
  private var isLent = true

  /// - Parameters:
  ///   - scratch: memory for `room` elements, which must outlive the buffer.
  ///   - room: how many elements fit there.
  @inline(__always)
  init(scratch: UnsafeMutableRawPointer, room: Int) {
    self.room = room
    base = scratch.bindMemory(to: Element.self, capacity: room)
  }

  @inline(__always)
  subscript(index: Int) -> Element {
    get { base[index] }
    nonmutating set { base[index] = newValue }
  }

  @inline(__always)
  mutating func append(_ element: Element) {
    if count == room { grow() }
    (base + count).initialize(to: element)
    count &+= 1
  }

  /// Removes all elements but keeps the memory.
  @inline(__always)
  mutating func removeAll() {
    count = 0
  }

  @inline(never)
  private mutating func grow() {
    let wider = UnsafeMutablePointer<Element>.allocate(capacity: 2 * room)
    wider.moveInitialize(from: base, count: count)
    deallocate()
    base = wider
    isLent = false
    room *= 2
  }

  /// Frees its own memory.
  @inline(__always)
  func deallocate() {
    if !isLent { base.deallocate() }
  }
}
