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
    // 180 - gap and 360 - gap are exact; where the gap rounds to 180, its rest may have any sign
    let raw = gap > 180 ? (360 - gap) - gapRest : gap
    let rawSupplement = gap > 180 ? (gap - 180) + gapRest : ((180 - gap) - gapRest).magnitude
    degrees = Angle.coarse(degrees: raw)
    supplement = Angle.coarse(degrees: rawSupplement)
    let small = Angle(degrees: min(degrees, supplement))
    angle = degrees > 90 ? Angle(sine: small.sine, cosine: -small.cosine) : small
  }

  var radians: Double { degrees * .pi / 180 }
}
