/// The WGS84 ellipsoid: the only place with the shape of the Earth.
///
/// Source: NIMA TR8350.2, Department of Defense World Geodetic System 1984, third edition (2000),
/// table 3.1: semi-major axis and inverse flattening are defining constants, the rest follows.
enum Ellipsoid {
  /// The equatorial radius a, meters.
  static let equatorialRadius = 6_378_137.0

  /// The flattening f = (a - b)/a.
  static let flattening = 1 / 298.257223563

  /// The polar radius b = a(1 - f), meters: 6 356 752.3142.
  static let polarRadius = equatorialRadius * (1 - flattening)

  /// The square of the first eccentricity, e² = f(2 - f).
  static let eccentricitySquared = flattening * (2 - flattening)

  /// The square of the second eccentricity, e'² = e²/(1 - e²).
  static let secondEccentricitySquared = eccentricitySquared / (1 - eccentricitySquared)

  /// The third flattening, n = f/(2 - f).
  static let thirdFlattening = flattening / (2 - flattening)

  /// (a/b)²: what the axis counts for once the ellipsoid is stretched to a sphere of radius a.
  static let axisRatioSquared = (equatorialRadius / polarRadius) * (equatorialRadius / polarRadius)

  /// The least radius of curvature, ρ = b²/a, meters: along the meridian at the equator.
  static let leastCurvatureRadius = polarRadius * polarRadius / equatorialRadius

  /// Half a meridian, meters, rounded up: no two positions are farther apart (20 003 931.4586).
  static let greatestDistance = 20_003_931.5

  /// ε of a geodesic that crosses the equator at azimuth α₀, with k = e' cosα₀: Karney 2013,
  /// equations (9) and (16), written without cancellation.
  static func expansionParameter(cosineSquared: Double) -> Double {
    let k2 = secondEccentricitySquared * cosineSquared
    return k2 / (2 * (1 + (1 + k2).squareRoot()) + k2)
  }

  /// A point of the meridian ellipse: meters from the axis and from the plane of the equator.
  struct MeridianPoint {
    let axisDistance: Double
    let z: Double

    /// The point at a geodetic latitude: p = a·cosφ/w and z = a(1 - f)²·sinφ/w with
    /// w² = cos²φ + (1 - f)²·sin²φ, the usual conversion written with n = a/w.
    init(_ latitude: Angle) {
      let axisRatio = 1 - flattening
      let flattened = axisRatio * latitude.sine
      let w = (latitude.cosine * latitude.cosine + flattened * flattened).squareRoot()
      axisDistance = equatorialRadius * latitude.cosine / w
      z = equatorialRadius * axisRatio * flattened / w
    }
  }
}

/// A coordinate and its point on the ellipsoid: earth-centered (ECEF) x, y, z in meters.
///
/// x points to longitude 0, y to longitude 90 east, z to the north pole. Equal coordinates have
/// equal points: ±180 gives one y, and the poles lie on the axis exactly (x = y = 0).
struct ECEFPoint {
  let x: Double
  let y: Double
  let z: Double
  let coordinate: Coordinate

  @inline(__always)
  init(_ coordinate: Coordinate) {
    let angles = AnglePair(
      degrees: SIMD2(coordinate.latitude, coordinate.canonicalLongitude)
    )
    let point = Ellipsoid.MeridianPoint(angles.first)
    x = point.axisDistance * angles.cosines[1]
    y = point.axisDistance * angles.sines[1]
    z = point.z
    self.coordinate = coordinate
  }

  /// Makes the point of a coordinate whose point is already known.
  init(x: Double, y: Double, z: Double, coordinate: Coordinate) {
    self.x = x
    self.y = y
    self.z = z
    self.coordinate = coordinate
  }
}

/// An angle stored as its sine and cosine.
struct Angle {
  let sine: Double
  let cosine: Double

  init(sine: Double, cosine: Double) {
    self.sine = sine
    self.cosine = cosine
  }

  /// The direction of a vector whose square neither underflows nor overflows.
  init(alongSine sine: Double, cosine: Double) {
    let length = (sine * sine + cosine * cosine).squareRoot()
    self.init(sine: sine / length, cosine: cosine / length)
  }

  init(radians: Double) {
    self.init(sine: CMath.sine(radians), cosine: CMath.cosine(radians))
  }

  /// The angle of a number of degrees, exact at multiples of 90.
  init(degrees: Double) {
    self = AnglePair(degrees: SIMD2(degrees, 0)).first
  }

  /// A number of degrees rounded to steps of 2⁻⁵⁷ (0.8 pm on the ground) if it is below 1/16.
  ///
  /// It keeps products of small sines from underflowing.
  static func coarse(degrees: Double) -> Double {
    let step = 0.0625
    let magnitude = degrees.magnitude
    guard magnitude < step else { return degrees }
    let rounded = step - (step - magnitude)
    return degrees < 0 ? -rounded : rounded
  }

  /// The angle in radians, -π...π; sine and cosine may have any common factor.
  var radians: Double { CMath.arctangent(sine, cosine) }

  /// The angle from `start` to `self`, which must be in 0...π; its sine is not below zero.
  func turned(from start: Angle) -> Angle {
    // adding zero turns -0.0 into 0.0, which atan2 distinguishes
    Angle(
      sine: max(0, start.cosine * sine - start.sine * cosine) + 0.0,
      cosine: start.cosine * cosine + start.sine * sine
    )
  }
}

/// Sines and cosines of two angles in degrees, computed in parallel.
///
/// Plain arithmetic only, so that a coordinate has the same place in space, bit for bit, on every
/// machine: the C library's sine differs from one system to the next. Taylor's series on ±45°,
/// truncated where the next term is below 10⁻¹⁷; the error is below two units in the last place.
struct AnglePair {
  let sines: SIMD2<Double>
  let cosines: SIMD2<Double>

  /// Adding this leaves the nearest integer in the low bits of the sum.
  private static let rounder = 0x1.8p52

  /// - Parameter degrees: each -360...360; exact at multiples of 90.
  @inline(__always)
  init(degrees: SIMD2<Double>) {
    let rounded = degrees * (1.0 / 90) + Self.rounder
    // both the number of quarter turns and the rest, -45...45, are exact
    let rest = degrees - (rounded - Self.rounder) * 90
    let x = rest * (Double.pi / 180)
    let z = x * x
    let sine = x + x * z * Self.sineTail(z)
    let half = z * 0.5
    let near = 1 - half
    let cosine = near + (((1 - near) - half) + z * z * Self.cosineTail(z))
    let first = Self.turn(sine[0], cosine[0], by: rounded[0])
    let second = Self.turn(sine[1], cosine[1], by: rounded[1])
    sines = SIMD2(first.sine, second.sine)
    cosines = SIMD2(first.cosine, second.cosine)
  }

  var first: Angle { Angle(sine: sines[0], cosine: cosines[0]) }

  var second: Angle { Angle(sine: sines[1], cosine: cosines[1]) }

  /// (sin x - x)/x³ in z = x².
  @inline(__always)
  private static func sineTail(_ z: SIMD2<Double>) -> SIMD2<Double> {
    series(
      z,
      (-1.0 / 6, 1.0 / 120, -1.0 / 5_040, 1.0 / 362_880),
      (-1.0 / 39_916_800, 1.0 / 6_227_020_800, -1.0 / 1_307_674_368_000, 1.0 / 355_687_428_096_000)
    )
  }

  /// (cos x - 1 + x²/2)/x⁴ in z = x².
  @inline(__always)
  private static func cosineTail(_ z: SIMD2<Double>) -> SIMD2<Double> {
    series(
      z,
      (1.0 / 24, -1.0 / 720, 1.0 / 40_320, -1.0 / 3_628_800),
      (1.0 / 479_001_600, -1.0 / 87_178_291_200, 1.0 / 20_922_789_888_000, 0)
    )
  }

  /// A polynomial of degree 7, its terms paired up so that few wait for each other.
  @inline(__always)
  private static func series(
    _ z: SIMD2<Double>,
    _ low: (Double, Double, Double, Double),
    _ high: (Double, Double, Double, Double)
  ) -> SIMD2<Double> {
    let z2: SIMD2<Double> = z * z
    let first: SIMD2<Double> = z * low.1 + low.0
    let second: SIMD2<Double> = z * low.3 + low.2
    let third: SIMD2<Double> = z * high.1 + high.0
    let fourth: SIMD2<Double> = z * high.3 + high.2
    let lower: SIMD2<Double> = z2 * second + first
    let upper: SIMD2<Double> = z2 * fourth + third
    return z2 * z2 * upper + lower
  }

  /// An angle turned by quarters, their number in the low bits.
  @inline(__always)
  private static func turn(_ sine: Double, _ cosine: Double, by quarters: Double) -> Angle {
    let bits = quarters.bitPattern
    let isOdd = bits & 1 != 0
    let sineSign = (bits & 2) << 62
    let cosineSign = ((bits &+ 1) & 2) << 62
    // adding zero turns -0.0 into 0.0
    return Angle(
      sine: Double(bitPattern: (isOdd ? cosine : sine).bitPattern ^ sineSign) + 0.0,
      cosine: Double(bitPattern: (isOdd ? sine : cosine).bitPattern ^ cosineSign) + 0.0
    )
  }
}
