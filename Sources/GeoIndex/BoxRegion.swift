/// A bounding box as a region of space: a slab along the axis and a wedge around it.
///
/// The slab lies between two planes z = constant, since z rises strictly with latitude. The wedge is
/// bounded by the half-planes of the western and eastern meridians: the intersection of the two
/// half-spaces up to 180° of width, their union beyond. All is linear in x, y and z, so the region
/// tells of a node's box whether it lies outside, inside, or neither.
///
/// Both answers are proofs: they leave far more room than rounding needs. Points on an edge, points
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

  /// The heights of the southern and northern edges, metres; infinite at the poles.
  let bottom: Double
  let top: Double

  let eastOfWest: HalfSpace
  let westOfEast: HalfSpace

  /// Metres that a proof on 32-bit floats keeps from every edge: three roundings of 0.4 m, and more.
  private static let guardBand: Float = 4

  init(_ box: BoundingBox) {
    self.box = box
    let latitudes = AnglePair(degrees: SIMD2(box.south, box.north))
    bottom = box.south == -90 ? -.infinity : Ellipsoid.Place(latitudes.first).z
    top = box.north == 90 ? .infinity : Ellipsoid.Place(latitudes.second).z
    let longitudes = AnglePair(degrees: SIMD2(box.west, box.east))
    let (west, east) = (longitudes.first, longitudes.second)
    eastOfWest = HalfSpace(normalX: -west.sine, normalY: west.cosine)
    westOfEast = HalfSpace(normalX: east.sine, normalY: -east.cosine)
    let width = box.east - box.west + (box.crossesAntimeridian ? 360 : 0)
    // not by the width: that of a box with a tiny gap rounds to 360
    let isWholeCircle = box.west == -180 && box.east == 180
    wedge = isWholeCircle ? .wholeCircle : width > 180 ? .union : .intersection
  }

  @inline(__always)
  func relation(of view: TreeView, node: Int) -> LaneRelation {
    let low = relation(NodeLanes(view.nodes, node: node, half: 0))
    let high = relation(NodeLanes(view.nodes, node: node, half: 1))
    return LaneRelation(touched: (low.touched, high.touched), inside: (low.inside, high.inside))
  }

  /// Per lane all bits set or none.
  typealias HalfRelation = (touched: SIMD4<Int32>, inside: SIMD4<Int32>)

  /// Where four lanes lie.
  @inline(never)
  private func relation(_ lanes: NodeLanes) -> HalfRelation {
    let guardBand = Self.guardBand
    let lowest = SIMD4<Float>(repeating: Float(bottom))
    let highest = SIMD4<Float>(repeating: Float(top))
    let (low, high) = (lanes.low(.z), lanes.high(.z))
    var touched = Self.mask(low - guardBand, notAbove: highest)
    // an empty lane is inside out
    touched &= Self.mask(lowest, notAbove: high + guardBand) & Self.mask(low, notAbove: high)
    var inside = Self.mask(lowest, notAbove: low - guardBand)
    inside &= Self.mask(high + guardBand, notAbove: highest)
    if wedge != .wholeCircle {
      let one = eastOfWest.relation(lanes, guardBand)
      let other = westOfEast.relation(lanes, guardBand)
      let isUnion = wedge == .union
      touched &= isUnion ? one.touched | other.touched : one.touched & other.touched
      inside &= isUnion ? one.inside | other.inside : one.inside & other.inside
    }
    return (touched, inside & touched)
  }

  @inline(__always)
  static func mask(_ one: SIMD4<Float>, notAbove other: SIMD4<Float>) -> SIMD4<Int32> {
    let isNotAbove: SIMDMask<SIMD4<Int32>> = one .<= other
    return unsafeBitCast(isNotAbove, to: SIMD4<Int32>.self)
  }
}

/// The points on one side of a plane through the axis.
struct HalfSpace {
  /// The unit normal, pointing inward; it has no part along the axis.
  let normalX: Double
  let normalY: Double

  /// Where four lanes lie, at least the guard band away from the plane.
  @inline(__always)
  func relation(_ lanes: NodeLanes, _ guardBand: Float) -> BoxRegion.HalfRelation {
    let x = SIMD4<Float>(repeating: Float(normalX))
    let y = SIMD4<Float>(repeating: Float(normalY))
    let (lowX, highX) = (lanes.low(.x), lanes.high(.x))
    let (lowY, highY) = (lanes.low(.y), lanes.high(.y))
    let farthest = x * (normalX < 0 ? lowX : highX) + y * (normalY < 0 ? lowY : highY)
    let nearest = x * (normalX < 0 ? highX : lowX) + y * (normalY < 0 ? highY : lowY)
    return (
      BoxRegion.mask(SIMD4(repeating: -guardBand), notAbove: farthest),
      BoxRegion.mask(SIMD4(repeating: guardBand), notAbove: nearest)
    )
  }
}
