/// A bounding box as a region of space: a slab along the axis and a wedge around it.
///
/// The slab lies between two planes z = constant, since z rises strictly with latitude. The wedge
/// is bounded by the half-planes of the western and eastern meridians: the intersection of the two
/// half-spaces up to 180° of width, their union beyond. All of this is linear in x, y and z, so the
/// region can decide whether a node's box is outside, inside, or neither.
///
/// Both answers are proofs, with a margin far greater than rounding. Points on an edge, points
/// of the axis (the poles, which have no longitude) and those of the two meridians are always
/// neither, and ``BoundingBox/contains(_:)`` decides them on the degrees.
struct BoxRegion: SearchRegion {
  private enum Wedge {
    case wholeCircle
    case intersection
    case union
  }

  private let box: BoundingBox
  private let wedge: Wedge

  /// The heights of the southern and northern edges, meters; infinite at the poles.
  private let bottom: Double
  private let top: Double

  private let eastOfWest: HalfSpace
  private let westOfEast: HalfSpace

  /// The margin in meters of a proof with 32-bit floats: three roundings of 0.4 m, and more.
  fileprivate static let laneGuard: Float = 4

  /// Meters around every edge within which the degrees of a point decide: far more than rounding
  /// needs.
  private static let pointGuard = 0.001

  init(_ box: BoundingBox) {
    self.box = box
    func height(_ latitude: Double) -> Double {
      Ellipsoid.MeridianPoint(Angle(degrees: latitude)).z
    }
    bottom = box.south == -90 ? -.infinity : height(box.south)
    top = box.north == 90 ? .infinity : height(box.north)
    let (west, east) = (Angle(degrees: box.west), Angle(degrees: box.east))
    eastOfWest = HalfSpace(normalX: -west.sine, normalY: west.cosine)
    westOfEast = HalfSpace(normalX: east.sine, normalY: -east.cosine)
    let width = box.east - box.west + (box.crossesAntimeridian ? 360 : 0)
    // not by the width: that of a box with a tiny gap rounds to 360
    let isWholeCircle = box.west == -180 && box.east == 180
    wedge = isWholeCircle ? .wholeCircle : width > 180 ? .union : .intersection
  }

  /// Not inlined, see ``NodeLanes``.
  @inline(never)
  func relation(_ lanes: NodeLanes) -> LaneRelation.Half {
    let slab = slabRelation(lanes)
    if wedge == .wholeCircle { return slab }
    let (one, other) = (eastOfWest.relation(lanes), westOfEast.relation(lanes))
    if wedge == .intersection {
      return (
        slab.touched & one.touched & other.touched,
        slab.inside & one.inside & other.inside
      )
    }
    return (
      slab.touched & (one.touched | other.touched),
      slab.inside & (one.inside | other.inside)
    )
  }

  @inline(__always)
  private func slabRelation(_ lanes: NodeLanes) -> LaneRelation.Half {
    let (low, high) = (lanes[.z, .low], lanes[.z, .high])
    let (bottom, top) = (Float(bottom), Float(top))
    // an empty lane is inside out
    let touched =
      mask(low, notAbove: SIMD4(repeating: top + Self.laneGuard))
      & mask(SIMD4(repeating: bottom - Self.laneGuard), notAbove: high)
      & mask(low, notAbove: high)
    let inside =
      mask(SIMD4(repeating: bottom + Self.laneGuard), notAbove: low)
      & mask(high, notAbove: SIMD4(repeating: top - Self.laneGuard))
    return (touched, inside)
  }

  @inline(__always)
  func points(
    ofLeaf leaf: Int,
    in view: TreeView,
    where allowed: FilterMask?,
    _ probe: inout some SearchProbe
  ) -> UInt32 {
    probe.scanLeaf(points: view.shape.slots(ofLeaf: leaf).count)
    let bits = points(ofLeaf: leaf, in: view)
    return allowed?.restrict(bits, leaf: leaf) ?? bits
  }

  /// A bit for each of a leaf's points that is in the box.
  @inline(never)
  func points(ofLeaf leaf: Int, in view: TreeView) -> UInt32 {
    let points = view.points(ofLeaf: leaf)
    func slab(_ pair: Int) -> SIMD2<Double> {
      let z = points[2 &* TreeView.pairCount &+ pair]
      return lesser(z - bottom, top - z)
    }
    func depth(_ pair: Int, _ space: HalfSpace) -> SIMD2<Double> {
      points[pair] * space.normalX + points[TreeView.pairCount &+ pair] * space.normalY
    }
    let bits =
      switch wedge {
      case .wholeCircle: Self.bits(slab)
      case .intersection:
        Self.bits { lesser(slab($0), lesser(depth($0, eastOfWest), depth($0, westOfEast))) }
      case .union:
        Self.bits { lesser(slab($0), greater(depth($0, eastOfWest), depth($0, westOfEast))) }
      }
    return bits ?? decided(leaf, in: view)
  }

  /// Bits of the points that lie at a depth of zero or more meters; nil if one is near an edge.
  @inline(__always)
  private static func bits(_ depth: (Int) -> SIMD2<Double>) -> UInt32? {
    var inside = SIMD2<Int64>.zero
    var minimum = SIMD2<Double>(repeating: .infinity)
    var weights = SIMD2<Int64>(1, 2)
    for pair in 0..<TreeView.pairCount {
      let depth = depth(pair)
      let isInside: SIMDMask<SIMD2<Int64>> = SIMD2<Double>.zero .<= depth
      let bits = unsafeBitCast(depth, to: SIMD2<Int64>.self) & Int64.max
      // no less than the least if there is no point, whose depth is NaN
      minimum = lesser(minimum, unsafeBitCast(bits, to: SIMD2<Double>.self))
      inside |= unsafeBitCast(isInside, to: SIMD2<Int64>.self) & weights
      weights = weights &<< 2
    }
    guard minimum[0] > pointGuard, minimum[1] > pointGuard else { return nil }
    return UInt32(truncatingIfNeeded: inside[0] | inside[1])
  }

  /// The points of a leaf whose degrees are in the box.
  @inline(never)
  private func decided(_ leaf: Int, in view: TreeView) -> UInt32 {
    var inside: UInt32 = 0
    for (lane, slot) in view.shape.slots(ofLeaf: leaf).enumerated() {
      let coordinate = view.coordinate(at: view.position(atSlot: slot))
      if box.contains(coordinate) { inside |= 1 << UInt32(lane) }
    }
    return inside
  }
}

/// The points on one side of a plane through the axis.
private struct HalfSpace {
  /// The unit normal, pointing inward; it has no part along the axis.
  let normalX: Double
  let normalY: Double

  /// The normal in 32-bit floats.
  private let x: SIMD4<Float>
  private let y: SIMD4<Float>

  /// The end of a lane along each axis that lies farthest inward.
  private let farEndX: NodeLanes.End
  private let farEndY: NodeLanes.End

  init(normalX: Double, normalY: Double) {
    self.normalX = normalX
    self.normalY = normalY
    x = SIMD4(repeating: Float(normalX))
    y = SIMD4(repeating: Float(normalY))
    farEndX = normalX < 0 ? .low : .high
    farEndY = normalY < 0 ? .low : .high
  }

  /// Where four lanes are, at least the guard band away from the plane.
  ///
  /// Neither for an empty lane, whose numbers here are negative infinity or NaN.
  @inline(__always)
  func relation(_ lanes: NodeLanes) -> LaneRelation.Half {
    let farthest = x * lanes[.x, farEndX] + y * lanes[.y, farEndY]
    let nearest = x * lanes[.x, farEndX.other] + y * lanes[.y, farEndY.other]
    let guardBand = SIMD4<Float>(repeating: BoxRegion.laneGuard)
    return (mask(-guardBand, notAbove: farthest), mask(guardBand, notAbove: nearest))
  }
}

@inline(__always)
private func mask(_ one: SIMD4<Float>, notAbove other: SIMD4<Float>) -> SIMD4<Int32> {
  let isNotAbove: SIMDMask<SIMD4<Int32>> = one .<= other
  return unsafeBitCast(isNotAbove, to: SIMD4<Int32>.self)
}
