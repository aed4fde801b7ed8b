/// Measures by the chord formula with a margin for its error: up to 2 000 km of chord.
///
/// Beyond 400 km, where it is not exact any more, the formula strays from the geodesic by less than a metre at 2 000 km. The
/// margin is far more than that, so that Karney's inverse has to decide between a few points only.
struct EstimateRuler: CandidateRuler {
  let view: TreeView
  let site: Site

  /// The longest chord that is measured, metres.
  static let greatestChord = 2_000_000.0

  /// How far an estimate of a distance may be from the distance, metres.
  static func margin(at distance: Double) -> Double {
    let share = distance / 1_000_000
    let squared = share * share
    return 0.000_01 + squared * squared * share
  }

  /// The greatest squared estimate that a point within a distance can have.
  ///
  /// Less than the square of the distance where that is too long to be measured.
  func limit(_ maximumDistance: Double) -> Double {
    let estimate = maximumDistance + Self.margin(at: maximumDistance)
    let greatest = Self.greatestChord - 2 * Self.margin(at: Self.greatestChord)
    return estimate <= greatest ? estimate * estimate : greatest * greatest
  }

  @inline(__always)
  func lengthSquared(_ slot: Int, chordSquared: Double) -> Double {
    let place = view.place(atSlot: slot)
    let estimate = Geodesic.nearDistance(from: site, x: place.x, y: place.y, z: place.z)
    return estimate * estimate
  }

  func settled(after lengthSquared: Double) -> Double {
    let estimate = lengthSquared.squareRoot()
    // the margin of the farther one is at most a little greater
    let greatest = estimate + 2.001 * Self.margin(at: estimate)
    return greatest * greatest
  }
}
