/// The candidates that a nearest search collects.
protocol CandidateList {
  /// The squared chord beyond which a point is useless, square meters; finite.
  var limit: Double { get }

  /// The limit as a node's key.
  var limitKey: Int32 { get }

  /// Measures a leaf and adds those of its points that may be answers.
  ///
  /// - Parameters:
  ///   - points: the leaf's points.
  ///   - leaf: the leaf.
  ///   - origin: the point to measure from.
  ///   - scan: for the chords.
  mutating func look(
    at points: UnsafePointer<SIMD2<Double>>,
    of leaf: Int,
    from origin: SurfacePoint,
    by scan: LeafScan
  )
}

/// A list that accepts all points within its limit.
protocol TakingList: CandidateList {
  /// Adds points of a leaf.
  ///
  /// - Parameters:
  ///   - bits: which points, of those within the limit; at least one.
  ///   - scan: their chords.
  ///   - leaf: the leaf.
  mutating func take(_ bits: UInt32, of scan: LeafScan, leaf: Int)
}

extension TakingList {
  @inline(__always)
  mutating func look(
    at points: UnsafePointer<SIMD2<Double>>,
    of leaf: Int,
    from origin: SurfacePoint,
    by scan: LeafScan
  ) {
    let bits = scan.measure(points, from: origin, limit: limit)
    if bits != 0 { take(bits, of: scan, leaf: leaf) }
  }
}
