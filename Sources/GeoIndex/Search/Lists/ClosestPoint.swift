/// The candidates of a search for one point: the closest by chord.
struct ClosestPoint: CandidateList {
  private(set) var limit: Double
  private(set) var limitKey: Int32

  /// The closest point, and whether there is one.
  private(set) var slot = 0
  private(set) var chordSquared = Double.infinity

  /// The least squared chord of all points that were skipped.
  private var leastRival = Double.infinity

  init(limit: Double) {
    self.limit = limit
    limitKey = ChordBound.key(limit)
  }

  /// Whether another point may be as near along the ellipsoid.
  var isTied: Bool { leastRival <= limit }

  @inline(__always)
  mutating func look(
    at points: UnsafePointer<SIMD2<Double>>,
    of leaf: Int,
    from origin: SurfacePoint,
    by scan: LeafScan
  ) {
    let least = scan.measureLeast(points, from: origin)
    guard least <= limit else { return }
    guard least < chordSquared else {
      leastRival = min(leastRival, least)
      return
    }
    leastRival = min(leastRival, chordSquared)
    chordSquared = least
    limit = min(limit, ChordBound.settled(after: least))
    limitKey = ChordBound.key(limit)
    let close = scan.bits(within: limit)
    slot = leaf &* TreeShape.leafCapacity &+ close.trailingZeroBitCount
    // if two are this close, it does not matter which one: the search is repeated
    if close & (close &- 1) != 0 { leastRival = least }
  }
}
