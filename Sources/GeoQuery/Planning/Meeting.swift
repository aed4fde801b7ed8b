public import GeoIndex

extension QueryEngine {
  /// The places where several people can meet with the least total or the least maximum distance.
  ///
  /// The order is (cost, id).
  ///
  /// - Parameters:
  ///   - points: The positions of the people: 2 to 64.
  ///   - cost: The sum or the maximum of the distances from all points.
  ///   - count: The maximum number of places.
  ///   - filter: The restaurants to include; the search continues until it has `count` of these.
  ///   - deadline: The time limit.
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
    let origins = points.map { ECEFPoint($0) }
    return Meeting(
      items: found.map { neighbor in
        let place = ECEFPoint(tree[neighbor.index])
        return Meeting.Item(
          position: neighbor.index,
          cost: neighbor.distance,
          distances: origins.map { $0.distance(to: place) }
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

  /// The places as a page for writers, with the cost as the distance.
  public let page: Page

  /// The maximum number of people.
  public static let maximumPoints = 64

  /// A place to meet.
  public struct Item: Sendable, Hashable {
    /// The position in the snapshot.
    public let position: Int

    /// The sum or the maximum of the distances, in meters.
    public let cost: Double

    /// The distance from each point in meters, in the order of the points.
    public let distances: [Double]
  }

  /// Checks the number of people.
  ///
  /// - Throws: `QueryError`.
  package static func checkCount(ofPoints count: Int) throws(QueryError) {
    guard (2...maximumPoints).contains(count) else {
      throw QueryError("at", "there must be 2 to \(maximumPoints) points, not \(count)")
    }
  }
}
