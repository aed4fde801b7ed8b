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
  var distance: Double { meridianDistance ?? equatorDistance ?? generalDistance }

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
    return Ellipsoid.equatorialRadius * longitude.radians
  }

  private var generalDistance: Double {
    Ellipsoid.polarRadius * arrivingPath().lengthOnArrival
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

  /// - Parameters:
  ///   - start: degrees, -180..<180.
  ///   - end: degrees, -180..<180.
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

  var radians: Double { degrees * .pi / 180 }
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
