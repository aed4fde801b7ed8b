extension QueryEngine {
  /// Writes tiles as PMTiles 3; the same tiles give the same bytes.
  ///
  /// The tiles are those of `makeTiles`, compressed; without any restaurant there is one empty
  /// tile.
  ///
  /// - Parameters:
  ///   - wanted: The tiles to write.
  ///   - path: The path of the output, next to which the tiles are collected.
  ///   - compress: Compresses bytes with gzip.
  ///   - progress: Called for each tile with its zoom and the number of tiles so far.
  ///   - write: Receives the bytes piece by piece.
  /// - Returns: The counts.
  /// - Throws: `SnapshotError` if the tiles cannot be stored, and errors of the closures.
  package func writePMTiles(
    _ wanted: TilesToFile,
    beside path: String,
    compress: @escaping ([UInt8]) throws -> [UInt8],
    progress: (_ zoom: Int, _ count: Int) -> Void = { _, _ in },
    to write: ([UInt8]) throws -> Void
  ) throws -> TilesInFile {
    var writer = PMTilesWriter(beside: path, compress: compress)
    let run = try makeTiles(wanted, progress: progress) { address, tile in
      try writer.add(address.hilbertNumber, tile)
    }
    try writer.finish(zooms: run.written.zooms, bounds: run.bounds, to: write)
    return run.written
  }
}
