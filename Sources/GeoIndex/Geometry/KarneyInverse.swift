/// The inverse geodesic problem: the length of the shortest path between two positions.
///
/// C. F. F. Karney, Algorithms for geodesics, J. Geodesy 87 (2013), doi 10.1007/s00190-012-0578-z,
/// section 4, reduced to the distance and to WGS84. A path is found by its azimuth at the first
/// position: Newton's method makes it arrive at the second one's longitude. Meant for positions that
/// are not close to each other; ``Geodesic`` measures those by their chord.
struct GeodesicInverse {
  /// Replaces zero if a quotient or a direction needs a value; its square is normal.
  static let tiny = 0x1p-511

  /// The position farther from the equator, mirrored to the south: φ₁ ≤ 0, |φ₂| ≤ |φ₁| (44).
  let first: ReducedLatitude

  let second: ReducedLatitude

  /// λ₁₂, the difference of longitude.
  let longitude: LongitudeGap

  init(from start: Coordinate, to end: Coordinate) {
    var (far, near) = (start.latitude, end.latitude)
    if far.magnitude < near.magnitude { swap(&far, &near) }
    if far > 0 { (far, near) = (-far, -near) }
    let first = ReducedLatitude(degrees: far)
    self.first = first
    second = ReducedLatitude(degrees: near).aligned(with: first)
    longitude = LongitudeGap(from: start.canonicalLongitude, to: end.canonicalLongitude)
  }

  /// Meters.
  var distance: Double {
    meridianDistance ?? equatorDistance ?? Ellipsoid.polarRadius * arrivingPath().lengthOnArrival
  }

  /// The distance if the path follows a meridian: a pole, one meridian, or over a pole.
  ///
  /// On an oblate ellipsoid such a path is always the shortest (section 4).
  private var meridianDistance: Double? {
    guard first.isPole || longitude.angle.sine == 0 else { return nil }
    let start = Angle(sine: first.beta.sine, cosine: longitude.angle.cosine * first.beta.cosine)
    let arc = SphereArc(from: start, to: second.beta)
    let path = PathLength(
      of: arc,
      stretches: (first.stretch, second.stretch),
      epsilon: Ellipsoid.thirdFlattening
    )
    return Ellipsoid.polarRadius * path.length
  }

  /// The distance if the path follows the equator: not for nearly antipodal positions.
  private var equatorDistance: Double? {
    guard first.beta.sine == 0, longitude.supplement >= Ellipsoid.flattening * 180 else {
      return nil
    }
    return Ellipsoid.equatorialRadius * (longitude.degrees * .pi / 180)
  }

  /// The path whose difference of longitude is λ₁₂: Newton's method inside a bracket that bisection
  /// narrows if a step would leave it.
  private func arrivingPath() -> TrialPath {
    let tolerance = Double.ulpOfOne
    var azimuth = startingAzimuth
    var bracket = AzimuthBracket()
    var (isConverging, isPinned) = (false, false)
    var path = TrialPath(of: self, leavingAt: azimuth)
    for iteration in 0..<80 where !path.isNearlyThere {
      // a last step within rounding ends the search; the negation also ends it on nan
      guard path.excess.magnitude >= (isConverging ? 8 : 1) * tolerance, !isPinned else { break }
      bracket.narrow(at: azimuth, excess: path.excess)
      if iteration < 20, let step = path.newtonStep(from: azimuth) {
        azimuth = step
        isConverging = path.excess.magnitude <= 16 * tolerance
      } else {
        azimuth = bracket.middle
        isConverging = false
        isPinned = bracket.isNarrow(around: azimuth)
      }
      path = TrialPath(of: self, leavingAt: azimuth)
    }
    return path
  }

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
    let omega = longitude.angle + turn
    return omega.sine > 0 ? greatCircle(over: omega) : circle
  }

  /// The cosine part of the great circle's azimuth (49): cosβ₁ sinβ₂ - sinβ₁ cosβ₂ cosω, written so
  /// that it keeps its digits for small ω and for ω near π.
  private func spread(over omega: Angle) -> Double {
    let (beta1, beta2) = (first.beta, second.beta)
    let correction = beta2.cosine * beta1.sine * omega.sine * omega.sine
    return omega.cosine >= 0
      ? (beta2 - beta1).sine + correction / (1 + omega.cosine)
      : (beta2 + beta1).sine - correction / (1 - omega.cosine)
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
    // sin(β₁ + β₂), near zero for nearly antipodal positions
    let y = (second.beta + first.beta).sine / (longitudeScale * first.beta.cosine)
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
      let angle = Angle(sine: (-discriminant).squareRoot(), cosine: -(s + cube)).radians
      return r + 2 * r * Angle(radians: angle / 3).cosine
    }
    // the sign of the root is chosen so that the sum does not cancel
    let base = s + cube
    let root = discriminant.squareRoot()
    let t = CMath.cubeRoot(base + (base < 0 ? -root : root))
    return r + t + (t == 0 ? 0 : r * r / t)
  }
}

/// A latitude on the auxiliary sphere: tan β = (1 - f) tan φ (Karney 2013, equation 6).
struct ReducedLatitude {
  /// β, its cosine above zero even at a pole.
  let beta: Angle

  /// √(1 + e'² sin² β).
  let stretch: Double

  let isPole: Bool

  init(degrees: Double) {
    let latitude = Angle(degrees: Angle.coarse(degrees: degrees))
    let sine = (1 - Ellipsoid.flattening) * latitude.sine
    let beta = Angle(alongSine: sine, cosine: latitude.cosine)
    self.init(
      beta: Angle(sine: beta.sine, cosine: max(GeodesicInverse.tiny, beta.cosine)),
      isPole: degrees.magnitude == 90
    )
  }

  private init(beta: Angle, isPole: Bool) {
    self.beta = beta
    self.isPole = isPole
    stretch = (1 + Ellipsoid.secondEccentricitySquared * beta.sine * beta.sine).squareRoot()
  }

  /// The same latitude, with the sine and cosine of another one (up to the sign of the sine) if
  /// rounding leaves only the more sensitive of the two equal.
  func aligned(with other: ReducedLatitude) -> ReducedLatitude {
    let otherSine = other.beta.sine.magnitude
    let isEqual =
      other.beta.cosine < otherSine
      ? beta.cosine == other.beta.cosine
      : beta.sine.magnitude == otherSine
    guard isEqual else { return self }
    let sine = beta.sine < 0 ? -otherSine : otherSine
    return ReducedLatitude(beta: Angle(sine: sine, cosine: other.beta.cosine), isPole: isPole)
  }
}

/// The difference of two longitudes without its sign, 0...180°, as exact near 180° as near 0.
struct LongitudeGap {
  let degrees: Double

  /// 180° less the gap, degrees.
  let supplement: Double

  /// Sine (zero or more) and cosine of the gap.
  let angle: Angle

  /// The difference of longitudes in -180..<180.
  init(from start: Double, to end: Double) {
    // Knuth's two-sum: the difference is `rounded + rest` exactly
    let rounded = end - start
    let part = rounded - end
    let rest = (end - (rounded - part)) - (start + part)
    let gap = rounded.magnitude
    let gapRest = rounded < 0 ? -rest : rest
    // 180 - gap and 360 - gap are exact; if the gap rounds to 180, its rest may have any sign
    let raw = gap > 180 ? (360 - gap) - gapRest : gap
    let rawSupplement = gap > 180 ? (gap - 180) + gapRest : ((180 - gap) - gapRest).magnitude
    degrees = Angle.coarse(degrees: raw)
    supplement = Angle.coarse(degrees: rawSupplement)
    let small = Angle(degrees: min(degrees, supplement))
    angle = degrees > 90 ? Angle(sine: small.sine, cosine: -small.cosine) : small
  }
}

/// Two azimuths, between which is the wanted one.
struct AzimuthBracket {
  /// A path that leaves here falls short in longitude; one that leaves at `upper` goes too far.
  private var lower = Angle(sine: GeodesicInverse.tiny, cosine: 1)

  private var upper = Angle(sine: GeodesicInverse.tiny, cosine: -1)

  /// The azimuth halfway between.
  var middle: Angle {
    Angle(
      alongSine: (lower.sine + upper.sine) / 2,
      cosine: (lower.cosine + upper.cosine) / 2
    )
  }

  /// Replaces an end by an azimuth that lies inside.
  mutating func narrow(at azimuth: Angle, excess: Double) {
    let cotangent = azimuth.cosine / azimuth.sine
    if excess > 0, cotangent > upper.cosine / upper.sine {
      upper = azimuth
    } else if excess < 0, cotangent < lower.cosine / lower.sine {
      lower = azimuth
    }
  }

  /// Whether an azimuth is one of the ends up to rounding.
  func isNarrow(around azimuth: Angle) -> Bool {
    let fromLower = (lower.sine - azimuth.sine).magnitude + (lower.cosine - azimuth.cosine)
    let toUpper = (azimuth.sine - upper.sine).magnitude + (azimuth.cosine - upper.cosine)
    return min(fromLower, toUpper) < .ulpOfOne
  }
}

/// The geodesic that leaves the first position at some azimuth, followed to the second latitude.
///
/// Equation numbers are those of Karney 2013.
struct TrialPath {
  /// s₁₂ and m₁₂.
  private let path: PathLength

  /// How far the path's difference of longitude exceeds the wanted λ₁₂, radians.
  let excess: Double

  /// dλ₁₂/dα₁, equation (46).
  private let slope: Double

  /// sin α₀, the azimuth where the path crosses the equator.
  private let sineAtEquator: Double

  init(of problem: GeodesicInverse, leavingAt azimuth: Angle) {
    let (beta1, beta2) = (problem.first.beta, problem.second.beta)
    // on the equator a path due east has no node to count from, so it is tilted infinitesimally
    let isLevel = beta1.sine == 0 && azimuth.cosine == 0
    let alpha1 = isLevel ? Angle(sine: azimuth.sine, cosine: -GeodesicInverse.tiny) : azimuth
    // the great circle that is the path's image on the auxiliary sphere: Clairaut's relation and
    // Napier's rules, equations (5), (10) and (16)
    sineAtEquator = alpha1.sine * beta1.cosine
    let (north, east) = (alpha1.cosine, alpha1.sine * beta1.sine)
    let epsilon = Ellipsoid.expansionParameter(cosineSquared: north * north + east * east)
    let arrivalCosine = Self.arrivalCosine(at: beta2, from: beta1, leavingAt: alpha1)
    // σ and ω at both ends, equations (11) and (12); ω up to a positive factor
    let cosine1 = alpha1.cosine * beta1.cosine
    let cosine2 = arrivalCosine * beta2.cosine
    let arc = SphereArc(
      from: Angle(alongSine: beta1.sine, cosine: cosine1),
      to: Angle(alongSine: beta2.sine, cosine: cosine2)
    )
    let omega1 = Angle(sine: sineAtEquator * beta1.sine, cosine: cosine1)
    let omega2 = Angle(sine: sineAtEquator * beta2.sine, cosine: cosine2)
    let omega = omega2.turned(from: omega1)
    let stretches = (problem.first.stretch, problem.second.stretch)
    path = PathLength(of: arc, stretches: stretches, epsilon: epsilon)
    // λ = ω - f sinα₀ I₃(σ), equations (8) and (23); the difference of angles ω₁₂ - λ₁₂ first
    let difference = omega - problem.longitude.angle
    let integral =
      GeodesicSeries.a3(epsilon) * (arc.radians + GeodesicSeries.c3(epsilon).difference(over: arc))
    excess = difference.radians - Ellipsoid.flattening * sineAtEquator * integral
    let axisRatio = 1 - Ellipsoid.flattening
    slope =
      arrivalCosine == 0
      ? -2 * axisRatio * problem.first.stretch / beta1.sine
      : axisRatio * path.reduced / (arrivalCosine * beta2.cosine)
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

  /// The length after the excess of longitude is subtracted, by the first variation of arc length:
  /// at the second latitude ds = a cosβ₂ sinα₂ dλ, which is a sinα₀ dλ by Clairaut's relation.
  var lengthOnArrival: Double {
    path.length - excess * sineAtEquator / (1 - Ellipsoid.flattening)
  }

  /// Whether only the first variation is missing.
  ///
  /// The rest is less than (a·excess)²/m₁₂: 0.2 nm. False if neighboring paths meet again.
  var isNearlyThere: Bool {
    excess.magnitude < 1e-9 && path.reduced > 0.05
  }

  /// The azimuth after one step of Newton's method; nil if the step leaves 0...π or is useless.
  func newtonStep(from azimuth: Angle) -> Angle? {
    guard slope > 0 else { return nil }
    let step = -excess / slope
    guard step.magnitude < .pi else { return nil }
    let turned = azimuth + Angle(radians: step)
    guard turned.sine > 0 else { return nil }
    return Angle(alongSine: turned.sine, cosine: turned.cosine)
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

/// The series of Karney 2013 to sixth order, for the flattening of WGS84.
///
/// Equation numbers are those of C. F. F. Karney, Algorithms for geodesics, J. Geodesy 87 (2013),
/// doi 10.1007/s00190-012-0578-z. ε is the expansion parameter of equation (16); the integrals are
/// I(σ) = A·(σ + Σ Cₗ sin 2lσ).
enum GeodesicSeries {
  private static let n = Ellipsoid.thirdFlattening

  /// A₁ - 1, equation (17).
  static func a1MinusOne(_ epsilon: Double) -> Double {
    let e2 = epsilon * epsilon
    let even = e2 * (64 + e2 * (4 + e2)) / 256
    return (even + epsilon) / (1 - epsilon)
  }

  /// C₁ₗ of the distance integral, equation (18).
  static func c1(_ epsilon: Double) -> SineSeries {
    let e2 = epsilon * epsilon
    let e4 = e2 * e2
    return SineSeries(
      c1: epsilon * (-16 + e2 * (6 - e2)) / 32,
      c2: e2 * (-128 + e2 * (64 - 9 * e2)) / 2_048,
      c3: epsilon * e2 * (-16 + 9 * e2) / 768,
      c4: e4 * (-5 + 3 * e2) / 512,
      c5: epsilon * e4 * -7 / 1_280,
      c6: e4 * e2 * -7 / 2_048
    )
  }

  /// A₂ - 1, equation (42).
  static func a2MinusOne(_ epsilon: Double) -> Double {
    let e2 = epsilon * epsilon
    let even = e2 * (-192 + e2 * (-28 - 11 * e2)) / 256
    return (even - epsilon) / (1 + epsilon)
  }

  /// C₂ₗ of the reduced length's second integral, equation (43).
  static func c2(_ epsilon: Double) -> SineSeries {
    let e2 = epsilon * epsilon
    let e4 = e2 * e2
    return SineSeries(
      c1: epsilon * (16 + e2 * (2 + e2)) / 32,
      c2: e2 * (384 + e2 * (64 + 35 * e2)) / 2_048,
      c3: epsilon * e2 * (80 + 15 * e2) / 768,
      c4: e4 * (35 + 7 * e2) / 512,
      c5: epsilon * e4 * 63 / 1_280,
      c6: e4 * e2 * 77 / 2_048
    )
  }

  /// A₃ of the longitude integral, equation (24).
  static func a3(_ epsilon: Double) -> Double {
    let first = (n - 1) / 2
    let second = (-2 + n * (-1 + 3 * n)) / 8
    let third = (-1 + n * (-3 - n)) / 16
    let fourth = (-3 - 2 * n) / 64
    let fifth = -3.0 / 128
    return 1 + epsilon
      * (first + epsilon * (second + epsilon * (third + epsilon * (fourth + epsilon * fifth))))
  }

  /// C₃ₗ of the longitude integral, equation (25); it has no sixth term.
  static func c3(_ epsilon: Double) -> SineSeries {
    let e = epsilon
    let e2 = e * e
    let high = (3 + n * (3 - n)) / 64 + e * ((5 + 2 * n) / 128 + e * 3 / 128)
    return SineSeries(
      c1: e * ((1 - n) / 4 + e * ((1 - n * n) / 8 + e * high)),
      c2: e2
        * ((2 + n * (-3 + n)) / 32
          + e * ((3 + n * (-2 - 3 * n)) / 64 + e * ((3 + n) / 128 + e * 5 / 256))),
      c3: e2 * e
        * ((5 + n * (-9 + 5 * n)) / 192 + e * ((9 - 10 * n) / 384 + e * 7 / 512)),
      c4: e2 * e2 * ((7 - 14 * n) / 512 + e * 7 / 512),
      c5: e2 * e2 * e * 21 / 2_560,
      c6: 0
    )
  }
}

/// Six coefficients of a sine series Σ cₗ sin 2lσ.
struct SineSeries {
  let c1: Double
  let c2: Double
  let c3: Double
  let c4: Double
  let c5: Double
  let c6: Double

  /// The sum at σ, by Clenshaw's recurrence.
  func sum(at sigma: Angle) -> Double {
    let (sine, cosine) = (sigma.sine, sigma.cosine)
    let twiceCosine = 2 * (cosine - sine) * (cosine + sine)  // 2 cos 2σ
    let b5 = twiceCosine * c6 + c5
    let b4 = twiceCosine * b5 - c6 + c4
    let b3 = twiceCosine * b4 - b5 + c3
    let b2 = twiceCosine * b3 - b4 + c2
    let b1 = twiceCosine * b2 - b3 + c1
    return 2 * sine * cosine * b1
  }

  /// The sum at the end of an arc less the sum at its start.
  func difference(over arc: SphereArc) -> Double { sum(at: arc.end) - sum(at: arc.start) }
}
