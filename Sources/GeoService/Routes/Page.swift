import GeoIndex

/// One page of restaurants.
struct Page: Sendable {
  /// How many restaurants the question matches, whatever its limit.
  let matched: Int

  /// The restaurants of the page.
  let positions: [Int]

  /// Whether others come before.
  let hasPrevious: Bool

  /// Whether others follow.
  let hasMore: Bool

  /// Finds a page.
  ///
  /// - Throws: `DeadlineExceeded`.
  /// - Complexity: O(page) without filter and box in the order of ids; O(matches) in a box, O(n) bit
  ///   tests with a filter.
  init(_ question: PageQuestion, of generation: ServedGeneration, until deadline: Deadline) throws {
    let data = generation.data
    let allowed = try generation.positions(of: question.choice, until: deadline)
    let order = question.sort.map(generation.order)
    try deadline.check()
    let line: PageLine
    if let box = question.box, !Self.holdsAll(box, data) {
      let found = data.tree.within(box, where: allowed)
      matched = found.count
      line =
        order == nil
        ? PageLine(list: found)
        : PageLine(order, members: PositionSet(capacity: data.count, found), count: data.count)
    } else {
      matched = allowed?.count ?? data.count
      line = PageLine(order, members: allowed, count: data.count)
    }
    let start = Self.start(question, order, line, data)
    // one more than the page takes tells whether there is more
    if question.cursor?.side == .before {
      let found = line.places(before: start, limit: question.limit + 1)
      positions = found.suffix(question.limit).map(line.position)
      hasPrevious = found.count > question.limit
      hasMore = line.hasAny(in: start..<line.count)
    } else {
      let found = line.places(
        from: start,
        offset: question.offset,
        limit: question.limit + 1
      )
      positions = found.prefix(question.limit).map(line.position)
      hasPrevious = found.first.map { line.hasAny(in: 0..<$0) } ?? false
      hasMore = found.count > question.limit
    }
  }

  /// Where the next page begins; nil after the last.
  func next(_ question: PageQuestion, in data: some ServedData) -> PageCursor? {
    guard hasMore, let last = positions.last else { return nil }
    return cursor(.after, last, question, in: data)
  }

  /// Where the page before ends; nil before the first.
  func previous(_ question: PageQuestion, in data: some ServedData) -> PageCursor? {
    guard hasPrevious, let first = positions.first else { return nil }
    return cursor(.before, first, question, in: data)
  }

  private func cursor(
    _ side: PageCursor.Side,
    _ position: Int,
    _ question: PageQuestion,
    in data: some ServedData
  ) -> PageCursor {
    let value = question.sort.flatMap { data.sortValue($0.field, at: position) }
    return PageCursor(side, position, value: value, of: question.fingerprint, in: data)
  }

  /// The first place after the cursor's restaurant, or the restaurant's own: that of the first one
  /// that does not come before it.
  private static func start(
    _ question: PageQuestion,
    _ order: SortedOrder?,
    _ line: PageLine,
    _ data: some ServedData
  ) -> Int {
    guard let cursor = question.cursor else { return 0 }
    let bound = data.lowerBound(ofID: cursor.id.utf8)
    let isPassed = bound.isExact && cursor.side == .after
    let position = bound.position + (isPassed ? 1 : 0)
    return order?.start(after: cursor.value, position, in: data) ?? line.place(of: position)
  }

  /// Whether a box leaves nothing out, as the boxes of clients that ask for the whole extent do.
  private static func holdsAll(_ box: BoundingBox, _ data: some ServedData) -> Bool {
    if box == .world { return true }
    guard let extent = data.extent, !extent.crossesAntimeridian, !box.crossesAntimeridian else {
      return false
    }
    return box.west <= extent.west && box.south <= extent.south && box.east >= extent.east
      && box.north >= extent.north
  }
}
