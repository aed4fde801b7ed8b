/// Puts neighbours in order of (distance, index).
enum NeighborOrder {
  /// Up to this count insertion is the fastest.
  private static let fewCount = 24

  /// More steps of insertion per neighbour than this are worth another method.
  private static let greatestStepCount = 24

  /// Sorts in place.
  ///
  /// Neighbours around a place are spread evenly by the square of their distance where their density
  /// is even. So each goes to a bucket by it, one bucket per neighbour, and what is left to do is
  /// done by insertion; a spread too uneven for that is left to the library's sort.
  ///
  /// - Parameter neighbors: distances are zero or more and finite.
  /// - Complexity: O(n) where density is even, O(n log n) at worst.
  static func sort(_ neighbors: UnsafeMutableBufferPointer<Neighbor>) {
    guard neighbors.count > fewCount else {
      insertionSort(neighbors)
      return
    }
    // by magnitude, so that no distance that a damaged file leads to has a bucket beyond the last
    let greatest = neighbors.reduce(0) { max($0, $1.distance.magnitude) }
    let scale = Double(neighbors.count - 1) / (greatest * greatest)
    guard scale.isFinite, scale > 0, scatter(neighbors, scale: scale) else {
      var rest = neighbors
      rest.sort()
      return
    }
    insertionSort(neighbors)
  }

  /// Groups neighbours by buckets of d²·scale; false where they are too full to be of use.
  private static func scatter(
    _ neighbors: UnsafeMutableBufferPointer<Neighbor>,
    scale: Double
  ) -> Bool {
    let count = neighbors.count
    let copy = UnsafeMutableBufferPointer<Neighbor>.allocate(capacity: count)
    defer { copy.deallocate() }
    let ends = UnsafeMutableBufferPointer<UInt32>.allocate(capacity: count + 1)
    defer { ends.deallocate() }
    ends.initialize(repeating: 0)
    _ = copy.initialize(from: neighbors)
    for neighbor in copy {
      ends[bucket(of: neighbor, scale)] &+= 1
    }
    var (end, steps) = (UInt32(0), 0)
    for index in 0..<count {
      steps &+= Int(ends[index]) &* Int(ends[index])
      end &+= ends[index]
      ends[index] = end
    }
    guard steps <= greatestStepCount * count else { return false }
    // from the back, since the ends count down to the starts
    for neighbor in copy {
      let index = bucket(of: neighbor, scale)
      ends[index] &-= 1
      neighbors[Int(ends[index])] = neighbor
    }
    return true
  }

  @inline(__always)
  private static func bucket(of neighbor: Neighbor, _ scale: Double) -> Int {
    Int(neighbor.distance * neighbor.distance * scale)
  }

  private static func insertionSort(_ neighbors: UnsafeMutableBufferPointer<Neighbor>) {
    for index in neighbors.indices.dropFirst() {
      let neighbor = neighbors[index]
      var place = index
      while place > 0, neighbor < neighbors[place - 1] {
        neighbors[place] = neighbors[place - 1]
        place -= 1
      }
      neighbors[place] = neighbor
    }
  }
}
