extension KDTree {
  /// Finds the points within a distance of a position.
  ///
  /// The circle is closed: a point whose distance equals the radius is in, and radius 0 finds the
  /// points at the center. Ordered by distance, then by index.
  ///
  /// ```swift
  /// let close = tree.within(radius: 2_000, of: paris)
  /// // close.first?.distance is the least, in meters
  /// ```
  ///
  /// - Parameters:
  ///   - radius: meters, zero or more; from half a meridian (20 003 931.4587) on, everything is in.
  ///   - center: the position to measure from.
  ///   - isSorted: false if the order does not matter; the same points then come faster.
  ///   - allowed: the points to choose from, with this tree's count as capacity; all if nil.
  /// - Returns: every neighbor within the radius, with its distance in meters.
  /// - Complexity: O(√n + h) expected for h points in the circle.
  public func within(
    radius: Double,
    of center: Coordinate,
    sorted isSorted: Bool = true,
    where allowed: BitSet? = nil
  ) -> [Neighbor] {
    var probe = NoProbe()
    return query(radius, of: center, allowed) { $0.list(sorted: isSorted, &probe) }
  }

  /// Does what ``within(radius:of:sorted:where:)`` does, and adds what that took to `statistics`.
  public func within(
    radius: Double,
    of center: Coordinate,
    sorted isSorted: Bool = true,
    where allowed: BitSet? = nil,
    statistics: inout SearchStatistics
  ) -> [Neighbor] {
    query(radius, of: center, allowed) { $0.list(sorted: isSorted, &statistics) }
  }

  /// Counts the points within a distance of a position: the length of
  /// ``within(radius:of:sorted:where:)`` without making the list.
  ///
  /// - Parameters:
  ///   - radius: meters, zero or more; closed.
  ///   - center: the position to measure from.
  ///   - allowed: the points to count, with this tree's count as capacity; all if nil.
  /// - Returns: how many points are within the radius.
  /// - Complexity: O(√n) expected without a filter: subtrees wholly inside are not entered. With one
  ///   O(√n + h) for h points in the circle. O(1) for an infinite radius.
  public func count(
    within radius: Double,
    of center: Coordinate,
    where allowed: BitSet? = nil
  ) -> Int {
    // all are within an infinite distance; with a filter, a walk would look at each
    if radius == .infinity { return allowed?.count ?? self.count }
    var probe = NoProbe()
    return query(radius, of: center, allowed) { $0.count(&probe) }
  }

  /// Does what ``count(within:of:where:)`` does, and adds what that took to `statistics`.
  public func count(
    within radius: Double,
    of center: Coordinate,
    where allowed: BitSet? = nil,
    statistics: inout SearchStatistics
  ) -> Int {
    query(radius, of: center, allowed) { $0.count(&statistics) }
  }

  /// Finds which points are within a distance of a position, without measuring those well inside.
  ///
  /// - Parameters:
  ///   - radius: meters, zero or more; closed.
  ///   - center: the position to measure from.
  ///   - allowed: the points to choose from, with this tree's count as capacity; all if nil.
  /// - Returns: the positions of ``within(radius:of:sorted:where:)``, in no order.
  /// - Complexity: O(√n + h) expected for h points in the circle.
  package func positions(
    within radius: Double,
    of center: Coordinate,
    where allowed: BitSet? = nil
  ) -> [UInt32] {
    var probe = NoProbe()
    return query(radius, of: center, allowed) { $0.positions(sorted: false, &probe) }
  }

  /// The same of all points, as a set with this tree's count as capacity.
  package func positionSet(within radius: Double, of center: Coordinate) -> BitSet {
    BitSet(capacity: count, positions(within: radius, of: center).lazy.map(Int.init))
  }

  private func query<Answer>(
    _ radius: Double,
    of center: Coordinate,
    _ allowed: BitSet?,
    _ body: (RegionQuery<BallRegion>) -> Answer
  ) -> Answer {
    precondition(radius >= 0, "The radius must be zero or more meters, not NaN.")
    return search(where: allowed) { allowed in
      withScratch(BallRegion.byteCount) { scratch in
        let ball = BallRegion(radius: radius, of: ECEFPoint(center), scratch: scratch)
        return body(RegionQuery(view: view, region: ball, allowed: allowed))
      }
    }
  }

  /// Finds the points in a box.
  ///
  /// The box is closed; ``BoundingBox/contains(_:)`` says what that means at ±180 and the poles.
  ///
  /// ```swift
  /// let fiji = BoundingBox(west: 177, south: -21, east: -178, north: -12)
  /// let islands = fiji.map { tree.within($0) }
  /// ```
  ///
  /// - Parameters:
  ///   - box: the box, degrees.
  ///   - isSorted: false if the order does not matter; the same points then come faster.
  ///   - allowed: the points to choose from, with this tree's count as capacity; all if nil.
  /// - Returns: the indexes of the points in the box, ascending if sorted.
  /// - Complexity: O(√n + h) expected for h points in the box.
  public func within(
    _ box: BoundingBox,
    sorted isSorted: Bool = true,
    where allowed: BitSet? = nil
  ) -> [Int] {
    var probe = NoProbe()
    return query(BoxRegion(box), allowed) { $0.positions(sorted: isSorted, &probe) }
  }

  /// Does what ``within(_:sorted:where:)-(BoundingBox,_,_)`` does, and adds what that took to
  /// `statistics`.
  public func within(
    _ box: BoundingBox,
    sorted isSorted: Bool = true,
    where allowed: BitSet? = nil,
    statistics: inout SearchStatistics
  ) -> [Int] {
    query(BoxRegion(box), allowed) { $0.positions(sorted: isSorted, &statistics) }
  }

  /// Counts the points in a box: the length of ``within(_:sorted:where:)-(BoundingBox,_,_)`` without
  /// making the list.
  ///
  /// - Parameters:
  ///   - box: the box, degrees; closed.
  ///   - allowed: the points to count, with this tree's count as capacity; all if nil.
  /// - Returns: how many points are in the box.
  /// - Complexity: O(√n) expected without a filter: subtrees wholly inside are not entered. With one
  ///   O(√n + h) for h points in the box.
  public func count(in box: BoundingBox, where allowed: BitSet? = nil) -> Int {
    var probe = NoProbe()
    return query(BoxRegion(box), allowed) { $0.count(&probe) }
  }

  /// Does what ``count(in:where:)-(BoundingBox,_)`` does, and adds what that took to `statistics`.
  public func count(
    in box: BoundingBox,
    where allowed: BitSet? = nil,
    statistics: inout SearchStatistics
  ) -> Int {
    query(BoxRegion(box), allowed) { $0.count(&statistics) }
  }

  /// Finds the points in an area.
  ///
  /// Boundaries are in; ``Area/contains(_:)`` says what that means at ±180 and the poles.
  ///
  /// - Parameters:
  ///   - area: the area.
  ///   - isSorted: false if the order does not matter; the same points then come faster.
  ///   - allowed: the points to choose from, with this tree's count as capacity; all if nil.
  /// - Returns: the indexes of the points in the area, ascending if sorted.
  /// - Complexity: O((√n + b)·log v + h) expected for h points in an area of v vertices, and b points
  ///   in leaves that its boundary cuts: subtrees wholly inside are taken, others dropped.
  public func within(
    _ area: Area,
    sorted isSorted: Bool = true,
    where allowed: BitSet? = nil
  ) -> [Int] {
    var probe = NoProbe()
    return query(AreaRegion(area), allowed) { $0.positions(sorted: isSorted, &probe) }
  }

  /// Counts the points in an area: the length of ``within(_:sorted:where:)-(Area,_,_)`` without making
  /// the list.
  ///
  /// - Parameters:
  ///   - area: the area, with its boundary.
  ///   - allowed: the points to count, with this tree's count as capacity; all if nil.
  /// - Returns: how many points are in the area.
  /// - Complexity: that of ``within(_:sorted:where:)-(Area,_,_)``, but for the points not near the
  ///   boundary.
  public func count(in area: Area, where allowed: BitSet? = nil) -> Int {
    var probe = NoProbe()
    return query(AreaRegion(area), allowed) { $0.count(&probe) }
  }

  /// The points in an area as a set with this tree's count as capacity.
  ///
  /// - Parameters:
  ///   - area: the area, with its boundary.
  ///   - allowed: the points to choose from; all if nil.
  ///   - isOver: asked now and then whether to end the search, whose answer then has no meaning.
  /// - Returns: the set.
  package func positionSet(
    in area: Area,
    where allowed: BitSet? = nil,
    until isOver: @escaping () -> Bool = { false }
  ) -> BitSet {
    var probe = NoProbe()
    let found: [UInt32] = query(AreaRegion(area, until: isOver), allowed) {
      $0.positions(sorted: false, &probe)
    }
    return BitSet(capacity: count, found.lazy.map(Int.init))
  }

  private func query<Region: SearchRegion, Answer>(
    _ region: Region,
    _ allowed: BitSet?,
    _ body: (RegionQuery<Region>) -> Answer
  ) -> Answer {
    search(where: allowed) { body(RegionQuery(view: view, region: region, allowed: $0)) }
  }
}

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
  /// - Throws: the first error of `keep`.
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
