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

  /// After which restaurant the page begins, its value the distance; nil for the first page.
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
    let start = question.cursor.map { Self.start(after: $0, generation.data) }
    // as many as can come before the page: those at the cursor's distance may be on either side of it
    let skipped =
      start.map { tree.count(within: min($0.distance, radius), of: center, where: allowed) }
      ?? question.offset
    let wanted = min(skipped + question.limit + 1, matched)
    // the nearest so many of a large disc, not all of it in order
    let found =
      skipped >= matched && start == nil
      ? [] : tree.nearest(to: center, count: wanted, within: radius, where: allowed)
    let rest = start.map { start in found.drop { $0 < start } } ?? found.dropFirst(skipped)
    neighbors = rest.prefix(question.limit)
    hasMore = rest.count > question.limit
  }

  /// Where the page begins: at the first restaurant that comes after the cursor's, were it there.
  private static func start(after cursor: PageCursor, _ data: some ServedData) -> Neighbor {
    let bound = data.lowerBound(ofID: cursor.id.utf8)
    var distance = 0.0
    if case .number(let number)? = cursor.value { distance = max(0, number) }
    return Neighbor(
      index: bound.isExact ? bound.position + 1 : bound.position,
      distance: distance
    )
  }
}
