/// The nearest points so far of a search that decides by the reported distance at once.
///
/// For points so far away that only Karney's inverse can tell: a binary heap with the worst
/// neighbour, by distance and then index, at its top.
struct FarList: TakingList {
  private(set) var limit: Double
  private(set) var limitKey: Int32

  private let query: NearestQuery
  private let allowed: AllowedPositions?
  private var heap: [Neighbor] = []
  private(set) var reach: Reach

  /// How many leaves may still be filtered.
  private var leafBudget: Int

  /// The number of distances worked out.
  private(set) var solvedCount = 0

  /// How many of them took Karney's inverse.
  private(set) var farCount = 0

  init(query: NearestQuery, allowed: AllowedPositions?) {
    self.query = query
    self.allowed = allowed
    leafBudget = allowed?.leafBudget ?? .max
    reach = Reach(query.maximumDistance)
    limit = reach.finiteChordSquared
    limitKey = ChordBound.key(reach.stretchedSquared)
  }

  /// Whether the search ended because filtering took too long.
  var isOverBudget: Bool { leafBudget < 0 }

  mutating func take(_ bits: UInt32, of scan: LeafScan, leaf: Int) {
    var rest = allowed?.restrict(bits, leaf: leaf) ?? bits
    while rest != 0 {
      let lane = rest.trailingZeroBitCount
      rest &= rest &- 1
      offer(slot: leaf * TreeShape.leafCapacity + lane)
    }
    limit = reach.finiteChordSquared
    leafBudget -= 1
    // no node is within a negative limit: the search ends
    limitKey = leafBudget < 0 ? -1 : ChordBound.key(reach.stretchedSquared)
  }

  /// Takes a point in if it is among the nearest.
  ///
  /// - Complexity: O(log capacity).
  private mutating func offer(slot: Int) {
    let end = query.view.site(atSlot: slot)
    if reach.rulesOut(Chord(from: query.site, to: end)) { return }
    offer(end, index: query.view.position(atSlot: slot))
  }

  /// Works out a distance, and takes the point in if it is among the nearest.
  mutating func offer(_ end: Site, index: Int) {
    solvedCount += 1
    farCount += Chord(from: query.site, to: end).squared > ChordBound.greatestNear ? 1 : 0
    offer(Neighbor(index: index, distance: Geodesic.distance(from: query.site, to: end)))
  }

  /// Takes a neighbour in if it is among the nearest.
  ///
  /// - Complexity: O(log capacity).
  private mutating func offer(_ neighbor: Neighbor) {
    guard neighbor.distance <= query.maximumDistance else { return }
    if heap.count < query.count {
      heap.append(neighbor)
      siftUp()
    } else if neighbor < heap[0] {
      heap[0] = neighbor
      siftDown()
    } else {
      return
    }
    if heap.count == query.count { reach = Reach(heap[0].distance) }
  }

  /// The neighbours, the nearest first.
  ///
  /// - Complexity: O(k log k).
  func sorted() -> [Neighbor] { heap.sorted() }

  private mutating func siftUp() {
    var child = heap.count - 1
    while child > 0 {
      let parent = (child - 1) / 2
      guard heap[parent] < heap[child] else { return }
      heap.swapAt(parent, child)
      child = parent
    }
  }

  private mutating func siftDown() {
    var parent = 0
    while true {
      var worst = parent
      for child in 2 * parent + 1...2 * parent + 2
      where child < heap.count && heap[worst] < heap[child] {
        worst = child
      }
      guard worst != parent else { return }
      heap.swapAt(parent, worst)
      parent = worst
    }
  }
}
