import GeoIndex

/// Which page of the restaurants in a disc.
struct RadiusQuestion: Sendable {
  /// Which restaurants count.
  let choice: Choice

  /// The middle of the disc.
  let center: Coordinate

  /// Metres; the boundary counts.
  let radius: Double

  /// How many at most.
  let limit: Int

  /// How many are left out at the beginning.
  let offset: Int

  /// After which restaurant the page begins, or before which it ends, its value the distance; nil
  /// for the first page.
  let cursor: PageCursor?

  /// Tells cursors of other questions apart.
  let fingerprint: String

  /// Reads the parameters of `/radius`.
  ///
  /// - Throws: `Problem` 400.
  init(_ parameters: Parameters) throws {
    choice = parameters.choice
    (center, radius) = try parameters.disc()
    limit = parameters.integer(.largeLimit)
    offset = parameters.integer(.offset)
    fingerprint = StableHash.text(
      of: ["radius", "\(center.latitude)", "\(center.longitude)", "\(radius)"] + choice.parts
    )
    cursor = try PageCursor(parameters, of: fingerprint)
  }
}

/// One page of the restaurants in a disc, in order of (distance, id).
struct RadiusPage: Sendable {
  /// How many restaurants are in the disc, whatever the limit.
  let matched: Int

  /// Those of the page.
  let neighbors: ArraySlice<Neighbor>

  /// Whether others come before.
  let hasPrevious: Bool

  /// Whether others follow.
  let hasMore: Bool

  /// Finds a page.
  ///
  /// - Throws: `DeadlineExceeded`.
  /// - Complexity: that of a count in the disc, and of finding the nearest up to the end of the page.
  init(
    _ question: RadiusQuestion,
    of generation: ServedGeneration,
    until deadline: Deadline
  ) throws {
    let tree = generation.data.tree
    let allowed = try generation.positions(of: question.choice, until: deadline)
    let (center, radius) = (question.center, question.radius)
    matched = tree.count(within: radius, of: center, where: allowed)
    try deadline.check()
    let start = question.cursor.map { Self.start($0, generation.data) }
    // as many as can come before the cursor: those at its distance may be on either side of it
    let skipped =
      start.map { tree.count(within: min($0.distance, radius), of: center, where: allowed) }
      ?? question.offset
    let isBackward = question.cursor?.side == .before
    let wanted = min(skipped + (isBackward ? 0 : question.limit + 1), matched)
    // the nearest so many of a large disc, not all of it in order
    let found =
      skipped >= matched && start == nil
      ? [] : tree.nearest(to: center, count: wanted, within: radius, where: allowed)
    if isBackward, let start {
      let before = found.prefix { $0 < start }
      neighbors = before.suffix(question.limit)
      hasPrevious = before.count > question.limit
      hasMore = before.count < matched
    } else {
      let rest = start.map { start in found.drop { $0 < start } } ?? found.dropFirst(skipped)
      neighbors = rest.prefix(question.limit)
      hasPrevious = rest.startIndex > found.startIndex && !rest.isEmpty
      hasMore = rest.count > question.limit
    }
  }

  /// Where the page before ends; nil before the first.
  func previous(_ question: RadiusQuestion, in data: some ServedData) -> PageCursor? {
    hasPrevious ? neighbors.first.map { Self.cursor(.before, $0, question, data) } : nil
  }

  /// Where the next page begins; nil after the last.
  func next(_ question: RadiusQuestion, in data: some ServedData) -> PageCursor? {
    hasMore ? neighbors.last.map { Self.cursor(.after, $0, question, data) } : nil
  }

  private static func cursor(
    _ side: PageCursor.Side,
    _ neighbor: Neighbor,
    _ question: RadiusQuestion,
    _ data: some ServedData
  ) -> PageCursor {
    PageCursor(
      side,
      neighbor.index,
      value: .number(neighbor.distance),
      of: question.fingerprint,
      in: data
    )
  }

  /// The first place after the cursor's restaurant, or before which its page ends, as if the
  /// restaurant were still there.
  private static func start(_ cursor: PageCursor, _ data: some ServedData) -> Neighbor {
    let bound = data.lowerBound(ofID: cursor.id.utf8)
    var distance = 0.0
    if case .number(let number)? = cursor.value { distance = max(0, number) }
    let isPassed = bound.isExact && cursor.side == .after
    return Neighbor(index: bound.position + (isPassed ? 1 : 0), distance: distance)
  }
}
