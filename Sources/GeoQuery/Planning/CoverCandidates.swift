import GeoIndex

/// The candidates for a group, in separate trees: one of all, and one for each want.
///
/// Of candidates that have the same position and meet the same wants, only the first by id is kept,
/// because a group never needs another one.
struct CoverCandidates {
  /// The positions, ascending.
  private(set) var positions: [Int] = []

  /// The wants that each place meets.
  private(set) var masks: [UInt64] = []

  /// Meters from the center.
  private(set) var distances: [Double] = []

  /// For distances between the candidates.
  let points: MeasuredPoints

  /// The tree of all candidates.
  let tree: KDTree

  private let coordinates: [Coordinate]
  private let wantTrees: [KDTree]
  private let weights: WantWeights

  /// The distances from each place to the nearest one that meets each want, rounded down; NaN if not known yet.
  ///
  /// Half precision is enough, because these are only lower bounds.
  private var nearest: [Float]

  /// Above this size, distances to wants are not stored.
  private static let maximumMemory = 1 << 22

  /// - Parameters:
  ///   - search: the search.
  ///   - groups: the places by the wants that they meet.
  ///   - radius: the distance from the center beyond which places are useless.
  /// - Throws: `SearchBudget.Spent`.
  init(
    _ search: CoverSearch,
    _ groups: PlaceGroups,
    within radius: Double
  ) throws(SearchBudget.Spent) {
    struct Spot: Hashable {
      let coordinate: Coordinate
      let mask: UInt64
    }
    var budget = search.budget
    var coordinates: [Coordinate] = []
    var spots: Set<Spot> = []
    let ball =
      radius < .infinity
      ? search.tree.positionSet(within: radius + CoverSearch.slack, of: search.center) : nil
    for index in groups.positions.indices {
      let position = Int(groups.positions[index])
      if let ball, !ball.contains(position) { continue }
      try budget.spend(1)
      let spot = Spot(
        coordinate: search.tree[position],
        mask: groups.wants[Int(groups.groups[index])]
      )
      guard spots.insert(spot).inserted else { continue }
      positions.append(position)
      masks.append(spot.mask)
      coordinates.append(spot.coordinate)
      distances.append(search.center.distance(to: spot.coordinate))
    }
    let masks = masks
    self.coordinates = coordinates
    points = MeasuredPoints(coordinates)
    tree = KDTree(coordinates, threads: 1)
    weights = search.weights
    wantTrees = search.sets.indices.map { want in
      KDTree(
        coordinates.indices.filter { masks[$0] &>> UInt64(want) & 1 == 1 }.map { coordinates[$0] },
        threads: 1
      )
    }
    let memory = masks.count * search.sets.count
    nearest = Array(repeating: .nan, count: memory <= Self.maximumMemory ? memory : 0)
  }

  /// The candidates within a distance of one of them, including itself, nearest first.
  func near(_ place: Int, within radius: Double) -> [Neighbor] {
    tree.within(radius: max(0, radius), of: coordinates[place])
  }

  /// The least distance from a place within which other places meet enough wants for a worth.
  ///
  /// One of the further places of a group must be at least that far away.
  ///
  /// - Parameters:
  ///   - place: where to measure from.
  ///   - need: the worth that is missing.
  ///   - met: the wants that are met already.
  ///   - limit: meters; never more than in an earlier call.
  /// - Returns: meters; infinity if it is beyond the limit.
  mutating func reach(from place: Int, need: Int, met: UInt64, within limit: Double) -> Double {
    guard need > 0 else { return 0 }
    var open: [Reachable] = []
    for want in wantTrees.indices where met &>> UInt64(want) & 1 == 0 && weights.amounts[want] > 0 {
      let distance = distance(from: place, to: want, within: limit)
      if distance <= limit {
        open.append(Reachable(distance: distance, worth: weights.amounts[want]))
      }
    }
    return Reachable.distance(worth: need, open)
  }

  private mutating func distance(from place: Int, to want: Int, within limit: Double) -> Double {
    let index = place * wantTrees.count + want
    if !nearest.isEmpty, !nearest[index].isNaN { return Double(nearest[index]) }
    let found =
      wantTrees[want].nearest(to: coordinates[place], count: 1, within: limit).first?.distance
      ?? .infinity
    if !nearest.isEmpty { nearest[index] = Self.roundedDown(found) }
    return found
  }

  private static func roundedDown(_ distance: Double) -> Float {
    let rounded = Float(distance)
    return Double(rounded) > distance ? rounded.nextDown : rounded
  }
}

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
  init(_ sets: [BitSet], _ budget: inout SearchBudget) throws(SearchBudget.Spent) {
    // a table for few wants, otherwise a dictionary
    var table = [UInt32](repeating: 0, count: sets.count <= 12 ? 1 << sets.count : 0)
    var known: [UInt64: UInt32] = [:]
    positions.reserveCapacity(sets.map(\.count).max() ?? 0)
    groups.reserveCapacity(positions.capacity)
    do {
      try BitSet.visitUnion(of: sets) { position, members in
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
  func set(capacity: Int, where holds: (UInt64) -> Bool) -> BitSet {
    let isIn = wants.map(holds)
    var words = [UInt64](repeating: 0, count: capacity / 64 + 1)
    for index in positions.indices {
      let position = positions[index]
      words[Int(position / 64)] |= (isIn[Int(groups[index])] ? 1 : 0) << UInt64(position % 64)
    }
    return BitSet(capacity: capacity, words: words)
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
