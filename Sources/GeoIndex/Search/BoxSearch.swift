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

  /// The same moved outward and inward by the margin.
  private let outerBottom, innerBottom, outerTop, innerTop: SIMD4<Float>

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
    outerBottom = SIMD4(repeating: Float(bottom) - Self.laneGuard)
    innerBottom = SIMD4(repeating: Float(bottom) + Self.laneGuard)
    outerTop = SIMD4(repeating: Float(top) + Self.laneGuard)
    innerTop = SIMD4(repeating: Float(top) - Self.laneGuard)
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
    let (low, high) = (lanes[.z, .low], lanes[.z, .high])
    // an empty lane is inside out
    let slab = (
      touched: mask(low, notAbove: outerTop) & mask(outerBottom, notAbove: high)
        & mask(low, notAbove: high),
      inside: mask(innerBottom, notAbove: low) & mask(high, notAbove: innerTop)
    )
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
    var minimum = SIMD2<Double>(repeating: .infinity)
    let inside = leafBits { pair in
      let depth = depth(pair)
      let bits = unsafeBitCast(depth, to: SIMD2<Int64>.self) & Int64.max
      // no less than the least if there is no point, whose depth is NaN
      minimum = lesser(minimum, unsafeBitCast(bits, to: SIMD2<Double>.self))
      return SIMD2<Double>.zero .<= depth
    }
    return minimum[0] > pointGuard && minimum[1] > pointGuard ? inside : nil
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

  init(normalX: Double, normalY: Double) {
    self.normalX = normalX
    self.normalY = normalY
    x = SIMD4(repeating: Float(normalX))
    y = SIMD4(repeating: Float(normalY))
  }

  /// Where four lanes are, at least the guard band away from the plane.
  ///
  /// Without meaning for an empty lane, which the slab rules out.
  @inline(__always)
  func relation(_ lanes: NodeLanes) -> LaneRelation.Half {
    let (x0, x1) = (x * lanes[.x, .low], x * lanes[.x, .high])
    let (y0, y1) = (y * lanes[.y, .low], y * lanes[.y, .high])
    let guardBand = SIMD4<Float>(repeating: BoxRegion.laneGuard)
    return (
      mask(-guardBand, notAbove: greater(x0, x1) + greater(y0, y1)),
      mask(guardBand, notAbove: lesser(x0, x1) + lesser(y0, y1))
    )
  }
}
