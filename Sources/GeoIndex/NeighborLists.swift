/// The answers to many nearest queries, in the order of the queries.
///
/// ```swift
/// let lists = tree.nearest(to: offices, count: 5)
/// for (office, neighbors) in zip(offices, lists) {
///   print(office, neighbors.first?.distance ?? 0)
/// }
/// ```
public struct NeighborLists: Sendable, RandomAccessCollection {
  private let neighbors: [Neighbor]

  /// The end of each list.
  private let ends: [Int]

  /// Restores the order of the queries.
  ///
  /// - Parameters:
  ///   - parts: the answers, part by part.
  ///   - order: the query that each of them belongs to.
  init(_ parts: [BatchPart], in order: [UInt32]) {
    var sources = [Source](repeating: Source(part: 0, range: 0..<0), count: order.count)
    var place = 0
    for (number, part) in parts.enumerated() {
      var start = 0
      for end in part.ends {
        sources[Int(order[place])] = Source(part: number, range: start..<end)
        start = end
        place += 1
      }
    }
    var neighbors: [Neighbor] = []
    neighbors.reserveCapacity(parts.reduce(0) { $0 + $1.neighbors.count })
    var ends: [Int] = []
    ends.reserveCapacity(order.count)
    for source in sources {
      neighbors.append(contentsOf: parts[source.part].neighbors[source.range])
      ends.append(neighbors.count)
    }
    self.neighbors = neighbors
    self.ends = ends
  }

  /// The place of the answer to a query.
  private struct Source {
    let part: Int
    let range: Range<Int>
  }

  /// The position of the first list.
  public var startIndex: Int { 0 }

  /// The number of lists.
  public var endIndex: Int { ends.count }

  /// The neighbors of one query, nearest first.
  ///
  /// - Parameter position: that of the query.
  /// - Complexity: O(1).
  public subscript(position: Int) -> ArraySlice<Neighbor> {
    neighbors[(position == 0 ? 0 : ends[position - 1])..<ends[position]]
  }
}
