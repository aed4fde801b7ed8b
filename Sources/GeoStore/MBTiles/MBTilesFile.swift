import CSpatiaLite
import Foundation
import GRDB
package import GeoQuery

/// Reads MBTiles files of any program, without copying them.
///
/// The database is opened as immutable. `TileFileLimits` bounds the bytes of a row and the
/// steps of a query, whatever views the file has.
package struct MBTilesFile: TileFile {
  /// The first bytes of a file.
  package static let magic = Array("SQLite format 3\0".utf8)

  package let info: TileFileInfo

  private let path: String
  private let queue: DatabaseQueue
  private let budget = StepBudget()

  /// Opens a file.
  ///
  /// - Throws: `TileFileError` if it is not MBTiles, or damaged.
  package init(_ bytes: TileFileBytes) throws {
    path = bytes.path
    queue = try Self.reporting(path) {
      var configuration = Configuration.reading
      configuration.readonly = true
      let place = StoreFile(path: bytes.path).uri("immutable=1")
      return try DatabaseQueue(path: place, configuration: configuration)
    }
    let budget = budget
    info = try Self.reporting(path) { [queue, path] in
      try queue.read { db in
        budget.watch(db)
        return try MBTilesMetadata(db).info(path: path, identity: bytes.identity)
      }
    }
  }

  package func tile(_ address: TileAddress) throws -> [UInt8]? {
    // rows count from the south
    let row = 1 << address.zoom - 1 - address.y
    return try Self.reporting(path) {
      try queue.read { db in
        budget.refill()
        let statement = try db.cachedStatement(sql: Self.selection)
        let found = try Row.fetchOne(statement, arguments: [address.zoom, address.x, row])
        guard let found, !(found[0] as DatabaseValue).isNull else { return nil }
        guard let data = Data.fromDatabaseValue(found[0]) else {
          throw TileFileError(path, because: "a tile of it is not a blob")
        }
        return data.isEmpty ? nil : Array(data)
      }
    }
  }

  private static let selection =
    "SELECT tile_data FROM tiles WHERE zoom_level = ? AND tile_column = ? AND tile_row = ?"

  private static func reporting<Result>(
    _ path: String,
    _ body: () throws -> Result
  ) throws -> Result {
    do {
      return try body()
    } catch let error as DatabaseError {
      throw TileFileError(path, because: "it is not MBTiles, or damaged (\(error.said))")
    }
  }
}

/// The rows of the table `metadata`.
private struct MBTilesMetadata {
  private let values: [String: String]
  private let zooms: (least: Int, greatest: Int)

  init(_ db: Database) throws {
    var values: [String: String] = [:]
    for row in try Row.fetchAll(db, sql: "SELECT name, value FROM metadata LIMIT 200") {
      guard let name = String.fromDatabaseValue(row[0]), name.utf8.count <= 64,
        let value = String.fromDatabaseValue(row[1])
      else { continue }
      values[name] = value
    }
    let found = values
    func zoom(_ name: String, _ function: String) throws -> Int {
      if let zoom = found[name].flatMap({ Int($0) }) { return zoom }
      let sql = "SELECT \(function)(zoom_level) FROM tiles"
      return try Row.fetchOne(db, sql: sql).flatMap { Int.fromDatabaseValue($0[0]) } ?? 0
    }
    self.values = values
    zooms = (try zoom("minzoom", "min"), try zoom("maxzoom", "max"))
    // the columns that are needed for reading tiles
    _ = try Row.fetchOne(
      db,
      sql: "SELECT zoom_level, tile_column, tile_row, tile_data FROM tiles LIMIT 0"
    )
  }

  func info(path: String, identity: String) throws -> TileFileInfo {
    let name = values["format"] ?? "png"
    guard let format = TileFileInfo.Format(rawValue: name == "jpeg" ? "jpg" : name) else {
      throw TileFileError(path, because: "its tiles are neither pbf nor png, jpg, webp or avif")
    }
    var members = ["name", "attribution"].compactMap { key in
      values[key].map { JSONMember(name: key, value: .string($0)) }
    }
    if let json = values["json"], let value = try? JSONValue(parsing: Array(json.utf8)),
      let layers = value[name: "vector_layers"]
    {
      members.append(JSONMember(name: "vector_layers", value: layers))
    }
    return TileFileInfo(
      format: format,
      zooms: zooms,
      bounds: (values["bounds"] ?? "").split(separator: ",")
        .map { Double($0.trimmingCharacters(in: .whitespaces)) ?? .nan },
      metadata: .object(members),
      identity: identity
    )
  }
}

/// Ends a query that takes too many steps, because a file may have endless views.
///
/// `@unchecked Sendable`: only the database's queue uses it.
private final class StepBudget: @unchecked Sendable {
  /// The maximum number of calls of the handler; each is for a thousand steps of SQLite.
  private static let calls = 20_000

  private var left = StepBudget.calls

  /// Watches a connection from now on, and limits the size of its values.
  func watch(_ db: Database) {
    sqlite3_limit(db.sqliteConnection, SQLITE_LIMIT_LENGTH, Int32(TileFileLimits.tile))
    let own = Unmanaged.passUnretained(self).toOpaque()
    sqlite3_progress_handler(
      db.sqliteConnection,
      1_000,
      { own in
        guard let own else { return 1 }
        let budget = Unmanaged<StepBudget>.fromOpaque(own).takeUnretainedValue()
        budget.left -= 1
        return budget.left > 0 ? 0 : 1
      },
      own
    )
    refill()
  }

  /// Resets the count for another query.
  func refill() {
    left = Self.calls
  }
}

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
      let words = "the tiles cannot be written (\(error.said))"
      throw StoreError(.inputOutput, path: path, words)
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
