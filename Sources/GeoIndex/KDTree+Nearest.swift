extension KDTree {
  /// Finds the points nearest to a position.
  ///
  /// Ordered by distance, then by index: of points equally far the lower indexes are chosen and come
  /// first. The maximum distance is closed: a point exactly that far is in.
  ///
  /// ```swift
  /// let names = tree.nearest(to: paris, count: 3).map { cities[$0.index].name }
  /// // ["Paris", "Boulogne-Billancourt", "Saint-Denis"]
  /// ```
  ///
  /// - Parameters:
  ///   - center: the position to measure from.
  ///   - count: how many to find, zero or more; all are returned where there are fewer.
  ///   - maximumDistance: metres, zero or more; points beyond it are left out.
  ///   - allowed: the positions to choose from, over this tree's count; all where nil.
  /// - Returns: neighbours with their distances in metres, at most `count`.
  /// - Complexity: O((k + log n) log k) expected for k answers of n points near the centre; a filter
  ///   that passes few points, or a centre about as far from all points, can cost O(n).
  public func nearest(
    to center: Coordinate,
    count: Int,
    within maximumDistance: Double = .infinity,
    where allowed: PositionSet? = nil
  ) -> [Neighbor] {
    precondition(count >= 0, "The count of neighbours must not be negative.")
    precondition(maximumDistance >= 0, "The maximum distance must be zero or more metres, not NaN.")
    checkCapacity(of: allowed)
    guard count > 0, !isEmpty else { return [] }
    let site = Site(center)
    var best = NearestList(capacity: min(count, self.count), maximumDistance: maximumDistance)
    var pending: [PendingNode] = []
    // each level leaves one sibling behind: the stack never grows past this
    pending.reserveCapacity(shape.depth + 2)
    pending.append(PendingNode(TreeShape.root, of: self, from: site))
    while let next = pending.popLast() {
      if best.reach.rulesOut(next.chord) { continue }
      if shape.isLeaf(next.node) {
        scan(leaf: next.node, from: site, allowed: allowed, into: &best)
        continue
      }
      // the nearer child goes on top
      let lower = PendingNode(2 * next.node, of: self, from: site)
      let upper = PendingNode(2 * next.node + 1, of: self, from: site)
      let lowerIsNearer = lower.chord.squared <= upper.chord.squared
      pending.append(lowerIsNearer ? upper : lower)
      pending.append(lowerIsNearer ? lower : upper)
    }
    return best.sorted()
  }

  /// Offers the points of a leaf that their chords do not rule out.
  private func scan(
    leaf: Int,
    from site: Site,
    allowed: PositionSet?,
    into best: inout NearestList
  ) {
    for slot in shape.slots(of: leaf) {
      let chord = Chord(from: site, to: sites[slot])
      if best.reach.rulesOut(chord) || !isAllowed(slot, by: allowed) { continue }
      let distance = Geodesic.distance(from: site, to: sites[slot], along: chord)
      best.offer(Neighbor(index: Int(positions[slot]), distance: distance))
    }
  }
}

/// A subtree that a search has yet to visit, and the shortest chord to its box.
private struct PendingNode {
  let node: Int
  let chord: Chord

  init(_ node: Int, of tree: KDTree, from site: Site) {
    self.node = node
    chord = tree.boxes[node].nearestChord(to: site)
  }
}
