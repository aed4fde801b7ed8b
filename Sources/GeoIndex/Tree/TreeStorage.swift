#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The memory of a tree: a block allocated here, or a file mapped into memory.
///
/// `@unchecked Sendable`: only the builder writes to it, before it is shared.
final class TreeStorage: @unchecked Sendable {
  /// The first byte, aligned to a page at least.
  let base: UnsafeMutableRawPointer

  let byteCount: Int

  let isMapped: Bool

  /// The checksums of the tree's sections in its file's header; nil if it is not from a file.
  let treeChecksums: [UInt64]?

  /// Whether the block consists of pages from the system, mapped from a file or not.
  private let isPages: Bool

  /// The number of a mapped file in `MappedRanges`.
  private let slot: Int?

  /// Above this size a block uses large pages, which cause fewer misses of the address cache.
  private static let largePage = 2 << 20

  /// A block of zero bytes.
  init(byteCount: Int) {
    self.byteCount = byteCount
    isMapped = false
    slot = nil
    treeChecksums = nil
    isPages = byteCount >= 2 * Self.largePage
    if isPages {
      base = Self.pages(byteCount)
    } else {
      base = .allocate(byteCount: byteCount, alignment: TreeLayout.alignment)
      base.initializeMemory(as: UInt8.self, repeating: 0, count: byteCount)
    }
  }

  /// Zeroed pages, which the system allocates when they are first touched, by any thread.
  private static func pages(_ byteCount: Int) -> UnsafeMutableRawPointer {
    let flags = MAP_PRIVATE | MAP_ANON
    guard let base = mmap(nil, byteCount, PROT_READ | PROT_WRITE, flags, -1, 0), base != MAP_FAILED
    else {
      preconditionFailure("There is no memory for an index of \(byteCount) bytes.")
    }
    #if os(Linux)
    // only advice: without it everything works, but more slowly
    _ = madvise(base, byteCount, Int32(MADV_HUGEPAGE))
    #endif
    return base
  }

  /// Maps a file, to be read only.
  ///
  /// - Parameters:
  ///   - descriptor: the file, which may be closed afterward.
  ///   - byteCount: its length, which must not be zero.
  ///   - treeChecksums: the checksums of the tree's sections in the file.
  /// - Throws: the system's reason.
  init(
    file descriptor: Int32,
    byteCount: Int,
    treeChecksums: [UInt64]? = nil
  ) throws(SystemCall.Failure) {
    let address = mmap(nil, byteCount, PROT_READ, MAP_PRIVATE, descriptor, 0)
    guard let address, address != MAP_FAILED else { throw SystemCall.Failure(code: errno) }
    base = address
    self.byteCount = byteCount
    isMapped = true
    isPages = true
    self.treeChecksums = treeChecksums
    slot = MappedRanges.add(base, byteCount)
  }

  /// Tells the system how a range of a mapping will be read; this is only advice.
  func advise(_ range: Range<Int>, _ access: SectionAccess) {
    guard isMapped, !range.isEmpty else { return }
    let start = range.lowerBound / SystemCall.pageSize * SystemCall.pageSize
    let advice =
      switch access {
      case .scattered: MADV_RANDOM
      case .sequential: MADV_SEQUENTIAL
      case .soon: MADV_WILLNEED
      }
    _ = madvise(base + start, range.upperBound - start, Int32(advice))
  }

  /// The bytes of a range.
  func bytes(_ range: Range<Int>) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: base + range.lowerBound, count: range.count)
  }

  deinit {
    MappedRanges.remove(slot)
    if isPages {
      munmap(base, byteCount)
    } else {
      base.deallocate()
    }
  }
}

/// How the bytes of a mapping will be read.
enum SectionAccess {
  /// At random: nothing is read ahead.
  case scattered

  /// From start to end: much is read ahead.
  case sequential

  /// Soon, and all of them.
  ///
  /// Unlike the others, this starts reading and changes nothing else.
  case soon
}

/// The addresses of the mapped files, for a signal handler.
package enum MappedRanges {
  private static let capacity = 64

  /// The starts and ends; an end of 0 is a free slot.
  ///
  /// Never freed, because a handler may be reading it.
  nonisolated(unsafe) private static let bounds: UnsafeMutablePointer<UInt> = {
    let bounds = UnsafeMutablePointer<UInt>.allocate(capacity: 2 * capacity)
    bounds.initialize(repeating: 0, count: 2 * capacity)
    return bounds
  }()

  /// On the heap, because a mutex must not move.
  nonisolated(unsafe) private static let lock: UnsafeMutablePointer<pthread_mutex_t> = {
    let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    pthread_mutex_init(lock, nil)
    return lock
  }()

  /// Whether an address is in a mapped file; a signal handler may call it after the first call.
  package static func contain(_ address: UInt) -> Bool {
    var slot = 0
    while slot < capacity {
      if address >= bounds[2 &* slot], address < bounds[2 &* slot &+ 1] { return true }
      slot &+= 1
    }
    return false
  }

  /// Adds a range.
  ///
  /// - Returns: the argument for `remove(_:)`; nil if there are too many.
  fileprivate static func add(_ base: UnsafeMutableRawPointer, _ byteCount: Int) -> Int? {
    pthread_mutex_lock(lock)
    defer { pthread_mutex_unlock(lock) }
    guard let free = (0..<capacity).first(where: { bounds[2 * $0 + 1] == 0 }) else { return nil }
    bounds[2 * free] = UInt(bitPattern: base)
    bounds[2 * free + 1] = UInt(bitPattern: base) + UInt(byteCount)
    return free
  }

  fileprivate static func remove(_ slot: Int?) {
    guard let slot else { return }
    pthread_mutex_lock(lock)
    defer { pthread_mutex_unlock(lock) }
    bounds[2 * slot + 1] = 0
  }
}

/// The data of the search loops: the shape, and the addresses of the sections.
///
/// Unsafe pointers, so that no loop counts references or checks bounds. The caller keeps the tree's
/// storage alive and uses only slots, leaves and nodes of the shape, so that every address is
/// inside the block even for a damaged file.
///
/// `@unchecked Sendable`: nothing writes to the block once a tree uses it.
struct TreeView: @unchecked Sendable {
  /// The pairs of points of a leaf.
  static let pairCount = TreeShape.leafCapacity / 2

  let shape: TreeShape
  let nodes: UnsafePointer<SIMD4<Float>>
  private let leaves: UnsafeRawPointer
  private let coordinates: UnsafePointer<SIMD2<Double>>

  init(_ storage: TreeStorage, _ shape: TreeShape, _ layout: TreeLayout) {
    self.shape = shape
    let base = UnsafeRawPointer(storage.base)
    nodes = (base + layout.nodes.lowerBound).assumingMemoryBound(to: SIMD4<Float>.self)
    leaves = base + layout.leaves.lowerBound
    coordinates = (base + layout.coordinates.lowerBound)
      .assumingMemoryBound(to: SIMD2<Double>.self)
  }

  /// The pairs of points of a leaf: 16 of x, then of y, then of z.
  func points(ofLeaf leaf: Int) -> UnsafePointer<SIMD2<Double>> {
    (leaves + leaf &* TreeLayout.leafStride).assumingMemoryBound(to: SIMD2<Double>.self)
  }

  /// A bit for each of a leaf's points that is allowed.
  func points(ofLeaf leaf: Int, where allowed: FilterMask?) -> UInt32 {
    // the slots of the last leaf that have no point are its highest
    let empty = TreeShape.leafCapacity &- shape.slots(ofLeaf: leaf).count
    let bits = UInt32.max &>> UInt32(truncatingIfNeeded: empty)
    return allowed?.restrict(bits, leaf: leaf) ?? bits
  }

  /// The position in the caller's collection of the point in a slot.
  func position(atSlot slot: Int) -> Int {
    let position = positions(ofLeaf: slot / TreeShape.leafCapacity)[slot % TreeShape.leafCapacity]
    // a damaged file may hold any number here
    return Swift.min(Int(position), shape.pointCount &- 1)
  }

  /// The positions of a leaf's points.
  func positions(ofLeaf leaf: Int) -> UnsafePointer<UInt32> {
    let points = 3 * TreeShape.leafCapacity * MemoryLayout<Double>.stride
    return (leaves + leaf &* TreeLayout.leafStride + points).assumingMemoryBound(to: UInt32.self)
  }

  /// Latitude and longitude at a position as they are stored: any numbers in a damaged file.
  func degrees(at position: Int) -> SIMD2<Double> { coordinates[position] }

  /// The coordinate at a position, as it was given.
  func coordinate(at position: Int) -> Coordinate {
    let degrees = degrees(at: position)
    return Coordinate(latitude: degrees[0], longitude: degrees[1]) ?? .origin
  }

  /// The point in a slot, meters.
  func point(atSlot slot: Int) -> (x: Double, y: Double, z: Double) {
    let leaf = UnsafeRawPointer(points(ofLeaf: slot / TreeShape.leafCapacity))
      .assumingMemoryBound(to: Double.self)
    let (capacity, lane) = (TreeShape.leafCapacity, slot % TreeShape.leafCapacity)
    return (leaf[lane], leaf[capacity &+ lane], leaf[2 &* capacity &+ lane])
  }

  /// The box of a lane.
  func box(_ node: Int, _ lane: Int) -> FloatBox {
    let bounds = UnsafeRawPointer(nodes).assumingMemoryBound(to: Float.self) + (48 * node + lane)
    return FloatBox(
      low: SIMD4(bounds[0], bounds[16], bounds[32], 0),
      high: SIMD4(bounds[8], bounds[24], bounds[40], 0)
    )
  }

  func ecefPoint(atSlot slot: Int) -> ECEFPoint {
    let point = point(atSlot: slot)
    let coordinate = coordinate(at: position(atSlot: slot))
    return ECEFPoint(x: point.x, y: point.y, z: point.z, coordinate: coordinate)
  }
}

extension Coordinate {
  /// Latitude and longitude zero.
  static let origin = Coordinate(validLatitude: 0, longitude: 0)

  /// A coordinate of numbers that are known to be in range.
  private init(validLatitude latitude: Double, longitude: Double) {
    self.latitude = latitude
    self.longitude = longitude
  }
}

/// A box in space along x, y and z (the fourth number is not used), meters.
struct FloatBox: Equatable {
  private(set) var low: SIMD4<Float>
  private(set) var high: SIMD4<Float>

  /// The empty box: its least values are greater than its greatest ones.
  static let empty = FloatBox(
    low: SIMD4(.infinity, .infinity, .infinity, 0),
    high: SIMD4(-.infinity, -.infinity, -.infinity, 0)
  )

  init(low: SIMD4<Float>, high: SIMD4<Float>) {
    self.low = low
    self.high = high
  }

  /// The least box around the points in some slots.
  init(around slots: Range<Int>, of view: TreeView) {
    var low = SIMD4<Double>(repeating: .infinity)
    var high = -low
    for slot in slots {
      let place = view.point(atSlot: slot)
      let point = SIMD4(place.x, place.y, place.z, 0)
      low.replace(with: point, where: point .< low)
      high.replace(with: point, where: point .> high)
    }
    self.init(
      low: SIMD4(Self.down(low[0]), Self.down(low[1]), Self.down(low[2]), 0),
      high: SIMD4(-Self.down(-high[0]), -Self.down(-high[1]), -Self.down(-high[2]), 0)
    )
  }

  func contains(_ other: FloatBox) -> Bool {
    all(low .<= other.low) && all(other.high .<= high)
  }

  func contains(_ point: (x: Double, y: Double, z: Double)) -> Bool {
    let point = SIMD4(point.x, point.y, point.z, 0)
    return all(SIMD4<Double>(low) .<= point) && all(point .<= SIMD4<Double>(high))
  }

  mutating func formUnion(_ other: FloatBox) {
    low.replace(with: other.low, where: other.low .< low)
    high.replace(with: other.high, where: other.high .> high)
  }

  /// The greatest 32-bit float that is not above a number.
  private static func down(_ number: Double) -> Float {
    let nearest = Float(number)
    return Double(nearest) > number ? nearest.nextDown : nearest
  }
}
