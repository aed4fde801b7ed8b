/// All points within a radius, as far as straight chords can prove it.
struct BallRegion: SearchRegion {
  let origin: SurfacePoint
  let radius: Double

  var edges: Edges { Edges(rawValue: 1) }

  /// The squared chord above which a point is certainly outside, square meters; finite.
  let touchedSquared: Double

  /// The squared chord up to which a point is certainly inside; negative if nothing is certain.
  let insideSquared: Double

  private let reach: Reach
  private let floatPoint: FloatPoint
  private let touchedLimit: Float
  private let insideLimit: Float

  /// - Parameters:
  ///   - radius: meters, zero or more, or infinity.
  ///   - origin: the center.
  ///   - scratch: `FloatPoint.byteCount` bytes, aligned to 16, which must outlive the value.
  @inline(__always)
  init(radius: Double, of origin: SurfacePoint, scratch: UnsafeMutableRawPointer) {
    self.origin = origin
    self.radius = radius
    reach = Reach(radius)
    touchedSquared = reach.finiteChordSquared
    insideSquared = min(Reach.certainChordSquared(within: radius), 2e14)
    floatPoint = FloatPoint(origin, axialWeight: 1, scratch: scratch)
    // by more than the rounding of a lane's bound
    touchedLimit = Float(touchedSquared) * (1 + 0x1p-20) + Float.leastNormalMagnitude
    insideLimit = Float(insideSquared) * (1 - 0x1p-20)
  }

  @inline(__always)
  func relation(of view: TreeView, node: Int, cutBy edges: Edges) -> LaneRelation {
    LaneRelation(
      relation(NodeLanes(view.nodes, node: node, half: 0)),
      relation(NodeLanes(view.nodes, node: node, half: 1))
    )
  }

  @inline(__always)
  private func relation(_ lanes: NodeLanes) -> LaneRelation.Half {
    let touched = Self.mask(lanes.nearestSquared(to: floatPoint), within: touchedLimit)
    let inside = Self.mask(lanes.farthestSquared(to: floatPoint), within: insideLimit)
    return LaneRelation.Half(touched: touched, cuts: LaneRelation.weights & ~inside)
  }

  @inline(__always)
  private static func mask(_ squared: SIMD4<Float>, within limit: Float) -> SIMD4<Int32> {
    let isWithin: SIMDMask<SIMD4<Int32>> = squared .<= SIMD4<Float>(repeating: limit)
    return unsafeBitCast(isWithin, to: SIMD4<Int32>.self)
  }

  /// Whether a point is inside, if its chord does not decide.
  func contains(_ slot: Int, of view: TreeView, _ probe: inout some SearchProbe) -> Bool {
    let point = view.point(atSlot: slot)
    let chord = Chord(x: point.x - origin.x, y: point.y - origin.y, z: point.z - origin.z)
    if reach.rulesOut(chord) { return false }
    probe.solveDistances(1)
    if chord.squared <= ChordBound.greatestNear {
      return Geodesic.nearDistance(from: origin, x: point.x, y: point.y, z: point.z) <= radius
    }
    if chord.squared <= EstimateRuler.greatestChordSquared {
      let estimate = GeodesicEstimate(from: origin, x: point.x, y: point.y, z: point.z).distance
      let margin = EstimateRuler.margin(at: estimate)
      if (estimate - radius).magnitude > margin { return estimate < radius }
      probe.solveDistances(1)
    }
    probe.solveLongGeodesics(1)
    let end = view.coordinate(at: view.position(atSlot: slot))
    return GeodesicInverse(from: origin.coordinate, to: end).distance <= radius
  }
}
