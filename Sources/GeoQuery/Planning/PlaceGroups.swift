import GeoIndex

/// The places that meet wants, grouped by the wants that they meet.
struct PlaceGroups {
  /// The positions, ascending.
  private(set) var positions: [UInt32] = []

  /// The group of each position.
  private(set) var groups: [UInt32] = []

  /// The wants that the places of each group meet, as a bit mask; each mask appears once.
  private(set) var wants: [UInt64] = []

  /// Groups the places of the sets, one for each want.
  ///
  /// - Complexity: O((capacity / 64 + places) · sets).
  init(_ sets: [PositionSet], _ budget: inout SearchBudget) throws(SearchBudget.Spent) {
    // a table for few wants, otherwise a dictionary
    var table = [UInt32](repeating: 0, count: sets.count <= 12 ? 1 << sets.count : 0)
    var known: [UInt64: UInt32] = [:]
    positions.reserveCapacity(sets.map(\.count).max() ?? 0)
    groups.reserveCapacity(positions.capacity)
    do {
      try PositionSet.visitUnion(of: sets) { position, members in
        if positions.count & 0xFFFF == 0xFFFF { try budget.check() }
        var group = table.isEmpty ? known[members, default: 0] : table[Int(members)]
        if group == 0 {
          wants.append(members)
          group = UInt32(wants.count)
          if table.isEmpty { known[members] = group } else { table[Int(members)] = group }
        }
        positions.append(UInt32(truncatingIfNeeded: position))
        groups.append(group &- 1)
      }
    } catch {
      throw SearchBudget.Spent()
    }
  }

  /// The wants that the place at a position meets.
  ///
  /// - Complexity: O(log places).
  func wants(at position: Int) -> UInt64 {
    let index = positions.partitionPoint { $0 >= position }
    return wants[Int(groups[index])]
  }

  /// The positions of the groups for which a test is true, as a set.
  func set(capacity: Int, where holds: (UInt64) -> Bool) -> PositionSet {
    let isIn = wants.map(holds)
    var words = [UInt64](repeating: 0, count: capacity / 64 + 1)
    for index in positions.indices {
      let position = positions[index]
      words[Int(position / 64)] |= (isIn[Int(groups[index])] ? 1 : 0) << UInt64(position % 64)
    }
    return PositionSet(capacity: capacity, words: words)
  }
}

/// The time that a search may take.
struct SearchBudget {
  /// Thrown when the time is up; the search ends with the best group found.
  struct Spent: Error {}

  private let deadline: Deadline?

  /// The number of steps left; tests limit them.
  private var steps: Int

  private var sinceCheck = 0

  init(until deadline: Deadline?, steps: Int = .max) {
    self.deadline = deadline
    self.steps = steps
  }

  /// Counts steps, which take from nanoseconds to a microsecond each.
  @inline(__always)
  mutating func spend(_ count: Int) throws(Spent) {
    steps &-= count
    if steps < 0 { throw Spent() }
    sinceCheck &+= count
    if sinceCheck > 1_000 { try check() }
  }

  /// Checks the clock.
  mutating func check() throws(Spent) {
    sinceCheck = 0
    if let deadline, (try? deadline.check()) == nil {
      // all later checks fail at once
      steps = -1
      throw Spent()
    }
  }
}
