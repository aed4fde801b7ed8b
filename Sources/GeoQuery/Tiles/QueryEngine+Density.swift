import GeoIndex

/// A cell with the number of its restaurants.
package struct CellCount: Sendable, Hashable {
  /// The column, from the west.
  package let x: Int

  /// The row, from the north.
  package let y: Int

  /// The number of restaurants; at least one.
  package let count: Int
}

extension QueryEngine {
  /// Counts the restaurants in cells.
  ///
  /// A cell is a tile of the same zoom, so the counts are those of the tiles.
  ///
  /// - Parameters:
  ///   - cells: The cells.
  ///   - filter: The filter.
  ///   - deadline: The time limit.
  /// - Returns: The cells with a restaurant, row by row from the north, each from the west.
  /// - Throws: `QueryTimeout`.
  /// - Complexity: in addition to the filter's, O(c log n) for c cells; with a filter O(n).
  package func density(
    in cells: CellRange,
    matching filter: Filter = .all,
    until deadline: Deadline? = nil
  ) throws -> [CellCount] {
    let allowed = try positions(matching: filter, until: deadline)
    let found = try snapshot.tiles.whileMapped {
      let all = TileMembers(snapshot.tiles)
      guard let allowed else { return counts(of: all, in: cells) }
      return try ChosenMembers(allowed, in: all, until: deadline)
        .withMembers { counts(of: $0, in: cells) }
    }
    return found.sorted { ($0.y, $0.x) < ($1.y, $1.x) }
  }

  private func counts(of members: TileMembers, in cells: CellRange) -> [CellCount] {
    var found: [CellCount] = []
    func visit(_ members: TileMembers, _ level: Int) {
      let shift = TileSearch.shift(ofLevel: level)
      members.visitCells(shift: shift) { places in
        let prefix = members.keys[places.lowerBound] >> shift
        guard cells.meets(prefix, ofZoom: level) else { return }
        guard level == cells.zoom else { return visit(members.at(places), level + 1) }
        found.append(
          CellCount(
            x: Int(WebMercator.column(of: prefix)),
            y: Int(WebMercator.row(of: prefix)),
            count: places.count
          )
        )
      }
    }
    visit(members, 0)
    return found
  }
}
