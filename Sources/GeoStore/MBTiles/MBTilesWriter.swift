import Foundation
import GRDB
package import GeoQuery

/// Writes MBTiles 1.3: tiles in a table of an SQLite database.
///
/// The same tiles give the same bytes with the same version of SQLite. Memory does not grow with
/// the number of tiles.
package struct MBTilesWriter {
  private let path: String
  private let credits: Credits

  /// A writer of the database at a path: an empty file, or none yet.
  ///
  /// It has no journal. The caller syncs and renames it when it is complete.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - credits: The credits of the restaurants' sources.
  package init(path: String, credits: Credits = .none) {
    self.path = path
    self.credits = credits
  }

  /// Writes the tiles that a body adds.
  ///
  /// - Parameter body: Calls `add` with each tile, compressed, once.
  /// - Returns: What the body returns.
  /// - Throws: `StoreError` if the file cannot be written, and errors of the body.
  package func write(
    _ body: (_ add: (TileAddress, [UInt8]) throws -> Void) throws -> TilesInFile
  ) throws -> TilesInFile {
    do {
      let queue = try DatabaseQueue(path: path, configuration: Self.configuration)
      let run = try queue.write { db in
        try db.execute(sql: Self.schema)
        let insert = try db.makeStatement(sql: "INSERT INTO tiles VALUES (?, ?, ?, ?)")
        let run = try body { address, tile in
          // rows count from the south
          let row = 1 << address.zoom - 1 - address.y
          try insert.execute(arguments: [address.zoom, address.x, row, Data(tile)])
        }
        try writeMetadata(of: run, to: db)
        try db.execute(
          sql: "CREATE UNIQUE INDEX tile_index ON tiles (zoom_level, tile_column, tile_row)"
        )
        return run
      }
      try queue.close()
      return run
    } catch let error as DatabaseError {
      let said = error.message ?? "no reason given"
      throw StoreError(
        .inputOutput,
        path: path,
        "the tiles cannot be written (SQLite \(error.extendedResultCode.rawValue): \(said))",
        code: Int(error.extendedResultCode.rawValue)
      )
    }
  }

  private static var configuration: Configuration {
    var configuration = Configuration()
    configuration.prepareDatabase { db in
      // the file is removed unless it is complete
      try db.execute(sql: "PRAGMA journal_mode = OFF")
      try db.execute(sql: "PRAGMA synchronous = OFF")
      try db.execute(sql: "PRAGMA locking_mode = EXCLUSIVE")
      try db.execute(sql: "PRAGMA cache_size = -8192")
    }
    return configuration
  }

  private static let schema = """
    PRAGMA application_id = 0x4D504258;
    CREATE TABLE metadata (name TEXT, value TEXT);
    CREATE TABLE tiles (zoom_level INTEGER, tile_column INTEGER, tile_row INTEGER, tile_data BLOB);
    """

  private func writeMetadata(of run: TilesInFile, to db: Database) throws {
    func degrees(_ sides: [Int32]) -> String {
      sides.map { "\(Double($0) / 1e7)" }.joined(separator: ",")
    }
    let (zooms, bounds) = (run.zooms, run.bounds)
    var rows = [
      ("name", TileLayer.setName), ("format", "pbf"), ("type", "overlay"), ("version", "1"),
      ("description", TileLayer.setSummary), ("generator", "geoq"),
      ("bounds", degrees(bounds.sides)),
      ("center", "\(degrees(bounds.center)),\(bounds.zoom(in: zooms))"),
      ("minzoom", "\(zooms.lowerBound)"), ("maxzoom", "\(zooms.upperBound)"),
      ("json", "{\"vector_layers\":\(TileLayer.vectorLayers)}"),
    ]
    if let html = credits.html { rows.append(("attribution", html)) }
    for (name, value) in rows {
      try db.execute(sql: "INSERT INTO metadata VALUES (?, ?)", arguments: [name, value])
    }
  }
}
