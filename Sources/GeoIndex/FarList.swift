/// The nearest points so far of a search that decides by the reported distance at once.
///
/// A binary heap with the worst neighbor, by distance and then index, at its top.
struct FarList {
  private let query: NearestQuery
  private var heap: [Neighbor] = []

  /// The distance beyond which a point is of no use.
  private(set) var reach: Reach

  /// The number of distances worked out.
  private(set) var solvedCount = 0

  /// How many of them took Karney's inverse.
  private(set) var farCount = 0

  init(query: NearestQuery) {
    self.query = query
    reach = Reach(query.maximumDistance)
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
