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

  /// The same latitude, with sine and cosine made those of another one (up to the sign of the sine)
  /// where rounding leaves only the more sensitive of the two equal.
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
