package import GeoIndex

/// Which tiles go into a file.
package struct TilesToFile {
  /// Which restaurants count.
  package var filter = Filter.all

  /// Where they are; nil for everywhere.
  package var box: BoundingBox?

  /// The least zoom.
  package var minZoom = 0

  /// The greatest zoom, at least `minZoom`.
  ///
  /// Nil for the least at which no tile has a cluster, 14 or `minZoom` at most.
  package var maxZoom: Int?

  /// What each tile shows.
  package var options = TileOptions()

  /// All restaurants at all zooms that they need.
  package init() {}
}

/// What went into a file of tiles.
package struct TilesInFile: Sendable, Hashable {
  /// How many restaurants.
  package let restaurants: Int

  /// How many tiles.
  package let tiles: Int

  /// Their zooms.
  package let zooms: ClosedRange<Int>
}

extension QueryEngine {
  /// The greatest zoom that is chosen from the data.
  private static let greatestChosenZoom = 14

  /// Writes tiles as PMTiles 3; the same tiles are the same bytes.
  ///
  /// Each is that of `tile(_:matching:options:until:)`, compressed. Tiles without a restaurant are left
  /// out; without any restaurant there is one tile with nothing in it.
  ///
  /// - Parameters:
  ///   - wanted: Which tiles.
  ///   - path: The file that they go to: beside it, they wait for the directory.
  ///   - compress: Makes gzip.
  ///   - progress: Hears of each tile: its zoom, and how many there are so far.
  ///   - write: Takes the bytes, a piece at a time.
  /// - Returns: What was written.
  /// - Throws: `SnapshotError` if the tiles cannot wait, and what the closures throw.
  package func writePMTiles(
    _ wanted: TilesToFile,
    beside path: String,
    compress: @escaping ([UInt8]) throws -> [UInt8],
    progress: (_ zoom: Int, _ count: Int) -> Void = { _, _ in },
    to write: ([UInt8]) throws -> Void
  ) throws -> TilesInFile {
    let allowed = try positions(of: wanted)
    return try snapshot.tiles.whileMapped {
      let all = TileMembers(snapshot.tiles)
      func writeTiles(of members: TileMembers) throws -> TilesInFile {
        var writer = PMTilesWriter(beside: path, compress: compress)
        let zooms = try add(wanted, members, to: &writer, progress)
        let written = TilesInFile(
          restaurants: members.places.count,
          tiles: writer.count,
          zooms: zooms
        )
        try writer.finish(zooms: zooms, bounds: bounds(of: members), to: write)
        return written
      }
      guard let allowed else { return try writeTiles(of: all) }
      return try ChosenMembers(allowed, in: all, until: nil).withMembers(writeTiles)
    }
  }

  /// Which positions count; nil if all do.
  private func positions(of wanted: TilesToFile) throws -> PositionSet? {
    let matching = try positions(matching: wanted.filter, until: nil)
    guard let box = wanted.box else { return matching }
    return PositionSet(
      capacity: snapshot.count,
      snapshot.tree.within(box, where: matching)
    )
  }

  /// Adds all tiles, and tells their zooms.
  private func add(
    _ wanted: TilesToFile,
    _ members: TileMembers,
    to writer: inout PMTilesWriter,
    _ progress: (Int, Int) -> Void
  ) throws -> ClosedRange<Int> {
    var pyramid = TilePyramid(snapshot, members, wanted.options)
    while true {
      let zoom = pyramid.zoom
      if zoom >= wanted.minZoom {
        try pyramid.visitTiles { number, bytes in
          try writer.add(number, bytes)
          progress(zoom, writer.count)
        }
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
      // a damaged file may hold any number
      if position < snapshot.count { bounds.add(snapshot.tree[position]) }
    }
    return bounds
  }
}
