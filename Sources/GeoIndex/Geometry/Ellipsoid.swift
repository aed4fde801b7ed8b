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
  static let minimumCurvatureRadius = polarRadius * polarRadius / equatorialRadius

  /// Half a meridian, meters, rounded up: no two positions are farther apart (20 003 931.4586).
  static let maximumDistance = 20_003_931.5

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
package struct ECEFPoint: Sendable {
  let x: Double
  let y: Double
  let z: Double
  let coordinate: Coordinate

  /// The point of a coordinate, for many distances.
  @inline(__always)
  package init(_ coordinate: Coordinate) {
    let point = Ellipsoid.MeridianPoint(Angle(degrees: coordinate.latitude))
    let longitude = Angle(degrees: coordinate.canonicalLongitude)
    x = point.axisDistance * longitude.cosine
    y = point.axisDistance * longitude.sine
    z = point.z
    self.coordinate = coordinate
  }

  /// Meters to another point, as ``Coordinate/distance(to:)`` reports them.
  package func distance(to other: ECEFPoint) -> Double { Geodesic.distance(from: self, to: other) }

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

  /// The angle of -360...360 degrees, exact at multiples of 90.
  ///
  /// Plain arithmetic only, so that a coordinate has the same place in space, bit for bit, on every
  /// machine: the C library's sine differs from one system to the next. Taylor's series on ±45°,
  /// truncated where the next term is below 10⁻¹⁷; the error is below two units in the last place.
  @inline(__always)
  init(degrees: Double) {
    // adding this leaves the nearest integer in the low bits of the sum
    let rounder = 0x1.8p52
    let rounded = degrees * (1.0 / 90) + rounder
    // both the number of quarter turns and the rest, -45...45, are exact
    let rest = degrees - (rounded - rounder) * 90
    let x = rest * (Double.pi / 180)
    let z = x * x
    // (sin x - x)/x³ and (cos x - 1 + x²/2)/x⁴
    let sineTail = Self.series(
      z,
      (-1.0 / 6, 1.0 / 120, -1.0 / 5_040, 1.0 / 362_880),
      (-1.0 / 39_916_800, 1.0 / 6_227_020_800, -1.0 / 1_307_674_368_000, 1.0 / 355_687_428_096_000)
    )
    let cosineTail = Self.series(
      z,
      (1.0 / 24, -1.0 / 720, 1.0 / 40_320, -1.0 / 3_628_800),
      (1.0 / 479_001_600, -1.0 / 87_178_291_200, 1.0 / 20_922_789_888_000, 0)
    )
    let half = z * 0.5
    let near = 1 - half
    let sine = x + x * z * sineTail
    let cosine = near + (((1 - near) - half) + z * z * cosineTail)
    // turned by quarters, their number in the low bits; adding zero turns -0.0 into 0.0
    let bits = rounded.bitPattern
    let isOdd = bits & 1 != 0
    let sineSign = (bits & 2) << 62
    let cosineSign = ((bits &+ 1) & 2) << 62
    self.init(
      sine: Double(bitPattern: (isOdd ? cosine : sine).bitPattern ^ sineSign) + 0.0,
      cosine: Double(bitPattern: (isOdd ? sine : cosine).bitPattern ^ cosineSign) + 0.0
    )
  }

  /// A polynomial of degree 7, its terms paired up so that few wait for each other.
  @inline(__always)
  private static func series(
    _ z: Double,
    _ low: (Double, Double, Double, Double),
    _ high: (Double, Double, Double, Double)
  ) -> Double {
    let z2 = z * z
    let lower = z2 * (z * low.3 + low.2) + (z * low.1 + low.0)
    let upper = z2 * (z * high.3 + high.2) + (z * high.1 + high.0)
    return z2 * z2 * upper + lower
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
    let turn = self - start
    // adding zero turns -0.0 into 0.0, which atan2 distinguishes
    return Angle(sine: max(0, turn.sine) + 0.0, cosine: turn.cosine)
  }

  static func + (one: Angle, other: Angle) -> Angle {
    Angle(
      sine: one.sine * other.cosine + one.cosine * other.sine,
      cosine: one.cosine * other.cosine - one.sine * other.sine
    )
  }

  static func - (one: Angle, other: Angle) -> Angle {
    Angle(
      sine: one.sine * other.cosine - one.cosine * other.sine,
      cosine: one.cosine * other.cosine + one.sine * other.sine
    )
  }
}
