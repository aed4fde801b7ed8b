#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The geodesic that leaves the first position at some azimuth, followed to the second latitude.
///
/// Equation numbers are those of Karney 2013.
struct TrialPath {
  /// s₁₂/b.
  let length: Double

  /// How far the path's difference of longitude exceeds the wanted λ₁₂, radians.
  let excess: Double

  /// dλ₁₂/dα₁, equation (46).
  private let slope: Double

  /// sin α₀.
  private let sineAtEquator: Double

  /// m₁₂/b, the reduced length.
  private let reduced: Double

  init(of problem: GeodesicInverse, leavingAt azimuth: Angle) {
    let (first, second) = (problem.first, problem.second)
    let circle = GreatCircle(from: first.beta, to: second.beta, leavingAt: azimuth)
    let path = PathLength(
      of: circle.arc,
      stretches: (first.stretch, second.stretch),
      epsilon: circle.epsilon
    )
    length = path.length
    reduced = path.reduced
    sineAtEquator = circle.sineAtEquator
    // λ = ω - f sinα₀ I₃(σ), equations (8) and (23); the difference of angles ω₁₂ - λ₁₂ first
    let (omega, wanted) = (circle.omega, problem.longitude.angle)
    let difference = Angle(
      sine: omega.sine * wanted.cosine - omega.cosine * wanted.sine,
      cosine: omega.cosine * wanted.cosine + omega.sine * wanted.sine
    )
    let integral =
      GeodesicSeries.a3(circle.epsilon)
      * (circle.arc.radians + GeodesicSeries.c3(circle.epsilon).difference(over: circle.arc))
    excess = difference.radians - Ellipsoid.flattening * circle.sineAtEquator * integral
    let axisRatio = 1 - Ellipsoid.flattening
    slope =
      circle.arrivalCosine == 0
      ? -2 * axisRatio * first.stretch / first.beta.sine
      : axisRatio * path.reduced / (circle.arrivalCosine * second.beta.cosine)
  }

  /// The length after the excess of longitude is subtracted, by the first variation of arc length:
  /// at the second latitude ds = a cosβ₂ sinα₂ dλ, which is a sinα₀ dλ by Clairaut's relation.
  var lengthOnArrival: Double {
    length - excess * sineAtEquator / (1 - Ellipsoid.flattening)
  }

  /// Whether only the first variation is missing.
  ///
  /// The rest is less than (a·excess)²/m₁₂: 0.2 nm. False if neighboring paths meet again.
  var isNearlyThere: Bool {
    excess.magnitude < 1e-9 && reduced > 0.05
  }

  /// The azimuth after one step of Newton's method; nil if the step leaves 0...π or is useless.
  func newtonStep(from azimuth: Angle) -> Angle? {
    guard slope > 0 else { return nil }
    let step = -excess / slope
    guard step.magnitude < .pi else { return nil }
    let turn = Angle(radians: step)
    let sine = azimuth.sine * turn.cosine + azimuth.cosine * turn.sine
    guard sine > 0 else { return nil }
    return Angle(
      alongSine: sine,
      cosine: azimuth.cosine * turn.cosine - azimuth.sine * turn.sine
    )
  }
}

/// The great circle on the auxiliary sphere that leaves one reduced latitude at some azimuth and
/// arrives at another: the image of a geodesic there.
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
    // on the equator a path due east has no node to count from, so it is tilted infinitesimally
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

/// A piece of a great circle on the auxiliary sphere: σ₁, σ₂ and σ₂ - σ₁ in 0...π.
struct SphereArc {
  let start: Angle
  let end: Angle
  let radians: Double

  init(from start: Angle, to end: Angle) {
    self.start = start
    self.end = end
    radians = end.turned(from: start).radians
  }
}

/// The length of the piece of a geodesic over an arc, in units of the polar radius b.
///
/// Equation numbers are those of Karney 2013.
struct PathLength {
  /// s₁₂/b, equation (7) by way of (15).
  let length: Double

  /// m₁₂/b, the reduced length, equation (38).
  let reduced: Double

  /// - Parameters:
  ///   - arc: σ₁ to σ₂.
  ///   - stretches: √(1 + k² sin² σ) at both ends.
  ///   - epsilon: ε, equation (16).
  init(of arc: SphereArc, stretches: (start: Double, end: Double), epsilon: Double) {
    let a1 = GeodesicSeries.a1MinusOne(epsilon)
    let a2 = GeodesicSeries.a2MinusOne(epsilon)
    let sum1 = GeodesicSeries.c1(epsilon).difference(over: arc)
    let sum2 = GeodesicSeries.c2(epsilon).difference(over: arc)
    length = (1 + a1) * (arc.radians + sum1)
    // J = I₁ - I₂, equation (40)
    let j = (a1 - a2) * arc.radians + ((1 + a1) * sum1 - (1 + a2) * sum2)
    let (start, end) = (arc.start, arc.end)
    reduced =
      stretches.end * (start.cosine * end.sine) - stretches.start * (start.sine * end.cosine)
      - start.cosine * end.cosine * j
  }
}
