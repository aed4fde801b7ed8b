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
