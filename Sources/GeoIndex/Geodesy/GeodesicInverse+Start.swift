#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

extension GeodesicInverse {
  /// The azimuth that Newton's method starts from.
  ///
  /// That of the great circle on the auxiliary sphere with the ω₁₂ that belongs to λ₁₂ to first order
  /// in the flattening; for nearly antipodal positions that of the astroid, equations (53) to (57) of
  /// Karney 2013.
  var startingAzimuth: Angle {
    let gap = longitude.angle
    let greatCircle = greatCircle(over: gap)
    let cosineOfArc =
      first.beta.sine * second.beta.sine + first.beta.cosine * second.beta.cosine * gap.cosine
    let sineOfArc =
      (greatCircle.sine * greatCircle.sine + greatCircle.cosine * greatCircle.cosine).squareRoot()
    // far from the antipode, in units of the astroid's size, the great circle is close enough
    let astroidSize =
      Ellipsoid.thirdFlattening * .pi * first.beta.cosine * first.beta.cosine
    guard cosineOfArc < 0, sineOfArc < 6 * astroidSize else {
      let arc = Angle(sine: sineOfArc, cosine: cosineOfArc)
      return Self.direction(of: widened(greatCircle, of: arc))
    }
    return Self.direction(of: nearAntipodalAzimuth)
  }

  /// The direction of the great circle with a given ω₁₂ (49), up to a positive factor.
  private func greatCircle(over omega: Angle) -> Angle {
    Angle(sine: second.beta.cosine * omega.sine, cosine: spread(over: omega))
  }

  /// The great circle with ω₁₂ = λ₁₂ + f·sinα₀·σ₁₂ in place of the one with ω₁₂ = λ₁₂: equation (8)
  /// with I₃ = σ.
  private func widened(_ circle: Angle, of arc: Angle) -> Angle {
    guard arc.sine > 0 else { return circle }
    let sineAtEquator = circle.sine * first.beta.cosine / arc.sine
    let turn = Angle(radians: Ellipsoid.flattening * sineAtEquator * arc.radians)
    let gap = longitude.angle
    let sine = gap.sine * turn.cosine + gap.cosine * turn.sine
    guard sine > 0 else { return circle }
    let omega = Angle(sine: sine, cosine: gap.cosine * turn.cosine - gap.sine * turn.sine)
    return greatCircle(over: omega)
  }

  /// The cosine part of the great circle's azimuth (49): cosβ₁ sinβ₂ - sinβ₁ cosβ₂ cosω, written so
  /// that it keeps its digits for small ω and for ω near π.
  private func spread(over omega: Angle) -> Double {
    let (beta1, beta2) = (first.beta, second.beta)
    let correction = beta2.cosine * beta1.sine * omega.sine * omega.sine
    if omega.cosine >= 0 {
      let difference = beta2.sine * beta1.cosine - beta2.cosine * beta1.sine
      return difference + correction / (1 + omega.cosine)
    }
    return sumOfLatitudes - correction / (1 - omega.cosine)
  }

  /// sin(β₁ + β₂), near zero for nearly antipodal positions.
  private var sumOfLatitudes: Double {
    second.beta.sine * first.beta.cosine + second.beta.cosine * first.beta.sine
  }

  /// The direction of a vector; due east if rounding turned it west or made it zero.
  private static func direction(of vector: Angle) -> Angle {
    guard vector.sine > 0 else { return Angle(sine: 1, cosine: 0) }
    return Angle(alongSine: vector.sine, cosine: vector.cosine)
  }

  /// The azimuth in the plane of the astroid, where the antipode is the origin (53).
  private var nearAntipodalAzimuth: Angle {
    let sine = first.beta.sine
    let epsilon = Ellipsoid.expansionParameter(cosineSquared: sine * sine)
    let longitudeScale =
      Ellipsoid.flattening * first.beta.cosine * GeodesicSeries.a3(epsilon) * .pi
    let x =
      -Angle(sine: longitude.angle.sine, cosine: -longitude.angle.cosine).radians / longitudeScale
    let y = sumOfLatitudes / (longitudeScale * first.beta.cosine)
    let rounding = Double.ulpOfOne
    // between the cusps of the astroid the azimuth follows from x alone (57)
    if y > -200 * rounding, x > -1 - 1_000 * rounding.squareRoot() {
      let eastward = min(1, -x)
      return Angle(sine: eastward, cosine: -(1 - eastward * eastward).squareRoot())
    }
    let mu = Self.astroidRoot(x: x, y: y)
    // ω₁₂ to first order, then the great circle's azimuth with it
    let remainder = Angle(radians: longitudeScale * -x * mu / (1 + mu))
    let omega = Angle(sine: remainder.sine, cosine: -remainder.cosine)
    return greatCircle(over: omega)
  }

  /// The positive root μ of μ⁴ + 2μ³ + (1 - x² - y²)μ² - 2y²μ - y² = 0, equation (55).
  private static func astroidRoot(x: Double, y: Double) -> Double {
    let (p, q) = (x * x, y * y)
    let r = (p + q - 1) / 6
    guard q != 0 || r > 0 else { return 0 }
    let u = resolventRoot(s: p * q / 4, r: r)
    let v = (u * u + q).squareRoot()
    // u + v without cancellation
    let sum = u < 0 ? q / (v - u) : u + v
    let w = (sum - q) / (2 * v)
    return sum / ((sum + w * w).squareRoot() + w)
  }

  /// The greatest real root of the quartic's resolvent cubic, by Cardano's formula.
  private static func resolventRoot(s: Double, r: Double) -> Double {
    let cube = r * r * r
    let discriminant = s * (s + 2 * cube)
    guard discriminant >= 0 else {
      let angle = atan2((-discriminant).squareRoot(), -(s + cube))
      return r + 2 * r * cos(angle / 3)
    }
    // the sign of the root is chosen so that the sum does not cancel
    let base = s + cube
    let root = discriminant.squareRoot()
    let t = cbrt(base + (base < 0 ? -root : root))
    return r + t + (t == 0 ? 0 : r * r / t)
  }
}
