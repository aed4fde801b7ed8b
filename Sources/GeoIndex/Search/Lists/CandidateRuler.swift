/// How a list of candidates measures points, and what a measurement proves.
protocol CandidateRuler {
  /// The weight that nodes' squares along the axis have, see ``FloatPoint``.
  static var axialWeight: Double { get }

  /// Whether measuring another point takes longer than excluding it by selection.
  static var isCostly: Bool { get }

  /// The square of a length that approximates a point's distance, square meters.
  ///
  /// At least that of the chord, but for the length's error.
  func lengthSquared(_ slot: Int, chordSquared: Double) -> Double

  /// A squared length so great that a reported distance of a point beyond it is certainly greater
  /// than that of a point with a squared length of at most this.
  func settled(after lengthSquared: Double) -> Double

  /// The bounds that no point with at most this squared length exceeds.
  func bounds(within lengthSquared: Double) -> SearchBounds
}

/// What a search compares points and nodes with.
struct SearchBounds {
  /// Square meters, finite.
  let chordSquared: Double

  /// For nodes, see ``ChordBound``.
  let key: Int32
}

/// Measures by the chord: as far as the chord formula holds.
struct ChordRuler: CandidateRuler {
  static var axialWeight: Double { 1 }

  static var isCostly: Bool { false }

  @inline(__always)
  func lengthSquared(_ slot: Int, chordSquared: Double) -> Double { chordSquared }

  @inline(__always)
  func settled(after lengthSquared: Double) -> Double { ChordBound.settled(after: lengthSquared) }

  @inline(__always)
  func bounds(within lengthSquared: Double) -> SearchBounds {
    SearchBounds(chordSquared: lengthSquared, key: ChordBound.key(lengthSquared))
  }
}

/// Measures by Thomas's estimate with a margin for its error: up to 10 000 km.
///
/// The margin is several times the error, and yet so small that Karney's inverse must decide
/// between few points only.
struct EstimateRuler: CandidateRuler {
  let view: TreeView
  let origin: SurfacePoint

  static var axialWeight: Double { Ellipsoid.axisRatioSquared }

  static var isCostly: Bool { true }

  /// The longest distance that is measured, meters.
  static let greatestDistance = 10_000_000.0

  /// The square of a chord that proves a distance below that, square meters.
  static let greatestChordSquared = 8_900_000.0 * 8_900_000

  /// The maximum error of an estimate, meters.
  static func margin(at distance: Double) -> Double { 0.000_1 + distance * 0.000_000_02 }

  /// The greatest squared estimate that a point within a distance can have.
  ///
  /// It is less than the square of the distance if that is too long to be measured.
  func limit(_ maximumDistance: Double) -> Double {
    let estimate = maximumDistance + Self.margin(at: maximumDistance)
    let greatest = Self.greatestDistance - 2 * Self.margin(at: Self.greatestDistance)
    return estimate <= greatest ? estimate * estimate : greatest * greatest
  }

  @inline(__always)
  func lengthSquared(_ slot: Int, chordSquared: Double) -> Double {
    let point = view.point(atSlot: slot)
    let estimate = GeodesicEstimate(from: origin, x: point.x, y: point.y, z: point.z).distance
    return estimate * estimate
  }

  func settled(after lengthSquared: Double) -> Double {
    let estimate = lengthSquared.squareRoot()
    // the margin of the farther one is at most a little greater
    let greatest = estimate + 2.001 * Self.margin(at: estimate)
    return greatest * greatest
  }

  func bounds(within lengthSquared: Double) -> SearchBounds {
    let estimate = lengthSquared.squareRoot()
    let distance = estimate + 1.001 * Self.margin(at: estimate)
    // chords of the stretched ellipsoid say nothing of shorter ones
    let reach = Reach(max(distance, Geodesic.greatestNearChord + 1))
    // stretching shortens no chord
    return SearchBounds(
      chordSquared: min(reach.finiteChordSquared, reach.stretchedSquared),
      key: ChordBound.key(reach.stretchedSquared)
    )
  }
}
