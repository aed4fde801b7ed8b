extension KDTree {
  /// Finds the points within a distance of a position.
  ///
  /// The circle is closed: a point whose distance equals the radius is in, and radius 0 finds the
  /// points at the centre. Ordered by distance, then by index.
  ///
  /// ```swift
  /// let close = tree.within(radius: 2_000, of: paris)
  /// // close.first?.distance is the least, in metres
  /// ```
  ///
  /// - Parameters:
  ///   - radius: metres, zero or more; from half a meridian (20 003 931.4587) on, everything is in.
  ///   - center: the position to measure from.
  ///   - allowed: the positions to choose from, over this tree's count; all where nil.
  /// - Returns: every neighbour within the radius, with its distance in metres.
  /// - Complexity: O(√n + h log h) expected for h points in the circle.
  public func within(
    radius: Double,
    of center: Coordinate,
    where allowed: PositionSet? = nil
  ) -> [Neighbor] {
    checkRadius(radius)
    checkCapacity(of: allowed)
    guard !isEmpty else { return [] }
    let site = Site(center)
    let reach = Reach(radius)
    var found: [Neighbor] = []
    var next: Int? = TreeShape.root
    while let node = next {
      if reach.rulesOut(boxes[node].nearestChord(to: site)) {
        next = shape.next(after: node)
      } else if !shape.isLeaf(node) {
        next = 2 * node
      } else {
        for slot in shape.slots(of: node) where isAllowed(slot, by: allowed) {
          let chord = Chord(from: site, to: sites[slot])
          if reach.rulesOut(chord) { continue }
          let distance = Geodesic.distance(from: site, to: sites[slot], along: chord)
          guard distance <= radius else { continue }
          found.append(Neighbor(index: Int(positions[slot]), distance: distance))
        }
        next = shape.next(after: node)
      }
    }
    return found.sorted()
  }

  /// Counts the points within a distance of a position: the length of
  /// ``within(radius:of:where:)`` without making the list.
  ///
  /// - Parameters:
  ///   - radius: metres, zero or more; closed.
  ///   - center: the position to measure from.
  ///   - allowed: the positions to count, over this tree's count; all where nil.
  /// - Returns: how many points are within the radius.
  /// - Complexity: O(√n) expected without a filter: subtrees wholly inside are not entered. With one
  ///   O(√n + h) for h points in the circle.
  public func count(
    within radius: Double,
    of center: Coordinate,
    where allowed: PositionSet? = nil
  ) -> Int {
    checkRadius(radius)
    checkCapacity(of: allowed)
    return slotRuns(within: radius, of: Site(center)).count(in: self, where: allowed)
  }

  /// The slots of the points within a distance.
  private func slotRuns(within radius: Double, of site: Site) -> SlotRuns {
    var runs = SlotRuns()
    guard !isEmpty else { return runs }
    let reach = Reach(radius)
    let certain = Reach.certainChordSquared(within: radius)
    var next: Int? = TreeShape.root
    while let node = next {
      let box = boxes[node]
      if box.farthestChord(to: site).squared <= certain {
        runs.append(shape.slots(of: node))
      } else if !reach.rulesOut(box.nearestChord(to: site)) {
        if !shape.isLeaf(node) {
          next = 2 * node
          continue
        }
        for slot in shape.slots(of: node) where isWithin(radius, of: site, slot: slot, reach) {
          runs.append(slot..<slot + 1)
        }
      }
      next = shape.next(after: node)
    }
    return runs
  }

  /// Whether the point in a slot is within a radius: decided by the reported distance.
  private func isWithin(_ radius: Double, of site: Site, slot: Int, _ reach: Reach) -> Bool {
    let chord = Chord(from: site, to: sites[slot])
    if reach.rulesOut(chord) { return false }
    return Geodesic.distance(from: site, to: sites[slot], along: chord) <= radius
  }

  private func checkRadius(_ radius: Double) {
    precondition(radius >= 0, "The radius must be zero or more metres, not NaN.")
  }
}
