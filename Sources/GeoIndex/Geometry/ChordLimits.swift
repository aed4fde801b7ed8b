/// The limits of straight chords that a distance along the ellipsoid has, and the reverse.
///
/// Between two points of the ellipsoid let c be the chord, s the geodesic, and c' the chord after
/// the ellipsoid is scaled to the unit sphere.
///
/// - *At least.* c ≤ s. The scaling shrinks no length by more than 1/b, so s ≥ 2b·asin(c'/2), which
///   is the sharper bound from about 2 000 km on.
/// - *At most.* No geodesic bends more than 1/ρ (ρ = b²/a), so by Schur's comparison theorem
///   c ≥ 2ρ·sin(s/2ρ) while s ≤ πρ. A longer one has c ≥ 2ρ - (20 003 932 - πρ), since a chord
///   changes no faster than the arc.
///
/// The same sums of squares, in the same order, serve points and boxes: floating point rounds them
/// monotonically, so a box's bound is never above that of a point inside.
struct ChordLimits {
  /// Rounding and the error of reported distances (0.3 µm) together stay far below this, meters.
  private static let guardBand = 0.001

  /// A chord below this proves s ≤ πρ, meters: a little less than 2ρ - (20 003 932 - πρ).
  private static let longestProvingChord = 12_570_000.0

  let maximumChordSquared: Double
  let maximumSquaredOnUnitSphere: Double

  /// - Parameter distance: meters, zero or more, or infinity.
  init(_ distance: Double) {
    // the factor covers the rounding of squares and square roots, the sum their underflow
    maximumChordSquared = distance * distance * (1 + 0x1p-50) + .leastNormalMagnitude
    let angle = (distance + Self.guardBand) / Ellipsoid.polarRadius
    guard distance > Geodesic.maximumNearChord, angle < .pi else {
      maximumSquaredOnUnitSphere = .infinity
      return
    }
    let chord = 2 * Angle(radians: angle / 2).sine
    maximumSquaredOnUnitSphere = chord * chord * (1 + 1e-12)
  }

  /// The greatest squared chord within the distance, as a finite number: square meters.
  var finiteSquared: Double { min(maximumChordSquared, Self.beyondAllChords) }

  /// The greatest squared chord within the distance after the ellipsoid is stretched to a sphere of
  /// radius a, as a finite number: square meters.
  var stretchedSquared: Double {
    let a = Ellipsoid.equatorialRadius
    return min(maximumSquaredOnUnitSphere * (a * a), Self.beyondAllChords)
  }

  /// The greatest squared chord that is measured by the chord formula, square meters.
  static let maximumNearSquared = Geodesic.maximumNearChord * Geodesic.maximumNearChord

  /// More than the square of any chord through the Earth, stretched or not: square meters.
  private static let beyondAllChords = 2e14

  /// Whether a chord proves that the reported distance is beyond the distance.
  ///
  /// - Parameter chord: between two points, or the shortest between a point and a box.
  /// - Returns: false if the distance itself has to decide.
  func rulesOut(_ chord: Chord) -> Bool {
    chord.squared > maximumChordSquared
      || chord.squaredOnUnitSphere > maximumSquaredOnUnitSphere
  }

  /// The squared chord up to which the reported distance is certainly within a radius.
  ///
  /// - Parameter radius: meters, zero or more, or infinity.
  /// - Returns: square meters; negative if no chord is short enough to prove it.
  static func certainSquared(within radius: Double) -> Double {
    guard radius < Ellipsoid.maximumDistance else { return .infinity }
    let diameter = 2 * Ellipsoid.minimumCurvatureRadius
    let chord = diameter * Angle(radians: min(radius / diameter, .pi / 2)).sine - guardBand
    guard chord > 0 else { return -1 }
    let proving = min(chord, longestProvingChord)
    return proving * proving
  }

  /// The greatest reported distance that points with a chord can have, meters.
  ///
  /// The inverse of ``certainSquared(within:)``.
  ///
  /// - Parameter chord: meters.
  /// - Returns: infinity if the chord is too long to prove anything, or NaN.
  @inline(__always)
  static func maximumDistance(withChord chord: Double) -> Double {
    let guarded = chord + guardBand
    guard guarded < longestProvingChord else { return .infinity }
    let diameter = 2 * Ellipsoid.minimumCurvatureRadius
    return diameter * CMath.arcsine(guarded / diameter)
  }

  /// A squared chord so great that the reported distance along a shorter one can never exceed that
  /// along a longer one.
  ///
  /// A chord c has a geodesic s with c ≤ s ≤ 2ρ·asin(c/2ρ), whose square is at most c²(1 + y/3 +
  /// 0.18y²) with y = (c/2ρ)², here at most 0.001. The factor 0.336 instead of 1/3 covers the rest
  /// of the series and the curvature at the chord's midpoint, which is less than 0.1% above that on
  /// the surface; the unit covers rounding.
  ///
  /// - Parameter chordSquared: square meters, up to `maximumNearSquared`.
  /// - Returns: square meters.
  @inline(__always)
  static func settled(after chordSquared: Double) -> Double {
    let diameter = 2 * Ellipsoid.minimumCurvatureRadius
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

  init(from start: ECEFPoint, to end: ECEFPoint) {
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
