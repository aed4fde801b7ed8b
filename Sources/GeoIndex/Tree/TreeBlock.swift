/// A tree's block while it is filled.
struct TreeBlock {
  private let nodes: UnsafeMutablePointer<Float>
  private let leaves: UnsafeMutableRawPointer
  private let coordinates: UnsafeMutablePointer<Double>

  private var capacity: Int { TreeShape.leafCapacity }

  init(_ storage: TreeStorage, _ layout: TreeLayout) {
    nodes = (storage.base + layout.nodes.lowerBound).assumingMemoryBound(to: Float.self)
    leaves = storage.base + layout.leaves.lowerBound
    coordinates = (storage.base + layout.coordinates.lowerBound)
      .assumingMemoryBound(to: Double.self)
  }

  @inline(__always)
  func setCoordinate(_ position: Int, to coordinate: Coordinate) {
    coordinates[2 &* position] = coordinate.latitude
    coordinates[2 &* position &+ 1] = coordinate.longitude
  }

  /// A coordinate that was set.
  @inline(__always)
  func coordinate(at position: Int) -> Coordinate {
    Coordinate(
      latitude: coordinates[2 &* position],
      longitude: coordinates[2 &* position &+ 1]
    ) ?? .origin
  }

  @inline(__always)
  private func points(_ leaf: Int) -> UnsafeMutablePointer<Double> {
    (leaves + leaf &* TreeLayout.leafStride).assumingMemoryBound(to: Double.self)
  }

  @inline(__always)
  func setPlace(_ leaf: Int, _ lane: Int, to point: SurfacePoint, position: Int) {
    let points = points(leaf)
    points[lane] = point.x
    points[capacity &+ lane] = point.y
    points[2 &* capacity &+ lane] = point.z
    setPosition(leaf, lane, to: UInt32(truncatingIfNeeded: position))
  }

  /// Marks a slot as one without a point.
  func clearPlace(_ leaf: Int, _ lane: Int) {
    let points = points(leaf)
    points[lane] = .nan
    points[capacity + lane] = .nan
    points[2 * capacity + lane] = .nan
    setPosition(leaf, lane, to: 0)
  }

  @inline(__always)
  private func setPosition(_ leaf: Int, _ lane: Int, to position: UInt32) {
    let positions = UnsafeMutableRawPointer(points(leaf) + 3 * TreeShape.leafCapacity)
    positions.assumingMemoryBound(to: UInt32.self)[lane] = position
  }

  func setBox(_ node: Int, _ lane: Int, to box: FloatBox) {
    let bounds = nodes + (node &* 48 &+ lane)
    for axis in 0..<3 {
      bounds[16 &* axis] = box.low[axis]
      bounds[16 &* axis &+ 8] = box.high[axis]
    }
  }

  /// The box around the points of a leaf.
  func box(ofLeaf leaf: Int, count: Int) -> FloatBox {
    let points = points(leaf)
    var low = SIMD4<Double>(repeating: .infinity)
    var high = -low
    for lane in 0..<count {
      let point = SIMD4(points[lane], points[capacity + lane], points[2 * capacity + lane], 0)
      low.replace(with: point, where: point .< low)
      high.replace(with: point, where: point .> high)
    }
    return FloatBox(low: low, high: high)
  }

  /// The box around the boxes of a node.
  func box(ofNode node: Int) -> FloatBox {
    var box = FloatBox.empty
    for lane in 0..<8 {
      let bounds = nodes + (node &* 48 &+ lane)
      box.formUnion(
        FloatBox(
          low: SIMD4(bounds[0], bounds[16], bounds[32], 0),
          high: SIMD4(bounds[8], bounds[24], bounds[40], 0)
        )
      )
    }
    return box
  }
}

/// A box in space along x, y and z (the fourth number is not used), meters.
struct FloatBox: Equatable {
  private(set) var low: SIMD4<Float>
  private(set) var high: SIMD4<Float>

  /// The empty box: its least values are greater than its greatest ones.
  static let empty = FloatBox(
    low: SIMD4<Float>(repeating: .infinity),
    high: SIMD4<Float>(repeating: -.infinity)
  )

  init(low: SIMD4<Float>, high: SIMD4<Float>) {
    self.low = low
    self.high = high
  }

  /// The least box of 32-bit floats around one of 64-bit floats.
  init(low: SIMD4<Double>, high: SIMD4<Double>) {
    self.init(
      low: SIMD4(Self.down(low[0]), Self.down(low[1]), Self.down(low[2]), 0),
      high: SIMD4(-Self.down(-high[0]), -Self.down(-high[1]), -Self.down(-high[2]), 0)
    )
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
