#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// An angle kept as its sine and cosine.
struct Angle {
  let sine: Double
  let cosine: Double

  init(sine: Double, cosine: Double) {
    self.sine = sine
    self.cosine = cosine
  }

  /// The direction of a vector whose square neither underflows nor overflows.
  init(alongSine sine: Double, cosine: Double) {
    let length = (sine * sine + cosine * cosine).squareRoot()
    self.init(sine: sine / length, cosine: cosine / length)
  }

  init(radians: Double) {
    self.init(sine: sin(radians), cosine: cos(radians))
  }

  /// The angle of a number of degrees, exact at multiples of 90.
  init(degrees: Double) {
    self = AnglePair(degrees: SIMD2(degrees, 0)).first
  }

  /// A number of degrees rounded to steps of 2⁻⁵⁷ (0.8 pm on the ground) where it is below 1/16.
  ///
  /// It keeps products of small sines from underflowing.
  static func coarse(degrees: Double) -> Double {
    let step = 0.0625
    let magnitude = degrees.magnitude
    guard magnitude < step else { return degrees }
    let rounded = step - (step - magnitude)
    return degrees < 0 ? -rounded : rounded
  }

  /// The angle in radians, -π...π; sine and cosine may have any common factor.
  var radians: Double { atan2(sine, cosine) }

  /// The angle from `start` to `self`, its sine not below zero, where it is known to lie in 0...π.
  func turned(from start: Angle) -> Angle {
    // the sum with zero keeps atan2 from seeing -0.0
    Angle(
      sine: max(0, start.cosine * sine - start.sine * cosine) + 0.0,
      cosine: start.cosine * cosine + start.sine * sine
    )
  }
}
