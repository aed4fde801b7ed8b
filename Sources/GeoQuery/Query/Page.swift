public import GeoIndex

/// A page of results: some restaurants in order, and facts about all results.
public struct Page: Sendable {
  /// The number of restaurants that match the query, whatever its limit, offset and cursor.
  public let total: Int

  /// The cursor of the next page; nil if there is none.
  public let next: String?

  /// The cursor of the previous page; nil if there is none.
  public let previous: String?

  /// The index statistics; nil unless the query asked for them.
  public let statistics: SearchStatistics?

  /// Whether its restaurants have a distance.
  public let hasDistance: Bool

  /// The snapshot that was queried.
  public let snapshot: Snapshot

  /// Whether all restaurants before the cursor are gone, so that the first page follows.
  package let startsOver: Bool

  /// The restaurants' positions, and their distances.
  package let hits: Hits

  /// The number of restaurants on the page.
  public var count: Int { hits.count }

  /// The restaurants of the page, in order.
  ///
  /// - Throws: `SnapshotError` if the file is damaged.
  public var matches: [Match] {
    get throws(SnapshotError) {
      var matches: [Match] = []
      matches.reserveCapacity(count)
      for index in 0..<count { matches.append(try match(at: index)) }
      return matches
    }
  }

  /// One restaurant of the page.
  ///
  /// - Parameter index: In 0..<count.
  /// - Returns: The restaurant, with its distance if the page has distances.
  /// - Throws: `SnapshotError` if the file is damaged.
  public func match(at index: Int) throws(SnapshotError) -> Match {
    let hit = hits[index]
    return Match(
      restaurant: try snapshot.records.restaurant(at: hit.position),
      distance: hit.distance
    )
  }

  /// The smallest box around the page's restaurants; nil if the page is empty.
  ///
  /// It crosses the antimeridian if that makes it narrower.
  ///
  /// - Complexity: O(count); O(1) for all restaurants.
  public var extent: BoundingBox? {
    if count == snapshot.count { return snapshot.extent }
    return BoundingBox(
      enclosing: (0..<count).lazy.map { snapshot.tree[hits[$0].position] }
    )
  }
}

/// Positions in the order of an answer.
package enum Hits: Sendable {
  /// A range of positions, by id.
  case range(Range<Int>)
  /// Some, without distances.
  case positions([UInt32])
  /// Some, with distances.
  case neighbors(ArraySlice<Neighbor>)

  /// Their number.
  package var count: Int {
    switch self {
    case .range(let range): range.count
    case .positions(let positions): positions.count
    case .neighbors(let neighbors): neighbors.count
    }
  }

  /// One of them, its index in 0..<count.
  package subscript(index: Int) -> (position: Int, distance: Double?) {
    switch self {
    case .range(let range): (range.lowerBound + index, nil)
    case .positions(let positions): (Int(positions[index]), nil)
    case .neighbors(let neighbors):
      (
        neighbors[neighbors.startIndex + index].index,
        neighbors[neighbors.startIndex + index].distance
      )
    }
  }
}

extension Page {
  /// All of some neighbors.
  init(_ neighbors: [Neighbor], of snapshot: Snapshot) {
    self.init(
      total: neighbors.count,
      next: nil,
      previous: nil,
      statistics: nil,
      hasDistance: true,
      snapshot: snapshot,
      startsOver: false,
      hits: .neighbors(neighbors[...])
    )
  }
}
