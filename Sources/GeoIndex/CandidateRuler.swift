/// How a list of candidates measures points, and what a measurement settles.
protocol CandidateRuler {
  /// The weight that nodes' squares along the axis have, see ``FloatSite``.
  static var axialWeight: Double { get }

  /// Whether each point more takes longer than to select without it.
  static var isCostly: Bool { get }

  /// The square of a length that stands for a point's distance, square metres.
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
  /// Square metres, finite.
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
