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
    queue = try Self.reporting(path) { try Self.open(bytes.path) }
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

  private static func open(_ path: String) throws -> DatabaseQueue {
    let allowed = CharacterSet(charactersIn: "/._-~").union(.alphanumerics)
    let place = URL(fileURLWithPath: path).path
    guard let encoded = place.addingPercentEncoding(withAllowedCharacters: allowed) else {
      throw TileFileError(path, because: "its name is not a text")
    }
    var configuration = Configuration.reading
    configuration.readonly = true
    return try DatabaseQueue(path: "file:\(encoded)?immutable=1", configuration: configuration)
  }

  private static func reporting<Result>(
    _ path: String,
    _ body: () throws -> Result
  ) throws -> Result {
    do {
      return try body()
    } catch let error as DatabaseError {
      let said = error.message ?? "no reason given"
      throw TileFileError(
        path,
        because:
          "it is not MBTiles, or damaged (SQLite \(error.extendedResultCode.rawValue): \(said))"
      )
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
