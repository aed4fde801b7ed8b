public import GeoIndex

extension QueryEngine {
  /// The places where several people meet with the least total way, or the least farthest way.
  ///
  /// In order of (cost, id).
  ///
  /// - Parameters:
  ///   - points: Where the people are: 2 to 64.
  ///   - cost: The sum or the maximum of the distances from all points.
  ///   - count: How many places, at most.
  ///   - filter: Which restaurants count; the search goes on until it has `count` of those.
  ///   - deadline: When to give up.
  /// - Returns: The places with the distances from each point.
  /// - Throws: `QueryError` if a number is out of range; `QueryTimeout`.
  public func meet(
    _ points: [Coordinate],
    by cost: GroupCost = .sum,
    count: Int,
    matching filter: Filter = .all,
    until deadline: Deadline? = nil
  ) throws -> Meeting {
    try Meeting.checkCount(ofPoints: points.count)
    guard count >= 0 else { throw QueryError("k", "must be zero or more") }
    let tree = snapshot.tree
    let allowed = try positions(matching: filter, until: deadline)
    let found = try tree.nearest(toAll: points, by: cost, count: count, where: allowed) {
      try deadline?.check()
    }
    let measured = MeasuredPoints(points + found.map { tree[$0.index] })
    return Meeting(
      items: found.enumerated().map { rank, neighbor in
        Meeting.Item(
          position: neighbor.index,
          cost: neighbor.distance,
          distances: points.indices.map { measured.distance($0, points.count + rank) }
        )
      },
      page: Page(found, of: snapshot)
    )
  }
}

/// Places to meet, the best first.
public struct Meeting: Sendable {
  /// The places, in order of (cost, id).
  public let items: [Item]

  /// The places as a page for writers, the cost in place of the distance.
  public let page: Page

  /// How many people may meet.
  public static let mostPoints = 64

  /// A place to meet.
  public struct Item: Sendable, Hashable {
    /// The position in the snapshot.
    public let position: Int

    /// The sum or the maximum of the distances, meters.
    public let cost: Double

    /// Meters from each point, in the order of the points.
    public let distances: [Double]
  }

  /// Checks how many people meet.
  ///
  /// - Throws: `QueryError`.
  package static func checkCount(ofPoints count: Int) throws(QueryError) {
    guard (2...mostPoints).contains(count) else {
      throw QueryError("at", "there must be 2 to \(mostPoints) points, not \(count)")
    }
  }
}
