/// A point rounded to 32-bit floats, as an interval along each axis that is sure to contain it.
///
/// Seven vectors, each of one number repeated: the least and the greatest x, y and z, and the weight
/// that squares along the axis have.
struct FloatPoint {
  fileprivate let bounds: UnsafePointer<SIMD4<Float>>

  /// More than the rounding of a coordinate of the Earth (0.25 m), meters.
  private static let slack: Float = 0.5

  /// The bytes of scratch memory that a point needs.
  static let byteCount = 7 * MemoryLayout<SIMD4<Float>>.stride

  /// - Parameters:
  ///   - origin: a point.
  ///   - axialWeight: 1 to compare chords, (a/b)² to compare those on the ellipsoid stretched to a
  ///     sphere of radius a.
  ///   - scratch: `byteCount` bytes, aligned to 16, which must outlive the value.
  @inline(__always)
  init(_ origin: SurfacePoint, axialWeight: Double, scratch: UnsafeMutableRawPointer) {
    let vectors = scratch.assumingMemoryBound(to: SIMD4<Float>.self)
    vectors[0] = SIMD4(repeating: Float(origin.x) - Self.slack)
    vectors[1] = SIMD4(repeating: Float(origin.x) + Self.slack)
    vectors[2] = SIMD4(repeating: Float(origin.y) - Self.slack)
    vectors[3] = SIMD4(repeating: Float(origin.y) + Self.slack)
    vectors[4] = SIMD4(repeating: Float(origin.z) - Self.slack)
    vectors[5] = SIMD4(repeating: Float(origin.z) + Self.slack)
    vectors[6] = SIMD4(repeating: Float(axialWeight))
    bounds = UnsafePointer(vectors)
  }
}

/// The boxes of four of a node's eight lanes.
///
/// Four at a time, by functions that are not inlined: if Swift 6.3 sees two halves next to each
/// other, it interleaves them, with five times the instructions.
struct NodeLanes {
  /// Every second vector: the least x, the greatest x, and so on.
  private let bounds: UnsafePointer<SIMD4<Float>>

  /// - Parameters:
  ///   - nodes: the nodes of a tree.
  ///   - node: which of them.
  ///   - half: lanes 0...3 or 4...7.
  @inline(__always)
  init(_ nodes: UnsafePointer<SIMD4<Float>>, node: Int, half: Int) {
    bounds = nodes + (node &* 12 &+ half)
  }

  /// The axes of space.
  enum Axis: Int {
    case x
    case y
    case z
  }

  /// The two ends of a lane along an axis.
  enum End: Int {
    case low
    case high

    var other: End { self == .low ? .high : .low }
  }

  /// The least or the greatest coordinates of the lanes along an axis.
  @inline(__always)
  subscript(axis: Axis, end: End) -> SIMD4<Float> {
    bounds[4 &* axis.rawValue &+ 2 &* end.rawValue]
  }

  /// Squared chords that no point of a lane can undercut, but for a rounding of 4·10⁻⁷.
  ///
  /// Infinite for an empty lane.
  @inline(never)
  func nearestSquared(to origin: FloatPoint) -> SIMD4<Float> {
    let zero = SIMD4<Float>(repeating: 0)
    let (low, high) = (bounds, bounds + 2)
    let point = origin.bounds
    let x = Self.greater(Self.greater(low[0] - point[1], point[0] - high[0]), zero)
    let y = Self.greater(Self.greater(low[4] - point[3], point[2] - high[4]), zero)
    let z = Self.greater(Self.greater(low[8] - point[5], point[4] - high[8]), zero)
    return x * x + y * y + z * z * point[6]
  }

  /// Squared chords that no point of a lane can exceed, but for a rounding of 4·10⁻⁷.
  @inline(never)
  func farthestSquared(to origin: FloatPoint) -> SIMD4<Float> {
    let (low, high) = (bounds, bounds + 2)
    let point = origin.bounds
    let x = Self.greater(point[1] - low[0], high[0] - point[0])
    let y = Self.greater(point[3] - low[4], high[4] - point[2])
    let z = Self.greater(point[5] - low[8], high[8] - point[4])
    return x * x + y * y + z * z
  }

  @inline(__always)
  private static func greater(_ one: SIMD4<Float>, _ other: SIMD4<Float>) -> SIMD4<Float> {
    let isLess: SIMDMask<SIMD4<Int32>> = one .< other
    return one.replacing(with: other, where: isLess)
  }
}
