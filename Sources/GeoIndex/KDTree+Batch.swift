extension KDTree {
  /// Finds the points nearest to each of many positions, on several cores.
  ///
  /// Each list is what ``nearest(to:count:within:where:)`` returns for its centre. The searches run in
  /// an order that keeps near ones together, which lets them share what is in the caches; the answers
  /// come in the order of the centres.
  ///
  /// - Parameters:
  ///   - centers: the positions to measure from.
  ///   - count: how many to find for each, zero or more.
  ///   - maximumDistance: metres, zero or more; closed.
  ///   - allowed: the positions to choose from, over this tree's count; all where nil.
  ///   - threads: how many threads work on it, one or more; where nil one per core.
  /// - Returns: a list for each centre.
  /// - Complexity: that of one search for each centre, divided by the threads.
  public func nearest(
    to centers: [Coordinate],
    count: Int,
    within maximumDistance: Double = .infinity,
    where allowed: PositionSet? = nil,
    threads: Int? = nil
  ) -> NeighborLists {
    precondition(threads ?? 1 > 0, "The number of threads must be one or more.")
    let order = SpaceOrder.indexes(of: centers)
    let threads = min(threads ?? Parallel.coreCount, max(1, order.count / BatchPart.leastCount))
    let parts = Parallel.mapParts(of: order.indices, threads: threads) { range in
      var part = BatchPart(count: range.count)
      for index in order[range] {
        let center = centers[Int(index)]
        part.append(nearest(to: center, count: count, within: maximumDistance, where: allowed))
      }
      return part
    }
    return NeighborLists(parts, in: order)
  }
}

/// The answers that one thread found, in the order in which it worked.
struct BatchPart: Sendable {
  /// Fewer searches than this are not worth a thread.
  static let leastCount = 64

  private(set) var neighbors: [Neighbor] = []
  private(set) var ends: [Int] = []

  init(count: Int) {
    ends.reserveCapacity(count)
  }

  mutating func append(_ found: [Neighbor]) {
    neighbors.append(contentsOf: found)
    ends.append(neighbors.count)
  }
}
