/// The squared chords from a point to the points of a leaf.
struct LeafScan {
  /// Pairs, in the order of the slots.
  private let values: UnsafeMutablePointer<SIMD2<Double>>

  /// The bytes of scratch memory that a scan needs.
  static let byteCount = (TreeView.pairCount + 1) * MemoryLayout<SIMD2<Double>>.stride

  /// - Parameter scratch: `byteCount` bytes, aligned to 16.
  init(scratch: UnsafeMutableRawPointer) {
    values = scratch.assumingMemoryBound(to: SIMD2<Double>.self)
  }

  /// Measures a leaf.
  ///
  /// - Parameters:
  ///   - points: sixteen pairs of x, of y, of z.
  ///   - origin: the point to measure from.
  ///   - limit: a squared chord, square meters, finite.
  /// - Returns: a bit for each point whose squared chord is at most the limit; never for a slot
  ///   without a point, whose chord is NaN.
  @inline(__always)
  func measure(
    _ points: UnsafePointer<SIMD2<Double>>,
    from origin: ECEFPoint,
    limit: Double
  ) -> UInt32 {
    // the positions follow the points: fetching them now saves waiting for them later
    values[TreeView.pairCount] = points[3 &* TreeView.pairCount]
    return leafBits { pair in
      values[pair] = Self.squared(points, pair, origin)
      return values[pair] .<= SIMD2(repeating: limit)
    }
  }

  /// A bit for each point measured last whose squared chord is at most a limit.
  @inline(__always)
  func bits(within limit: Double) -> UInt32 {
    leafBits { values[$0] .<= SIMD2(repeating: limit) }
  }

  /// Measures a leaf likewise; the least squared chord that is a number, infinity if there is none.
  @inline(__always)
  func measureMinimum(_ points: UnsafePointer<SIMD2<Double>>, from origin: ECEFPoint) -> Double {
    values[TreeView.pairCount] = points[3 &* TreeView.pairCount]
    var minimum = SIMD2<Double>(repeating: .infinity)
    for pair in 0..<TreeView.pairCount {
      let squared = Self.squared(points, pair, origin)
      values[pair] = squared
      let isLess: SIMDMask<SIMD2<Int64>> = squared .< minimum
      minimum = minimum.replacing(with: squared, where: isLess)
    }
    return minimum[0] < minimum[1] ? minimum[0] : minimum[1]
  }

  /// The squared chords to a pair of a leaf's points.
  @inline(__always)
  static func squared(
    _ points: UnsafePointer<SIMD2<Double>>,
    _ pair: Int,
    _ origin: ECEFPoint
  ) -> SIMD2<Double> {
    let dx = points[pair] - origin.x
    let dy = points[TreeView.pairCount &+ pair] - origin.y
    let dz = points[2 &* TreeView.pairCount &+ pair] - origin.z
    // summed as Geodesic sums: a chord has the same bits everywhere
    return (dx * dx + dy * dy) + dz * dz
  }

  /// The squared chords to the points in the lanes 2i and 2i + 1.
  @inline(__always)
  func pair(_ index: Int) -> SIMD2<Double> { values[index] }

  /// The squared chord to the point in a lane, 0..<32.
  @inline(__always)
  subscript(lane: Int) -> Double {
    UnsafeRawPointer(values).assumingMemoryBound(to: Double.self)[lane]
  }
}

/// A bit for each of a leaf's points for which a test of pairs is true.
@inline(__always)
func leafBits(_ test: (_ pair: Int) -> SIMDMask<SIMD2<Int64>>) -> UInt32 {
  var bits = SIMD2<Int64>.zero
  for half in (0..<TreeView.pairCount / 2).reversed() {
    // true is -1; two a turn are faster
    bits = bits &<< 2 &- unsafeBitCast(test(2 &* half &+ 1), to: SIMD2<Int64>.self)
    bits = bits &<< 2 &- unsafeBitCast(test(2 &* half), to: SIMD2<Int64>.self)
  }
  return UInt32(truncatingIfNeeded: bits[0] | bits[1] &<< 1)
}

extension TreeView {
  /// The points in two slots with their reported distances: two take hardly longer than one.
  @inline(__always)
  func neighbors(
    _ one: Int,
    _ other: Int,
    from origin: ECEFPoint,
    _ probe: inout some SearchProbe
  ) -> (Neighbor, Neighbor) {
    probe.solveDistances(one == other ? 1 : 2)
    let (first, second) = (point(atSlot: one), point(atSlot: other))
    let chords = Chords(
      from: origin,
      x: SIMD2(first.x, second.x),
      y: SIMD2(first.y, second.y),
      z: SIMD2(first.z, second.z)
    )
    let distances = Geodesic.nearDistances(chords)
    var pair = (
      Neighbor(index: position(atSlot: one), distance: distances[0]),
      Neighbor(index: position(atSlot: other), distance: distances[1])
    )
    let isFar: SIMDMask<SIMD2<Int64>> =
      chords.squared .> SIMD2(repeating: ChordLimits.maximumNearSquared)
    guard any(isFar) else { return pair }
    if isFar[0] { pair.0 = farNeighbor(pair.0.index, from: origin, &probe) }
    if isFar[1], one != other { pair.1 = farNeighbor(pair.1.index, from: origin, &probe) }
    return pair
  }

  /// Appends the points in some slots that are within a distance to `count` others.
  ///
  /// There must be room for one point more than there are slots.
  @inline(__always)
  func appendNeighbors(
    in slots: some Sequence<Int>,
    from origin: ECEFPoint,
    within maximumDistance: Double,
    to base: UnsafeMutablePointer<Neighbor>,
    _ count: inout Int,
    _ probe: inout some SearchProbe
  ) {
    var rest = slots.makeIterator()
    while let one = rest.next() {
      let other = rest.next() ?? one
      let pair = neighbors(one, other, from: origin, &probe)
      // each overwrites the previous one if that is too far away
      base[count] = pair.0
      count &+= pair.0.distance <= maximumDistance ? 1 : 0
      base[count] = pair.1
      count &+= pair.1.distance <= maximumDistance && other != one ? 1 : 0
    }
  }

  @inline(never)
  private func farNeighbor(
    _ position: Int,
    from origin: ECEFPoint,
    _ probe: inout some SearchProbe
  ) -> Neighbor {
    probe.solveLongGeodesics(1)
    let inverse = GeodesicInverse(from: origin.coordinate, to: coordinate(at: position))
    return Neighbor(index: position, distance: inverse.distance)
  }
}

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
  init(_ origin: ECEFPoint, axialWeight: Double, scratch: UnsafeMutableRawPointer) {
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

  /// The lanes 0...3 or 4...7 of a node.
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
    let x = greater(greater(low[0] - point[1], point[0] - high[0]), zero)
    let y = greater(greater(low[4] - point[3], point[2] - high[4]), zero)
    let z = greater(greater(low[8] - point[5], point[4] - high[8]), zero)
    return x * x + y * y + z * z * point[6]
  }

  /// Squared chords that no point of a lane can exceed, but for a rounding of 4·10⁻⁷.
  @inline(never)
  func farthestSquared(to origin: FloatPoint) -> SIMD4<Float> {
    let (low, high) = (bounds, bounds + 2)
    let point = origin.bounds
    let x = greater(point[1] - low[0], high[0] - point[0])
    let y = greater(point[3] - low[4], high[4] - point[2])
    let z = greater(point[5] - low[8], high[8] - point[4])
    return x * x + y * y + z * z
  }
}

/// All bits of each lane where one number is not above the other, none elsewhere.
@inline(__always)
func mask(_ one: SIMD4<Float>, notAbove other: SIMD4<Float>) -> SIMD4<Int32> {
  let isNotAbove: SIMDMask<SIMD4<Int32>> = one .<= other
  return unsafeBitCast(isNotAbove, to: SIMD4<Int32>.self)
}

@inline(__always)
func lesser(_ one: SIMD2<Double>, _ other: SIMD2<Double>) -> SIMD2<Double> {
  let isLess: SIMDMask<SIMD2<Int64>> = other .< one
  return one.replacing(with: other, where: isLess)
}

@inline(__always)
func lesser(_ one: SIMD4<Float>, _ other: SIMD4<Float>) -> SIMD4<Float> {
  let isLess: SIMDMask<SIMD4<Int32>> = other .< one
  return one.replacing(with: other, where: isLess)
}

@inline(__always)
func greater(_ one: SIMD4<Float>, _ other: SIMD4<Float>) -> SIMD4<Float> {
  let isLess: SIMDMask<SIMD4<Int32>> = one .< other
  return one.replacing(with: other, where: isLess)
}

@inline(__always)
func greater(_ one: SIMD2<Double>, _ other: SIMD2<Double>) -> SIMD2<Double> {
  let isLess: SIMDMask<SIMD2<Int64>> = one .< other
  return one.replacing(with: other, where: isLess)
}
