/// The straight line between two points, split into its parts across and along the Earth's axis.
struct Chord {
  /// dx² + dy², square meters.
  let equatorialSquared: Double

  /// dz², square meters.
  let axialSquared: Double

  /// The line of the given extents along x, y and z, meters.
  init(x: Double, y: Double, z: Double) {
    equatorialSquared = x * x + y * y
    axialSquared = z * z
  }

  init(from start: SurfacePoint, to end: SurfacePoint) {
    self.init(x: end.x - start.x, y: end.y - start.y, z: end.z - start.z)
  }

  /// The square of the length, square meters.
  var squared: Double { equatorialSquared + axialSquared }

  /// The square of the length after the ellipsoid is scaled to the unit sphere: 0...4.
  var squaredOnUnitSphere: Double {
    let a = Ellipsoid.equatorialRadius
    let b = Ellipsoid.polarRadius
    return equatorialSquared / (a * a) + axialSquared / (b * b)
  }
}

/// What the squared chords of the points found so far prove about points that can still be answers.
enum ChordBound {
  /// The greatest squared chord that is measured by the chord formula, square meters.
  static let greatestNear = Geodesic.greatestNearChord * Geodesic.greatestNearChord

  /// A squared chord so great that the reported distance along a shorter one can never exceed that
  /// along a longer one.
  ///
  /// A chord c has a geodesic s with c ≤ s ≤ 2ρ·asin(c/2ρ), whose square is at most c²(1 + y/3 +
  /// 0.18y²) with y = (c/2ρ)², here at most 0.001. The factor 0.336 instead of 1/3 covers the rest
  /// of the series and the curvature at the chord's midpoint, which is less than 0.1% above that on
  /// the surface; the unit covers rounding.
  ///
  /// - Parameter chordSquared: square meters, up to `greatestNear`.
  /// - Returns: square meters.
  @inline(__always)
  static func settled(after chordSquared: Double) -> Double {
    let diameter = 2 * Ellipsoid.leastCurvatureRadius
    let bend = chordSquared * (0.336 / (diameter * diameter))
    return chordSquared * (1 + 0x1p-49 + bend)
  }

  /// A squared chord as a node's key is written: the bits of a 32-bit float, a lane in the last three.
  ///
  /// Rounded up by more than the rounding of a key.
  @inline(__always)
  static func key(_ chordSquared: Double) -> Int32 {
    Int32(bitPattern: (Float(chordSquared) * (1 + 0x1p-19)).bitPattern) | 7
  }
}
