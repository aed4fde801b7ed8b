extension KDTree {
  /// Two points that are near each other.
  public struct Pair: Sendable, Hashable {
    /// The lower position.
    public let first: Int

    /// The higher position.
    public let second: Int

    /// Meters along the ellipsoid, as ``Coordinate/distance(to:)`` reports them.
    public let distance: Double
  }

  /// Finds all pairs of points within a distance of each other.
  ///
  /// The distance is closed: with 0 these are the pairs of equal positions. Each pair is there once,
  /// ordered by its first, then by its second position.
  ///
  /// ```swift
  /// let tree = KDTree(shops, at: \.coordinate)
  /// let twins = tree.pairs(within: 50).map { (shops[$0.first], shops[$0.second]) }
  /// ```
  ///
  /// - Parameters:
  ///   - distance: meters, zero or more.
  ///   - allowed: the points to choose from, with this tree's count as capacity; all if nil.
  /// - Returns: the pairs; n points in one place are n · (n - 1) / 2 pairs.
  /// - Complexity: O(n·√n + p) expected for n points and p pairs, on all cores; 24 bytes a pair.
  public func pairs(within distance: Double, where allowed: BitSet? = nil) -> [Pair] {
    pairs(within: distance, from: allowed) { first, neighbors in
      neighbors.map { Pair(first: first, second: $0.index, distance: $0.distance) }
        .sorted { $0.second < $1.second }
    }
  }

  /// Joins points with those within a distance, and keeps what a closure makes of them.
  ///
  /// - Parameters:
  ///   - distance: meters, zero or more; closed.
  ///   - firsts: the points to start from, with this tree's count as capacity; all if nil.
  ///   - seconds: the points to find; nil for `firsts`, and then each pair is found once, from its
  ///     lower position.
  ///   - keep: what is kept of the pairs of a first point; called on several threads at once.
  /// - Returns: what was kept, in order of the first points.
  package func pairs<Kept: Sendable, Failure>(
    within distance: Double,
    from firsts: BitSet? = nil,
    to seconds: BitSet? = nil,
    _ keep: @Sendable (_ first: Int, _ neighbors: [Neighbor]) throws(Failure) -> [Kept]
  ) throws(Failure) -> [Kept] {
    precondition(distance >= 0, "The distance must be zero or more meters, not NaN.")
    let starts = (firsts ?? BitSet(all: count)).positions(ranks: 0..<(firsts?.count ?? count))
    // small parts, because points are dense in cities
    let parts = Swift.max(
      1,
      Swift.min(starts.count, Swift.max(Parallel.coreCount, starts.count / 512))
    )
    let kept = Parallel.mapParts(of: 0..<starts.count, threads: parts) { part in
      Result { () throws(Failure) -> [Kept] in
        var kept: [Kept] = []
        for start in part {
          let first = Int(starts[start])
          var near = within(
            radius: distance,
            of: self[first],
            sorted: false,
            where: seconds ?? firsts
          )
          if seconds == nil { near.removeAll { $0.index <= first } }
          kept += try keep(first, near)
        }
        return kept
      }
    }
    var all: [Kept] = []
    for part in kept { all += try part.get() }
    return all
  }
}
