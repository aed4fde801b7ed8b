import GeoIndex

/// One page of restaurants.
struct Page: Sendable {
  /// How many restaurants the question matches, whatever its limit.
  let matched: Int

  /// The restaurants of the page.
  let positions: [Int]

  /// Whether others follow.
  let hasMore: Bool

  /// Finds a page.
  ///
  /// - Throws: `DeadlineExceeded`.
  /// - Complexity: O(page) without filter and box in the order of ids; O(matches) in a box, O(n / 64)
  ///   bit tests with a filter.
  init(_ question: PageQuestion, of generation: ServedGeneration, until deadline: Deadline) throws {
    let data = generation.data
    let allowed = try generation.positions(of: question.choice, until: deadline)
    let order = question.sort.map(generation.order)
    try deadline.check()
    let candidates: Candidates
    if let box = question.box, !Self.holdsAll(box, data) {
      let found = data.tree.within(box, where: allowed)
      if order == nil {
        candidates = .list(found)
      } else {
        candidates = .members(PositionSet(capacity: data.count, found))
      }
    } else {
      candidates = allowed.map(Candidates.members) ?? .all(data.count)
    }
    matched = candidates.count
    let found = Self.part(of: candidates, question, order, data)
    positions = Array(found.prefix(question.limit))
    hasMore = found.count > question.limit
  }

  /// Where the next page begins; nil after the last.
  func next(_ question: PageQuestion, in data: some ServedData) -> PageCursor? {
    guard hasMore, let last = positions.last else { return nil }
    let value = question.sort.flatMap { data.sortValue($0.field, at: last) }
    return PageCursor(after: last, value: value, of: question.fingerprint, in: data)
  }

  /// What a page is taken from.
  private enum Candidates {
    /// Every position.
    case all(Int)
    /// These, ascending.
    case list([Int])
    /// The members of a set.
    case members(PositionSet)

    var count: Int {
      switch self {
      case .all(let count): count
      case .list(let positions): positions.count
      case .members(let set): set.count
      }
    }
  }

  /// One more than the page takes, if there is one more.
  private static func part(
    of candidates: Candidates,
    _ question: PageQuestion,
    _ order: SortedOrder?,
    _ data: some ServedData
  ) -> [Int] {
    let start = start(question, order, data)
    let wanted = question.limit + 1
    switch (candidates, order) {
    case (.all(let count), nil):
      return Array((start..<max(start, count)).dropFirst(question.offset).prefix(wanted))
    case (.all, let order?):
      return order.positions[start...].dropFirst(question.offset).prefix(wanted).map { Int($0) }
    case (.list(let positions), _):
      let first = positions.firstIndex { $0 >= start } ?? positions.endIndex
      return Array(positions[first...].dropFirst(question.offset).prefix(wanted))
    case (.members(let set), nil):
      let members = (start..<max(start, data.count)).lazy.filter(set.contains)
      return Array(members.dropFirst(question.offset).prefix(wanted))
    case (.members(let set), let order?):
      let members = order.positions[start...].lazy.map { Int($0) }.filter(set.contains)
      return Array(members.dropFirst(question.offset).prefix(wanted))
    }
  }

  /// The first place of the order, or the first position, that the page may take.
  private static func start(
    _ question: PageQuestion,
    _ order: SortedOrder?,
    _ data: some ServedData
  ) -> Int {
    guard let cursor = question.cursor else { return 0 }
    let bound = data.lowerBound(ofID: cursor.id.utf8)
    let next = bound.isExact ? bound.position + 1 : bound.position
    return order?.start(after: cursor.value, next, in: data) ?? next
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
