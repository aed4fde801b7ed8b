/// The least neighbors so far: a binary heap with the last of them, by distance and index, on top.
struct NeighborHeap {
  /// How many are kept, one or more.
  let capacity: Int

  private var heap: [Neighbor] = []

  init(capacity: Int) {
    self.capacity = capacity
  }

  /// The distance beyond which a point is useless.
  var limit: Double { heap.count < capacity ? .infinity : heap[0].distance }

  /// Keeps a neighbor if it is among the least.
  ///
  /// - Complexity: O(log capacity).
  mutating func offer(_ neighbor: Neighbor) {
    if heap.count < capacity {
      heap.append(neighbor)
      var child = heap.count - 1
      while child > 0, heap[(child - 1) / 2] < heap[child] {
        heap.swapAt(child, (child - 1) / 2)
        child = (child - 1) / 2
      }
    } else if neighbor < heap[0] {
      heap[0] = neighbor
      var parent = 0
      while true {
        var last = parent
        for child in [2 * parent + 1, 2 * parent + 2]
        where child < heap.count && heap[last] < heap[child] { last = child }
        guard last != parent else { return }
        heap.swapAt(parent, last)
        parent = last
      }
    }
  }

  /// The neighbors in order.
  func sorted() -> [Neighbor] { heap.sorted() }
}
