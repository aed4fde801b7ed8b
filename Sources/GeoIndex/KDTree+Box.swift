extension KDTree {
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
    where allowed: PositionSet? = nil
  ) -> [Int] {
    var probe = NoProbe()
    return within(box, isSorted, allowed, &probe)
  }

  /// Finds the points in a box, and counts what that took.
  ///
  /// - Parameters:
  ///   - box: the box, degrees; closed.
  ///   - isSorted: false if the order does not matter.
  ///   - allowed: the points to choose from, with this tree's count as capacity; all if nil.
  ///   - statistics: what the search did is added to it.
  /// - Returns: what ``within(_:sorted:where:)`` returns.
  /// - Complexity: that of ``within(_:sorted:where:)``.
  public func within(
    _ box: BoundingBox,
    sorted isSorted: Bool = true,
    where allowed: PositionSet? = nil,
    statistics: inout SearchStatistics
  ) -> [Int] {
    within(box, isSorted, allowed, &statistics)
  }

  /// Counts the points in a box: the length of ``within(_:sorted:where:)`` without making the list.
  ///
  /// - Parameters:
  ///   - box: the box, degrees; closed.
  ///   - allowed: the points to count, with this tree's count as capacity; all if nil.
  /// - Returns: how many points are in the box.
  /// - Complexity: O(√n) expected without a filter: subtrees wholly inside are not entered. With one
  ///   O(√n + h) for h points in the box.
  public func count(in box: BoundingBox, where allowed: PositionSet? = nil) -> Int {
    var probe = NoProbe()
    return count(box, allowed, &probe)
  }

  /// Counts the points in a box, and what that took.
  ///
  /// - Parameters:
  ///   - box: the box, degrees; closed.
  ///   - allowed: the points to count, with this tree's count as capacity; all if nil.
  ///   - statistics: what the search did is added to it.
  /// - Returns: how many points are in the box.
  /// - Complexity: that of ``count(in:where:)``.
  public func count(
    in box: BoundingBox,
    where allowed: PositionSet? = nil,
    statistics: inout SearchStatistics
  ) -> Int {
    count(box, allowed, &statistics)
  }

  @inline(__always)
  private func within(
    _ box: BoundingBox,
    _ isSorted: Bool,
    _ allowed: PositionSet?,
    _ probe: inout some SearchProbe
  ) -> [Int] {
    var found = query(box, allowed) { $0.list(&probe) }
    if isSorted { PositionSort.sort(&found, below: count) }
    return found
  }

  @inline(__always)
  private func count(
    _ box: BoundingBox,
    _ allowed: PositionSet?,
    _ probe: inout some SearchProbe
  ) -> Int {
    query(box, allowed) { $0.count(&probe) }
  }

  @inline(__always)
  private func query<Answer>(
    _ box: BoundingBox,
    _ allowed: PositionSet?,
    _ body: (BoxQuery) -> Answer
  ) -> Answer {
    checkCapacity(of: allowed)
    return withExtendedLifetime(storage) {
      let region = BoxRegion(box)
      guard let allowed else {
        return body(BoxQuery(view: view, region: region, allowed: nil))
      }
      return allowed.withUnsafeWords { words in
        let filter = AllowedPositions(words, over: view, leafBudget: .max)
        return body(BoxQuery(view: view, region: region, allowed: filter))
      }
    }
  }
}
