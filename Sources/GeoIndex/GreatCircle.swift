#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The great circle on the auxiliary sphere that leaves one reduced latitude at some azimuth and
/// arrives at another: what a geodesic looks like there.
///
/// Equation numbers are those of Karney 2013.
struct GreatCircle {
  /// sin α₀, the azimuth where the circle crosses the equator.
  let sineAtEquator: Double

  /// ε, equation (16).
  let epsilon: Double

  /// cos α₂.
  let arrivalCosine: Double

  /// σ₁ to σ₂, the angles from the equator along the circle.
  let arc: SphereArc

  /// ω₁₂, the difference of longitude on the sphere, up to a positive factor.
  let omega: Angle

  init(from beta1: Angle, to beta2: Angle, leavingAt azimuth: Angle) {
    // on the equator a path due east has no node to count from: lean it by nothing
    let isLevel = beta1.sine == 0 && azimuth.cosine == 0
    let alpha1 = isLevel ? Angle(sine: azimuth.sine, cosine: -GeodesicInverse.tiny) : azimuth
    // Clairaut's relation and Napier's rules, equations (5) and (10)
    sineAtEquator = alpha1.sine * beta1.cosine
    let (north, east) = (alpha1.cosine, alpha1.sine * beta1.sine)
    epsilon = Ellipsoid.expansionParameter(cosineSquared: north * north + east * east)
    arrivalCosine = Self.arrivalCosine(at: beta2, from: beta1, leavingAt: alpha1)
    // σ and ω at both ends, equations (11) and (12)
    let cosine1 = alpha1.cosine * beta1.cosine
    let cosine2 = arrivalCosine * beta2.cosine
    arc = SphereArc(
      from: Angle(alongSine: beta1.sine, cosine: cosine1),
      to: Angle(alongSine: beta2.sine, cosine: cosine2)
    )
    let omega1 = Angle(sine: sineAtEquator * beta1.sine, cosine: cosine1)
    let omega2 = Angle(sine: sineAtEquator * beta2.sine, cosine: cosine2)
    omega = omega2.turned(from: omega1)
  }

  /// cos α₂, equation (45), written so that nearly equal latitudes keep their digits.
  private static func arrivalCosine(
    at beta2: Angle,
    from beta1: Angle,
    leavingAt alpha1: Angle
  ) -> Double {
    guard beta2.cosine != beta1.cosine || beta2.sine.magnitude != -beta1.sine else {
      return alpha1.cosine.magnitude
    }
    let cosine1 = alpha1.cosine * beta1.cosine
    let difference =
      beta1.cosine < -beta1.sine
      ? (beta2.cosine - beta1.cosine) * (beta1.cosine + beta2.cosine)
      : (beta1.sine - beta2.sine) * (beta1.sine + beta2.sine)
    return (cosine1 * cosine1 + difference).squareRoot() / beta2.cosine
  }
}
