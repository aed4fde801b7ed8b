extension KDTree {
  /// Finds the points nearest to each of many positions, on several cores.
  ///
  /// Each list is what ``nearest(to:count:within:where:)`` returns for its center. The searches run
  /// in an order that keeps nearby centers together, so that they share the caches; the answers are
  /// in the order of the centers.
  ///
  /// - Parameters:
  ///   - centers: the positions to measure from.
  ///   - count: how many to find for each, zero or more.
  ///   - maximumDistance: meters, zero or more; closed.
  ///   - allowed: the points to choose from, with this tree's count as capacity; all if nil.
  ///   - threads: how many threads work on it, one or more; one per core if nil.
  /// - Returns: a list for each center.
  /// - Complexity: that of one search for each center, divided by the threads.
  public func nearest(
    to centers: [Coordinate],
    count: Int,
    within maximumDistance: Double = .infinity,
    where allowed: BitSet? = nil,
    threads: Int? = nil
  ) -> NeighborLists {
    precondition(threads ?? 1 > 0, "The number of threads must be one or more.")
    let order = SpaceOrder.indexes(of: centers)
    // fewer than 64 searches are not worth a thread
    let threads = Swift.min(threads ?? Parallel.coreCount, Swift.max(1, order.count / 64))
    let parts = Parallel.mapParts(of: order.indices, threads: threads) { range in
      order[range].map { index in
        nearest(to: centers[Int(index)], count: count, within: maximumDistance, where: allowed)
      }
    }
    var lists = [[Neighbor]](repeating: [], count: order.count)
    for (index, list) in zip(order, parts.joined()) { lists[Int(index)] = list }
    return NeighborLists(lists: lists)
  }
}

/// An order of positions in which nearby ones mostly follow each other.
///
/// Along Morton's curve (G. M. Morton, A computer oriented geodetic data base, IBM, 1966) through
/// cubes of 12.5 km: ten bits of x, y and z, interleaved.
enum SpaceOrder {
  private static let bitsPerAxis = 10

  /// The indexes of some coordinates in that order.
  ///
  /// - Complexity: O(n).
  static func indexes(of coordinates: [Coordinate]) -> [UInt32] {
    var items = coordinates.enumerated().map { index, coordinate in
      UInt64(code(of: ECEFPoint(coordinate))) << 32 | UInt64(index)
    }
    RadixSort.sort(&items, below: 1 << (3 * bitsPerAxis)) { Int($0 >> 32) }
    return items.map { UInt32(truncatingIfNeeded: $0) }
  }

  /// The place along the curve: below 2³⁰.
  static func code(of origin: ECEFPoint) -> UInt32 {
    spread(cube(origin.x)) | spread(cube(origin.y)) << 1 | spread(cube(origin.z)) << 2
  }

  private static func cube(_ coordinate: Double) -> UInt32 {
    UInt32((coordinate + 6_400_000) / 12_800_000 * Double(1 << bitsPerAxis))
  }

  /// Ten bits with two zeros between each and the next.
  private static func spread(_ bits: UInt32) -> UInt32 {
    var spread = bits
    spread = (spread | spread << 16) & 0x0300_00FF
    spread = (spread | spread << 8) & 0x0300_F00F
    spread = (spread | spread << 4) & 0x030C_30C3
    return (spread | spread << 2) & 0x0924_9249
  }
}

/// The answers to many nearest queries, in the order of the queries.
///
/// ```swift
/// let lists = tree.nearest(to: offices, count: 5)
/// for (office, neighbors) in zip(offices, lists) {
///   print(office, neighbors.first?.distance ?? 0)
/// }
/// ```
public struct NeighborLists: Sendable, RandomAccessCollection {
  fileprivate let lists: [[Neighbor]]

  /// The position of the first list.
  public var startIndex: Int { 0 }

  /// The number of lists.
  public var endIndex: Int { lists.count }

  /// The neighbors of one query, nearest first.
  ///
  /// - Parameter position: that of the query.
  /// - Complexity: O(1).
  public subscript(position: Int) -> ArraySlice<Neighbor> {
    lists[position][...]
  }
}
