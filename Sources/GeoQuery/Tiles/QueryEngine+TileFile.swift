package import GeoIndex

/// The tiles to write to a file.
package struct TilesToFile {
  /// The filter.
  package var filter = Filter.all

  /// The box that restaurants must be in; nil for the whole world.
  package var box: BoundingBox?

  /// The minimum zoom.
  package var minZoom = 0

  /// The maximum zoom, at least `minZoom`.
  ///
  /// If nil, it is the first zoom at which no tile has a cluster, but at most 14 or `minZoom`.
  package var maxZoom: Int?

  /// The contents of each tile.
  package var options = TileOptions()

  /// All restaurants at all necessary zooms.
  package init() {}
}

/// The counts of a file of tiles.
package struct TilesInFile: Sendable, Hashable {
  /// The number of restaurants.
  package let restaurants: Int

  /// The number of tiles.
  package let tiles: Int

  /// Their zooms.
  package let zooms: ClosedRange<Int>
}

/// The result of making the tiles of a file.
package struct TileRun {
  /// The counts and zooms.
  package let written: TilesInFile

  /// The box around all restaurants.
  package let bounds: TileBounds
}

extension QueryEngine {
  /// The maximum zoom that is chosen from the data.
  private static let greatestChosenZoom = 14

  /// Makes the tiles of a file, zoom by zoom, each zoom along a Hilbert curve.
  ///
  /// Each tile is that of `tile(_:matching:options:until:)`. Tiles without restaurants are omitted.
  ///
  /// - Parameters:
  ///   - wanted: The tiles to make.
  ///   - progress: Called with the zoom of each tile and the number of tiles so far.
  ///   - add: Receives each tile.
  /// - Returns: The counts and the bounds.
  /// - Throws: Errors of `add`.
  package func makeTiles(
    _ wanted: TilesToFile,
    progress: (_ zoom: Int, _ count: Int) -> Void = { _, _ in },
    _ add: (TileAddress, [UInt8]) throws -> Void
  ) throws -> TileRun {
    let allowed = try positions(of: wanted)
    return try snapshot.tiles.whileMapped {
      let all = TileMembers(snapshot.tiles)
      func make(_ members: TileMembers) throws -> TileRun {
        var count = 0
        let zooms = try visitTiles(of: members, wanted) { address, tile in
          try add(address, tile)
          count += 1
          progress(address.zoom, count)
        }
        let restaurants = members.places.count
        return TileRun(
          written: TilesInFile(restaurants: restaurants, tiles: count, zooms: zooms),
          bounds: bounds(of: members)
        )
      }
      guard let allowed else { return try make(all) }
      return try ChosenMembers(allowed, in: all, until: nil).withMembers(make)
    }
  }

  /// The positions to include; nil for all.
  func positions(of wanted: TilesToFile) throws -> PositionSet? {
    let matching = try positions(matching: wanted.filter, until: nil)
    guard let box = wanted.box else { return matching }
    return PositionSet(
      capacity: snapshot.count,
      snapshot.tree.within(box, where: matching)
    )
  }

  /// Visits all tiles, and returns their zooms.
  private func visitTiles(
    of members: TileMembers,
    _ wanted: TilesToFile,
    _ body: (TileAddress, [UInt8]) throws -> Void
  ) throws -> ClosedRange<Int> {
    var pyramid = TilePyramid(snapshot, members, wanted.options)
    while true {
      let zoom = pyramid.zoom
      if zoom >= wanted.minZoom {
        try pyramid.visitTiles(body)
        let isLast =
          wanted.maxZoom.map { zoom >= $0 }
          ?? (zoom >= Self.greatestChosenZoom || pyramid.showsEach)
        if isLast { return wanted.minZoom...zoom }
      }
      pyramid.descend()
    }
  }

  private func bounds(of members: TileMembers) -> TileBounds {
    var bounds = TileBounds()
    for place in members.places {
      let position = Int(members.positions[place])
      // a damaged file may contain any number
      if position < snapshot.count { bounds.add(snapshot.tree[position]) }
    }
    return bounds
  }
}
