/// The best answers so far of a nearest query: at most `capacity` neighbours within a distance.
///
/// A binary heap with the worst neighbour, by distance and then index, at its top.
struct NearestList {
  private let capacity: Int
  private var heap: [Neighbor] = []

  /// How far a point may be to be still of use: a point at exactly this distance may be, by its
  /// index.
  private(set) var reach: Reach

  private let maximumDistance: Double

  init(capacity: Int, maximumDistance: Double) {
    self.capacity = capacity
    self.maximumDistance = maximumDistance
    reach = Reach(maximumDistance)
  }

  /// Takes a neighbour in if it is among the best.
  ///
  /// - Complexity: O(log capacity).
  mutating func offer(_ neighbor: Neighbor) {
    guard neighbor.distance <= maximumDistance else { return }
    if heap.count < capacity {
      heap.append(neighbor)
      siftUp()
    } else if neighbor < heap[0] {
      heap[0] = neighbor
      siftDown()
    } else {
      return
    }
    if heap.count == capacity { reach = Reach(heap[0].distance) }
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
