import Foundation
import GRDB
import GeoFeed
import GeoIndex
import GeoQuery

/// The result of one check.
public struct Finding: Sendable, Hashable {
  /// What was checked.
  public let subject: String

  /// Whether the check passed.
  public let isGood: Bool

  /// What was found, and what to do if the check failed.
  public let detail: String
}

extension Finding {
  /// Runs a check, which returns what it has found.
  init(_ subject: String, _ check: () throws -> String) {
    do {
      self.init(subject: subject, isGood: true, detail: try check())
    } catch {
      self.init(subject: subject, isGood: false, detail: "\(error)")
    }
  }
}

/// Checks the libraries and a database, and says how to fix what is wrong.
public enum Diagnosis {
  /// The versions of the libraries in use; `missing` for one that cannot be loaded.
  public static var versions: (sqlite: String, spatialite: String) {
    (SpatiaLite.sqliteVersion, (try? SpatiaLite.version()) ?? "missing")
  }

  /// Examines the libraries, and the database at a path if there is one.
  ///
  /// Nothing is changed.
  public static func examine(path: String) -> [Finding] {
    [Finding("SQLite", checkSQLite), Finding("SpatiaLite", checkSpatiaLite)] + database(at: path)
  }

  private static func database(at path: String) -> [Finding] {
    let store: RestaurantStore
    do {
      store = try RestaurantStore(path: path)
    } catch {
      return [Finding(subject: "database", isGood: false, detail: "\(error)")] + leftovers(at: path)
    }
    defer { try? store.close() }
    return [
      Finding("database") { try checkIntegrity(store) },
      Finding("restaurants") { try checkRows(store) },
      Finding("snapshot") {
        try store.read { try SnapshotCheck.run($0) { "opened from \($0.path)" } }
      },
    ] + offers(in: store) + [Finding("writing") { try checkWriting(path) }] + leftovers(at: path)
  }

  private static func checkSQLite() throws -> String {
    try DatabaseQueue().read { db in
      let options = Set(try String.fetchAll(db, sql: "PRAGMA compile_options"))
      for option in ["ENABLE_RTREE"] where !options.contains(option) {
        throw Verification.Fault(
          "SQLite was built without \(option); install the system's libsqlite3"
        )
      }
      return "\(versions.sqlite), with R*Tree"
    }
  }

  private static func checkSpatiaLite() throws -> String {
    let queue = try DatabaseQueue(configuration: .writing)
    let point = try queue.read {
      try String.fetchOne($0, sql: "SELECT AsText(MakePoint(1, 2, 4326))")
    }
    guard point == "POINT(1 2)" else {
      throw Verification.Fault("SpatiaLite does not answer; reinstall it")
    }
    return try SpatiaLite.version()
  }

  private static func checkIntegrity(_ store: RestaurantStore) throws -> String {
    try store.read { connection in
      try Verification.checkIntegrity(connection.db)
      return
        "\(store.path): sound, generation \(try connection.generation())"
    }
  }

  private static func checkRows(_ store: RestaurantStore) throws -> String {
    try store.read { connection in
      let rows = try connection.count()
      let entries = try connection.number("SELECT count(*) FROM idx_restaurants_geom")
      guard rows == entries else {
        throw Verification.Fault(
          "\(rows) rows, but \(entries) entries in the spatial index; "
            + "import its feeds into a new file"
        )
      }
      return "\(rows), each with an entry in the spatial index"
    }
  }

  /// Whether offers and chains can be read; empty if there are none.
  private static func offers(in store: RestaurantStore) -> [Finding] {
    guard (try? store.read { try $0.hasOffers() }) ?? true else { return [] }
    return [
      Finding("offers") {
        let book = try store.offerBook()
        return "\(book.offers.count), and \(book.chains.count) chains"
      }
    ]
  }

  /// The files that killed imports have left; empty if there are none.
  private static func leftovers(at path: String) -> [Finding] {
    let names = SnapshotFiles(database: path).temporaries()
    guard !names.isEmpty, !ImportLock.isHeld(database: path) else { return [] }
    return [
      Finding(
        subject: "leftovers",
        isGood: false,
        detail: "\(names.joined(separator: ", ")): left by an interrupted import; "
          + "the next import removes them"
      )
    ]
  }

  private static func checkWriting(_ path: String) throws -> String {
    for place in [path, StoreFile(path: path).folder] where access(place, W_OK) != 0 {
      throw Verification.Fault("\(place) cannot be written; queries work, imports do not")
    }
    return "the file and its folder can be written"
  }
}
