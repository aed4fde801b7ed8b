import GeoIndex

/// The restaurants that a query matches, in its order, each with a rank: 0 for the first.
///
/// A page is a range of ranks; a cursor becomes the rank that its restaurant has or would have.
enum Ranking {
  /// All of a snapshot, by id.
  case all(count: Int)
  /// Some, by id.
  case set(BitSet)
  /// Some, by id, ascending.
  case list([Int])
  /// Some in order of (distance, id).
  case neighbors([Neighbor])
  /// Those in a circle, nearest or farthest first, then by id; distances are computed on demand.
  case disc(Disc)
  /// Some by the keys of an order.
  case ordered(OrderedPositions)

  /// A circle and a filter.
  struct Disc {
    let tree: KDTree
    let center: Coordinate
    let radius: Double
    let allowed: BitSet?
    let isFarthestFirst: Bool
    let count: Int

    /// The restaurants, in no order.
    var positions: [UInt32] { tree.positions(within: radius, of: center, where: allowed) }

    /// The number of restaurants before a neighbor.
    func rank(of neighbor: Neighbor) -> Int {
      let rank = nearer(than: neighbor)
      guard isFarthestFirst else { return rank }
      let ties = ties(neighbor.distance...neighbor.distance)
      return count - ties.upperBound + rank - ties.lowerBound
    }

    /// The restaurants with some ranks.
    func neighbors(_ ranks: Range<Int>) -> ArraySlice<Neighbor> {
      guard isFarthestFirst else { return nearest(ranks)[...] }
      let mirrored = count - ranks.upperBound..<count - ranks.lowerBound
      var found = nearest(mirrored)
      guard let first = found.first, let last = found.last else { return [] }
      // equal distances stay in order of id, so those at both ends must be complete
      let whole = ties(first.distance...last.distance)
      if whole != mirrored { found = nearest(whole) }
      found.sort {
        $0.distance == $1.distance ? $0.index < $1.index : $0.distance > $1.distance
      }
      return found.dropFirst(whole.upperBound - mirrored.upperBound).prefix(ranks.count)
    }

    private func nearest(_ ranks: Range<Int>) -> [Neighbor] {
      tree.nearest(to: center, ranks: ranks, within: radius, where: allowed)
    }

    private func nearer(than neighbor: Neighbor) -> Int {
      tree.rank(of: neighbor, from: center, within: radius, where: allowed)
    }

    /// The ranks of restaurants in a range of distances, nearest first.
    private func ties(_ distances: ClosedRange<Double>) -> Range<Int> {
      let start = nearer(than: Neighbor(index: 0, distance: distances.lowerBound))
      return start..<nearer(than: Neighbor(index: 0, distance: distances.upperBound.nextUp))
    }
  }

  var count: Int {
    switch self {
    case .all(let count): count
    case .set(let set): set.count
    case .list(let list): list.count
    case .neighbors(let neighbors): neighbors.count
    case .disc(let disc): disc.count
    case .ordered(let ordered): ordered.members.count
    }
  }

  /// The number of restaurants before a place.
  func rank(of place: OrderPlace) -> Int {
    switch self {
    case .all(let count): min(place.position, count)
    case .set(let set): set.count(below: place.position)
    case .list(let list): list.partitionPoint { $0 >= place.position }
    case .neighbors(let neighbors):
      neighbors.partitionPoint { !($0 < Neighbor(index: place.position, distance: place.distance)) }
    case .disc(let disc):
      disc.rank(of: Neighbor(index: place.position, distance: place.distance))
    case .ordered(let ordered): ordered.rank(of: place)
    }
  }

  /// The restaurants with some ranks.
  func hits(_ ranks: Range<Int>) -> Hits {
    switch self {
    case .all: .range(ranks)
    case .set(let set): .positions(set.positions(ranks: ranks))
    case .list(let list): .positions(list[ranks].map { UInt32($0) })
    case .neighbors(let neighbors): .neighbors(neighbors[ranks])
    case .disc(let disc): .neighbors(disc.neighbors(ranks))
    case .ordered(let ordered): ordered.hits(ranks)
    }
  }
}

/// A place in an order: before the restaurant with these keys and this position, which may not exist.
struct OrderPlace {
  /// For each term of the order a number that sorts like its values; empty for the order by id.
  var keys: [UInt64]

  /// The distance, for orders by distance; otherwise 0.
  var distance: Double

  var position: Int
}

/// Restaurants by the keys of an order.
struct OrderedPositions {
  /// The restaurants, in any order.
  enum Members {
    case range(Range<Int>)
    case some([UInt32])

    var count: Int {
      switch self {
      case .range(let range): range.count
      case .some(let positions): positions.count
      }
    }

    @inline(__always)
    func visit(_ body: (Int) -> Void) {
      switch self {
      case .range(let range): for position in range { body(position) }
      case .some(let positions): for position in positions { body(Int(position)) }
      }
    }
  }

  let members: Members

  /// For each term of the order, the key of a restaurant.
  let keys: [(Int) -> UInt64]

  /// The center for the distances of hits, and the tree; nil for no distances.
  let center: (Coordinate, KDTree)?

  /// The number of restaurants before a place.
  func rank(of place: OrderPlace) -> Int {
    let (first, firstKey) = (keys[0], place.keys[0])
    let later = zip(keys, place.keys).dropFirst()
    func isBeforeByOthers(_ position: Int) -> Bool {
      for (key, placeKey) in later {
        let key = key(position)
        if key != placeKey { return key < placeKey }
      }
      return position < place.position
    }
    var rank = 0
    members.visit { position in
      let key = first(position)
      let isBefore = key < firstKey || (key == firstKey && isBeforeByOthers(position))
      rank &+= isBefore ? 1 : 0
    }
    return rank
  }

  /// The restaurants with some ranks.
  func hits(_ ranks: Range<Int>) -> Hits {
    // most orders have one key: `geoq list --sort -rating` of 500 000 takes 0.7 of the time with these entries
    keys.count == 1 ? hits(ranks, NoKeys.self) : hits(ranks, LaterKeys.self)
  }

  private func hits<Others: OtherKeys>(_ ranks: Range<Int>, _: Others.Type) -> Hits {
    let count = members.count
    // starts from the nearer end
    let isFromEnd = count - ranks.lowerBound < ranks.upperBound
    let (flip, mirror) = isFromEnd ? (UInt64.max, UInt32.max) : (0, 0)
    var selection = Selection<Others>(
      capacity: isFromEnd ? count - ranks.lowerBound : ranks.upperBound
    )
    if !ranks.isEmpty {
      let (first, others) = (keys[0], Array(keys.dropFirst()))
      members.visit { position in
        selection.add(first(position) ^ flip, UInt32(position) ^ mirror) {
          Others(others, of: position, flip: flip)
        }
      }
    }
    let found = selection.take()
    let chosen: [UInt32] =
      isFromEnd
      ? found.reversed().prefix(ranks.count).map { $0.position ^ mirror }
      : found.suffix(ranks.count).map(\.position)
    guard let (center, tree) = center else { return .positions(chosen) }
    return .neighbors(
      chosen.map {
        Neighbor(index: Int($0), distance: center.distance(to: tree[Int($0)]))
      }[...]
    )
  }
}

/// A restaurant's keys and position, by which it is sorted.
private struct OrderEntry<Others: OtherKeys>: Comparable {
  /// Sorts like the values of the first term; `.max` if there is no value.
  let key: UInt64

  /// Those of the other terms.
  let others: Others

  /// The position, which is in order of id.
  let position: UInt32

  static func < (left: OrderEntry, right: OrderEntry) -> Bool {
    if left.key != right.key { return left.key < right.key }
    return left.others != right.others
      ? left.others < right.others : left.position < right.position
  }
}

/// The keys of a restaurant by the terms of an order after the first.
private protocol OtherKeys: Comparable {
  init(_ keys: [(Int) -> UInt64], of position: Int, flip: UInt64)
}

private struct NoKeys: OtherKeys {
  init(_ keys: [(Int) -> UInt64], of position: Int, flip: UInt64) {}

  static func < (left: NoKeys, right: NoKeys) -> Bool { false }
}

private struct LaterKeys: OtherKeys {
  private var keys: SIMD4<UInt64> = .zero

  init(_ keys: [(Int) -> UInt64], of position: Int, flip: UInt64) {
    for (index, key) in keys.enumerated() { self.keys[index] = key(position) ^ flip }
  }

  static func < (left: LaterKeys, right: LaterKeys) -> Bool {
    for index in 0..<Order.maximumTerms where left.keys[index] != right.keys[index] {
      return left.keys[index] < right.keys[index]
    }
    return false
  }
}

/// Keeps the smallest `capacity` entries of a stream, in memory for twice that number.
private struct Selection<Others: OtherKeys> {
  fileprivate let capacity: Int
  fileprivate var entries: [OrderEntry<Others>] = []
  fileprivate var greatest: OrderEntry<Others>?

  /// Adds an entry if it is among the smallest; its other keys are computed only if it may be.
  @inline(__always)
  mutating func add(_ key: UInt64, _ position: UInt32, _ others: () -> Others) {
    if let greatest, greatest.key < key { return }
    let entry = OrderEntry(key: key, others: others(), position: position)
    if let greatest, greatest < entry { return }
    entries.append(entry)
    // the sort is amortized over the entries added since the last one
    if entries.count / 2 > capacity { prune() }
  }

  /// The smallest entries, in order.
  mutating func take() -> [OrderEntry<Others>] {
    prune()
    return entries
  }

  private mutating func prune() {
    entries.sort()
    guard entries.count > capacity else { return }
    entries.removeLast(entries.count - capacity)
    greatest = entries.last
  }
}
