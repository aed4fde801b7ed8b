/// A search through all positions of a filter, without the tree: for few positions that are far
/// away.
struct AllowedScan {
  let query: NearestQuery
  let allowed: PositionSet

  /// The nearest points of the set, in order.
  ///
  /// - Complexity: O(n / 64 + m) for m positions of n.
  func nearest(_ probe: inout some SearchProbe) -> [Neighbor] {
    let candidates = candidates()
    probe.scanLeaf(points: allowed.count)
    var list = FarList(query: query)
    // the closest by chord come first, and decide which others need a closer look
    let close = greatestOfClosest(candidates.squares)
    for (position, squared) in zip(candidates.positions, candidates.squares)
    where squared <= close {
      list.offer(origin(position), index: position)
    }
    for (position, squared) in zip(candidates.positions, candidates.squares)
    where squared > close && squared <= list.reach.greatestChordSquared {
      let end = origin(position)
      if list.reach.rulesOut(Chord(from: query.origin, to: end)) { continue }
      list.offer(end, index: position)
    }
    probe.solveDistances(list.solvedCount)
    probe.solveLongGeodesics(list.farCount)
    return list.sorted()
  }

  /// The positions that latitude does not rule out, and their squared chords.
  ///
  /// A point in space needs sines and cosines, which latitude avoids for most positions.
  private func candidates() -> (positions: [Int], squares: [Double]) {
    let latitude = query.origin.coordinate.latitude
    var positions: [Int] = []
    var squares: [Double] = []
    var greatestDifference = Double.infinity
    var fullCount = 4 * query.count + 60
    allowed.visit { position in
      let coordinate = query.view.coordinate(at: position)
      guard (coordinate.latitude - latitude).magnitude <= greatestDifference else { return }
      positions.append(position)
      squares.append(Chord(from: query.origin, to: SurfacePoint(coordinate)).squared)
      guard positions.count == fullCount else { return }
      fullCount *= 2
      greatestDifference = Self.greatestDifference(after: greatestOfClosest(squares))
    }
    return (positions, squares)
  }

  /// The difference of latitude, degrees, beyond which no point is as near as one with a chord.
  ///
  /// A path between two latitudes is at least as long as ρ (b²/a) times their difference, since a
  /// meridian bends most at the equator, with that radius. And a chord c has a geodesic of at most
  /// 2ρ·asin(x), x = c/2ρ, where asin(x) ≤ x + (π/2 - 1)x³: the series less its first term, over x³,
  /// rises with x.
  static func greatestDifference(after chordSquared: Double) -> Double {
    let x = chordSquared.squareRoot() / (2 * Ellipsoid.leastCurvatureRadius)
    guard x < 0.99 else { return .infinity }
    // the sum is far more than rounding and the errors of reported distances
    return 2 * (x + (.pi / 2 - 1) * x * x * x) * (180 / .pi) * (1 + 1e-9) + 1e-9
  }

  private func origin(_ position: Int) -> SurfacePoint {
    SurfacePoint(query.view.coordinate(at: position))
  }

  /// The squared chord of the last of `count` points, the closest by chord.
  private func greatestOfClosest(_ squares: [Double]) -> Double {
    guard query.count < squares.count else { return .infinity }
    // the selection needs twice the memory
    var bits = squares.map(\.bitPattern)
    bits += bits
    return bits.withUnsafeMutableBufferPointer { buffer in
      guard let base = buffer.baseAddress else { return .infinity }
      let last = RankSelection.value(ofRank: query.count - 1, in: base, count: squares.count)
      return Double(bitPattern: last)
    }
  }
}

/// The nearest points so far, by their reported distances.
///
/// A binary heap with the worst neighbor, by distance and then index, at its top.
struct FarList {
  private let query: NearestQuery
  private var heap: [Neighbor] = []

  /// The distance beyond which a point is useless.
  private(set) var reach: Reach

  /// The number of distances computed.
  private(set) var solvedCount = 0

  /// The number of those that needed Karney's inverse.
  private(set) var farCount = 0

  init(query: NearestQuery) {
    self.query = query
    reach = Reach(query.maximumDistance)
  }

  /// Computes a distance, and adds the point if it is among the nearest.
  mutating func offer(_ end: SurfacePoint, index: Int) {
    solvedCount += 1
    farCount += Chord(from: query.origin, to: end).squared > ChordBound.greatestNear ? 1 : 0
    offer(Neighbor(index: index, distance: Geodesic.distance(from: query.origin, to: end)))
  }

  /// Adds a neighbor if it is among the nearest.
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

  /// The neighbors, nearest first.
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
