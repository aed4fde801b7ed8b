/// The inverse geodesic problem: the length of the shortest path between two positions.
///
/// C. F. F. Karney, Algorithms for geodesics, J. Geodesy 87 (2013), doi 10.1007/s00190-012-0578-z,
/// section 4, reduced to the distance and to WGS84. A path is found by its azimuth at the first
/// position: Newton's method makes it arrive at the second one's longitude. Meant for positions that
/// are not close to each other; ``Geodesic`` measures those by their chord.
struct GeodesicInverse {
  /// Stands for zero where a quotient or a direction still needs a value; its square is normal.
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

  /// Metres.
  var distance: Double { meridianDistance ?? equatorDistance ?? generalDistance }

  /// The distance where the path follows a meridian: a pole, one meridian, or over a pole.
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

  /// The distance where the path follows the equator: not for nearly antipodal positions.
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
  /// narrows where a step would leave it.
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
