/// A bounding box as a region of space: a slab along the axis and a wedge around it.
///
/// The slab lies between two planes z = constant, since z rises strictly with latitude. The wedge is
/// bounded by the half-planes of the western and eastern meridians: the intersection of the two
/// half-spaces up to 180° of width, their union beyond. All is linear in x, y and z, so the region
/// tells of a node's box whether it lies outside, inside, or neither.
///
/// Both answers are proofs: they leave a metre of room, far more than rounding needs. Points on an
/// edge, points of the axis (the poles, which have no longitude) and those of the two meridians are
/// always neither, and ``BoundingBox/contains(_:)`` decides them on the degrees.
struct BoxRegion {
  private enum Wedge {
    case wholeCircle
    case intersection
    case union
  }

  /// Metres that a proof keeps from every edge.
  private static let guardBand = 1.0

  private let bottom: Double
  private let top: Double
  private let wedge: Wedge
  private let eastOfWest: HalfSpace
  private let westOfEast: HalfSpace

  init(_ box: BoundingBox) {
    bottom = box.south == -90 ? -.infinity : Ellipsoid.height(ofLatitude: box.south)
    top = box.north == 90 ? .infinity : Ellipsoid.height(ofLatitude: box.north)
    let west = Angle(degrees: box.west)
    let east = Angle(degrees: box.east)
    eastOfWest = HalfSpace(normalX: -west.sine, normalY: west.cosine)
    westOfEast = HalfSpace(normalX: east.sine, normalY: -east.cosine)
    let width = box.east - box.west + (box.crossesAntimeridian ? 360 : 0)
    // not by the width: that of a box with a tiny gap rounds to 360
    let isWholeCircle = box.west == -180 && box.east == 180
    wedge = isWholeCircle ? .wholeCircle : width > 180 ? .union : .intersection
  }

  /// Where a node's box certainly lies.
  func relation(of node: NodeBox) -> Relation {
    let slab = Relation(
      isOutside: node.maxZ < bottom - Self.guardBand || node.minZ > top + Self.guardBand,
      isInside: node.minZ > bottom + Self.guardBand && node.maxZ < top - Self.guardBand
    )
    if slab == .outside { return .outside }
    let wedge = wedgeRelation(of: node)
    return slab == .inside ? wedge : wedge == .outside ? .outside : .cut
  }

  private func wedgeRelation(of node: NodeBox) -> Relation {
    let one = eastOfWest.relation(of: node, guardBand: Self.guardBand)
    let other = westOfEast.relation(of: node, guardBand: Self.guardBand)
    return switch wedge {
    case .wholeCircle: .inside
    case .intersection:
      Relation(
        isOutside: one == .outside || other == .outside,
        isInside: one == .inside && other == .inside
      )
    case .union:
      Relation(
        isOutside: one == .outside && other == .outside,
        isInside: one == .inside || other == .inside
      )
    }
  }
}

/// Where a node lies as seen from a region.
enum Relation {
  case outside
  case cut
  case inside

  init(isOutside: Bool, isInside: Bool) {
    self = isOutside ? .outside : isInside ? .inside : .cut
  }
}

/// The points on one side of a plane through the axis.
private struct HalfSpace {
  /// The unit normal, pointing inward; it has no part along the axis.
  let normalX: Double
  let normalY: Double

  /// Where a box lies, at least the guard band away from the plane.
  func relation(of node: NodeBox, guardBand: Double) -> Relation {
    let x = (normalX * node.minX, normalX * node.maxX)
    let y = (normalY * node.minY, normalY * node.maxY)
    return Relation(
      isOutside: max(x.0, x.1) + max(y.0, y.1) < -guardBand,
      isInside: min(x.0, x.1) + min(y.0, y.1) > guardBand
    )
  }
}
