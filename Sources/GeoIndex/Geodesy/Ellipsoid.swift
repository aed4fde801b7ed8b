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
