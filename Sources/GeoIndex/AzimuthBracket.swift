/// Two azimuths with the wanted one between them.
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
