/// Distances along the ellipsoid between points in space.
enum Geodesic {
  /// The longest chord, in meters, that ``nearDistances(_:)`` measures.
  static let maximumNearChord = 400_000.0

  /// The length of the shortest path between two points along the ellipsoid, meters.
  ///
  /// The chord formula up to 400 km of straight chord (largest error 10 nm), Karney's inverse
  /// beyond. All distances that geoq reports have this value. It is symmetric bit for bit, and
  /// never below the chord.
  static func distance(from start: ECEFPoint, to end: ECEFPoint) -> Double {
    let chord = Chord(from: start, to: end)
    guard chord.squared <= maximumNearChord * maximumNearChord else {
      return GeodesicInverse(from: start.coordinate, to: end.coordinate).distance
    }
    return nearDistance(from: start, x: end.x, y: end.y, z: end.z)
  }

  /// The length of a short geodesic to a point in space: the chord formula.
  @inline(__always)
  static func nearDistance(from start: ECEFPoint, x: Double, y: Double, z: Double) -> Double {
    let pair = Chords(
      from: start,
      x: SIMD2(repeating: x),
      y: SIMD2(repeating: y),
      z: SIMD2(repeating: z)
    )
    return nearDistances(pair)[0]
  }

  /// The lengths of short geodesics, from the curvature κ of the ellipsoid along each chord at
  /// the chord's midpoint m: s = (2/κ)·asin(cκ/2).
  ///
  /// With u = end - start, c = |u| and q = (a/b)²,
  /// κ² = (ux² + uy² + q·uz²)²/c⁴ · (mx² + my² + q·mz²)/(mx² + my² + q²·mz²)/a²,
  /// the normal curvature (second over first fundamental form) of the surface similar to the
  /// ellipsoid through m. With t = (cκ/2)² the series of asin needs no root of κ²:
  /// s = c(1 + t/6 + 3t²/40 + 15t³/336 + 35t⁴/1152).
  ///
  /// From 25 km on ``curvatureChange(_:)`` is taken into account; below it is 0.3 nm at most.
  @inline(__always)
  static func nearDistances(_ chords: Chords<SIMD2<Double>>) -> SIMD2<Double> {
    let squared = chords.squared
    let isLong: SIMDMask<SIMD2<Int64>> = squared .> SIMD2(repeating: minimumChangeSquared)
    var series = constantSeries(chords)
    if any(isLong) { series += curvatureChange(chords).replacing(with: 0, where: .!isLong) }
    return squared.squareRoot() * series
  }

  /// The same without the change of curvature: equal up to 25 km.
  @inline(__always)
  static func distancesAtConstantCurvature<Vector>(_ chords: Chords<Vector>) -> Vector {
    chords.squared.squareRoot() * constantSeries(chords)
  }

  static let minimumChangeSquared = 25_000.0 * 25_000

  /// s/c at a constant curvature.
  @inline(__always)
  private static func constantSeries<Vector>(_ chords: Chords<Vector>) -> Vector {
    let q = Ellipsoid.axisRatioSquared
    let a = Ellipsoid.equatorialRadius
    let stretch: Vector = chords.equatorialSquared + chords.axialSquared * q
    // twice the midpoint; the factor cancels
    let middle: Vector = chords.middleEquatorialSquared + chords.middleAxialSquared * q
    let gradient: Vector =
      chords.middleEquatorialSquared + chords.middleAxialSquared * (q * q)
    // the least summand turns 0/0 into 0 and changes nothing else
    let divisor: Vector =
      chords.squared * (gradient * (4 * a * a)) + .leastNormalMagnitude
    let t: Vector = stretch * stretch * middle / divisor
    let high: Vector = t * (t * (35.0 / 1_152) + 15.0 / 336) + 3.0 / 40
    return t * (t * high + 1.0 / 6) + 1
  }

  /// How much longer a geodesic is because its curvature changes along the way, as a share of its
  /// chord.
  ///
  /// To the first order in e² it is e²/160·(c/a)⁴·(N - T), where N and T are the squares of the
  /// axial parts of the unit normal at m and of the unit chord. The coefficients here, of the
  /// second order as well, are fitted by least squares to Karney's inverse up to 400 km
  /// (`Tests/oracle/fit.py`): the remaining error is 10 nm at most.
  private static func curvatureChange(_ chords: Chords<SIMD2<Double>>) -> SIMD2<Double> {
    let a = Ellipsoid.equatorialRadius
    let q = Ellipsoid.axisRatioSquared
    let gradient: SIMD2<Double> =
      chords.middleEquatorialSquared + chords.middleAxialSquared * (q * q)
    let z: SIMD2<Double> = chords.squared * (1 / (a * a))
    let chord: SIMD2<Double> = chords.axialSquared / chords.squared
    let normal: SIMD2<Double> = chords.middleAxialSquared * (q * q) / gradient
    let ofNormal: SIMD2<Double> = 4.16518586e-05 + z * 1.12434798e-05 - normal * 9.34923429e-08
    let ofChord: SIMD2<Double> = -4.21516207e-05 - z * 1.15259821e-05 - chord * 8.26489702e-07
    let sum: SIMD2<Double> = normal * ofNormal + chord * ofChord + normal * chord * 1.92055309e-06
    return z * z * sum
  }

  /// The length of a geodesic to second order in the flattening, meters: from a point to another one
  /// that is not its antipode.
  ///
  /// Forsythe's, Andoyer's and Lambert's formula in reduced latitudes as extended by P. D. Thomas,
  /// Mathematical Models for Navigation Systems, U.S. Naval Oceanographic Office TR-182 (1965). The
  /// reduced latitude β has sin β = z/b, and the chord c' of the ellipsoid scaled to the unit sphere
  /// gives the arc d there: sin²(d/2) = (c'/2)². So no latitude or longitude is needed.
  ///
  /// It strays from the geodesic by 3 mm up to 1 000 km, 3 cm up to 10 000 km, 0.3 m up to 15 000 km;
  /// near the antipode it is useless.
  @inline(__always)
  static func estimate(from start: ECEFPoint, x: Double, y: Double, z: Double) -> Double {
    let f = Ellipsoid.flattening
    let chord = Chord(x: x - start.x, y: y - start.y, z: z - start.z)
    // sin²(d/2); the least summand turns 0/0 into 0 and 1 and changes nothing else
    let square = chord.squaredOnUnitSphere * 0.25 + .leastNormalMagnitude
    let root = square.squareRoot()
    let arc = 2 * CMath.arcsine(root)
    let sine = 2 * root * (1 - square).squareRoot()
    // (sin β₁ ± sin β₂)²
    let scale = 1 / (2 * Ellipsoid.polarRadius * Ellipsoid.polarRadius)
    let sum = (start.z + z) * (start.z + z) * scale / (1 - square)
    let difference = chord.axialSquared * scale / square
    let (x, y) = (sum + difference, sum - difference)
    let t = arc / sine
    let d = 4 * t * t
    let e = 2 - 4 * square
    let first = t * x - y
    let c = t - (d * e - e) / 2
    let second = x * (d * e + c * x) - y * (2 * d + e * y) + d * x * y
    return Ellipsoid.equatorialRadius * sine * (t - f / 4 * first + f * f / 64 * second)
  }
}

/// The straight lines from one point to others, with the values that the chord formula needs.
struct Chords<Vector: SIMD> where Vector.Scalar == Double {
  /// dx² + dy², square meters.
  let equatorialSquared: Vector

  /// dz², square meters.
  let axialSquared: Vector

  /// The same two of start + end: twice the midpoint.
  let middleEquatorialSquared: Vector
  let middleAxialSquared: Vector

  @inline(__always)
  init(from start: ECEFPoint, x: Vector, y: Vector, z: Vector) {
    let (dx, dy, dz) = (x - start.x, y - start.y, z - start.z)
    equatorialSquared = dx * dx + dy * dy
    axialSquared = dz * dz
    let (sx, sy, sz) = (x + start.x, y + start.y, z + start.z)
    middleEquatorialSquared = sx * sx + sy * sy
    middleAxialSquared = sz * sz
  }

  /// The squared lengths, square meters.
  @inline(__always)
  var squared: Vector { equatorialSquared + axialSquared }
}
