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
    nodes = Self.section(layout.nodes, of: storage)
    leaves = UnsafeRawPointer(storage.base + layout.leaves.lowerBound)
    coordinates = Self.section(layout.coordinates, of: storage)
  }

  private static func section<Element>(
    _ range: Range<Int>,
    of storage: TreeStorage
  ) -> UnsafePointer<Element> {
    UnsafePointer((storage.base + range.lowerBound).assumingMemoryBound(to: Element.self))
  }

  /// The pairs of points of a leaf: 16 of x, then of y, then of z.
  @inline(__always)
  func points(ofLeaf leaf: Int) -> UnsafePointer<SIMD2<Double>> {
    (leaves + leaf &* TreeLayout.leafStride).assumingMemoryBound(to: SIMD2<Double>.self)
  }

  /// The position in the caller's collection of the point in a slot.
  @inline(__always)
  func position(atSlot slot: Int) -> Int {
    // a damaged file may hold any number here
    Swift.min(
      Int(positions(ofLeaf: slot / TreeShape.leafCapacity)[slot % TreeShape.leafCapacity]),
      shape.pointCount &- 1
    )
  }

  /// The positions of a leaf's points.
  @inline(__always)
  func positions(ofLeaf leaf: Int) -> UnsafePointer<UInt32> {
    let points = 3 * TreeShape.leafCapacity * MemoryLayout<Double>.stride
    return (leaves + leaf &* TreeLayout.leafStride + points).assumingMemoryBound(to: UInt32.self)
  }

  /// The coordinate at a position, as it was given.
  func coordinate(at position: Int) -> Coordinate {
    let degrees = coordinates[position]
    // a damaged file may hold any numbers here
    return Coordinate(latitude: degrees[0], longitude: degrees[1]) ?? .origin
  }

  /// The point and the coordinate of the point in a slot.
  @inline(__always)
  func point(atSlot slot: Int) -> (x: Double, y: Double, z: Double) {
    let capacity = TreeShape.leafCapacity
    let pairs = points(ofLeaf: slot / capacity)
    let leaf = UnsafeRawPointer(pairs).assumingMemoryBound(to: Double.self)
    let lane = slot % capacity
    return (leaf[lane], leaf[capacity &+ lane], leaf[2 &* capacity &+ lane])
  }

  func surfacePoint(atSlot slot: Int) -> SurfacePoint {
    let point = point(atSlot: slot)
    let coordinate = coordinate(at: position(atSlot: slot))
    return SurfacePoint(x: point.x, y: point.y, z: point.z, coordinate: coordinate)
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
