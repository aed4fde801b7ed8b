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
