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
  enum Wedge {
    case wholeCircle
    case intersection
    case union
  }

  let box: BoundingBox
  let wedge: Wedge

  /// The heights of the southern and northern edges, meters; infinite at the poles.
  let bottom: Double
  let top: Double

  let eastOfWest: HalfSpace
  let westOfEast: HalfSpace

  private let slab: FloatSlab

  /// The margin in meters of a proof with 32-bit floats: three roundings of 0.4 m, and more.
  fileprivate static let guardBand: Float = 4

  init(_ box: BoundingBox) {
    self.box = box
    let latitudes = AnglePair(degrees: SIMD2(box.south, box.north))
    bottom = box.south == -90 ? -.infinity : Ellipsoid.MeridianPoint(latitudes.first).z
    top = box.north == 90 ? .infinity : Ellipsoid.MeridianPoint(latitudes.second).z
    slab = FloatSlab(bottom: Float(bottom), top: Float(top))
    let longitudes = AnglePair(degrees: SIMD2(box.west, box.east))
    let (west, east) = (longitudes.first, longitudes.second)
    eastOfWest = HalfSpace(normalX: -west.sine, normalY: west.cosine)
    westOfEast = HalfSpace(normalX: east.sine, normalY: -east.cosine)
    let width = box.east - box.west + (box.crossesAntimeridian ? 360 : 0)
    // not by the width: that of a box with a tiny gap rounds to 360
    let isWholeCircle = box.west == -180 && box.east == 180
    wedge = isWholeCircle ? .wholeCircle : width > 180 ? .union : .intersection
  }

  var edges: Edges { wedge == .wholeCircle ? Self.slabEdges : [Self.slabEdges, Self.wedgeEdges] }

  static let southern = Edges(rawValue: 1)
  static let northern = Edges(rawValue: 2)
  static let western = Edges(rawValue: 4)
  static let eastern = Edges(rawValue: 8)
  private static let slabEdges: Edges = [southern, northern]
  private static let wedgeEdges: Edges = [western, eastern]

  @inline(__always)
  func relation(of view: TreeView, node: Int, cutBy edges: Edges) -> LaneRelation {
    let low = NodeLanes(view.nodes, node: node, half: 0)
    let high = NodeLanes(view.nodes, node: node, half: 1)
    if edges.isDisjoint(with: Self.wedgeEdges) {
      return LaneRelation(slab.relation(low), slab.relation(high))
    }
    let (one, other) = (wedgeRelation(low), wedgeRelation(high))
    if edges.isDisjoint(with: Self.slabEdges) { return LaneRelation(one, other) }
    return LaneRelation(Self.both(slab.relation(low), one), Self.both(slab.relation(high), other))
  }

  @inline(__always)
  private static func both(
    _ one: LaneRelation.Half,
    _ other: LaneRelation.Half
  ) -> LaneRelation.Half {
    LaneRelation.Half(touched: one.touched & other.touched, cuts: one.cuts | other.cuts)
  }

  /// The relation of four lanes to the wedge.
  @inline(never)
  private func wedgeRelation(_ lanes: NodeLanes) -> LaneRelation.Half {
    let one = eastOfWest.relation(lanes)
    let other = westOfEast.relation(lanes)
    let weights = LaneRelation.weights
    if wedge == .intersection {
      return LaneRelation.Half(
        touched: one.touched & other.touched,
        cuts: ((weights & ~one.inside) &<< 16) | ((weights & ~other.inside) &<< 24)
      )
    }
    // inside one is inside the union; if one is not touched, the other decides
    let open = weights & ~(one.inside | other.inside)
    return LaneRelation.Half(
      touched: one.touched | other.touched,
      cuts: ((open & one.touched) &<< 16) | ((open & other.touched) &<< 24)
    )
  }

  @inline(__always)
  fileprivate static func mask(
    _ one: SIMD4<Float>,
    notAbove other: SIMD4<Float>
  ) -> SIMD4<Int32> {
    let isNotAbove: SIMDMask<SIMD4<Int32>> = one .<= other
    return unsafeBitCast(isNotAbove, to: SIMD4<Int32>.self)
  }
}

/// The points between two planes across the axis, in 32-bit floats.
private struct FloatSlab {
  /// The planes, each moved outward and inward by the guard band.
  let outerBottom: SIMD4<Float>
  let innerBottom: SIMD4<Float>
  let outerTop: SIMD4<Float>
  let innerTop: SIMD4<Float>

  init(bottom: Float, top: Float) {
    outerBottom = SIMD4(repeating: bottom - BoxRegion.guardBand)
    innerBottom = SIMD4(repeating: bottom + BoxRegion.guardBand)
    outerTop = SIMD4(repeating: top + BoxRegion.guardBand)
    innerTop = SIMD4(repeating: top - BoxRegion.guardBand)
  }

  /// The relation of four lanes to the slab.
  @inline(never)
  func relation(_ lanes: NodeLanes) -> LaneRelation.Half {
    let (low, high) = (lanes[.z, .low], lanes[.z, .high])
    var touched = BoxRegion.mask(low, notAbove: outerTop)
    // an empty lane is inside out
    touched &= BoxRegion.mask(outerBottom, notAbove: high) & BoxRegion.mask(low, notAbove: high)
    let isAbove = BoxRegion.mask(innerBottom, notAbove: low)
    let isBelow = BoxRegion.mask(high, notAbove: innerTop)
    let weights = LaneRelation.weights
    return LaneRelation.Half(
      touched: touched,
      cuts: (weights & ~isAbove) | ((weights & ~isBelow) &<< 8)
    )
  }
}

/// The points on one side of a plane through the axis.
struct HalfSpace {
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

  /// Where four lanes are, at least the guard band away from the plane: per lane all bits or none.
  ///
  /// Neither for an empty lane, whose numbers here are negative infinity or NaN.
  @inline(__always)
  fileprivate func relation(
    _ lanes: NodeLanes
  ) -> (touched: SIMD4<Int32>, inside: SIMD4<Int32>) {
    let guardBand = SIMD4<Float>(repeating: BoxRegion.guardBand)
    let farthest = x * lanes[.x, farEndX] + y * lanes[.y, farEndY]
    let nearest = x * lanes[.x, farEndX.other] + y * lanes[.y, farEndY.other]
    return (
      BoxRegion.mask(-guardBand, notAbove: farthest),
      BoxRegion.mask(guardBand, notAbove: nearest)
    )
  }
}
