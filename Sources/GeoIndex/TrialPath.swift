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

  /// The length once the excess of longitude is taken off, by the first variation of arc length: at
  /// the second latitude ds = a cosβ₂ sinα₂ dλ, which is a sinα₀ dλ by Clairaut's relation.
  var lengthOnArrival: Double {
    length - excess * sineAtEquator / (1 - Ellipsoid.flattening)
  }

  /// Whether the first variation is all that is missing.
  ///
  /// What it leaves is less than (a·excess)²/m₁₂: 0.2 nm. Not where neighbouring paths meet again.
  var isNearlyThere: Bool {
    excess.magnitude < 1e-9 && reduced > 0.05
  }

  /// The azimuth after one step of Newton's method; nil where the step leaves 0...π or is useless.
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
