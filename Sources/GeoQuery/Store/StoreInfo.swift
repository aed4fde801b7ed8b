import Foundation
import GRDB
public import GeoIndex

/// What a store holds, for people and scripts.
public struct StoreInfo: Sendable {
  /// One name with a number of restaurants.
  public struct Count: Sendable, Hashable {
    /// A category; empty for restaurants without one.
    public let name: String

    /// How many restaurants.
    public let count: Int
  }

  /// One source of restaurants.
  public struct Source: Sendable, Hashable {
    /// The source's name.
    public let name: String

    /// How many restaurants it has.
    public let count: Int

    /// When an import last changed it, in UTC; nil for sources that came inside another feed.
    public let importedAt: String?

    /// Where it was fetched; nil for files.
    public let address: String?
  }

  /// The index beside the database.
  public struct SnapshotFile: Sendable, Hashable {
    /// The file.
    public let path: String

    /// Its size in bytes.
    public let bytes: Int
  }

  /// The database file.
  public let path: String

  /// The file's size in bytes.
  public let bytes: Int

  /// The snapshot of this generation; nil where there is none, until the next query makes it.
  public let snapshot: SnapshotFile?

  /// The id that the store got when it was made.
  public let storeID: String

  /// Counts the imports that changed something.
  public let generation: Int

  /// The version of the tables.
  public let schemaVersion: Int

  /// When an import last changed something, in UTC.
  public let importedAt: String?

  /// How many restaurants there are.
  public let count: Int

  /// The smallest box around all of them, by the smallest arc; nil where there are none.
  public let extent: BoundingBox?

  /// Categories, the largest first, ties by name.
  public let categories: [Count]

  /// Sources by name.
  public let sources: [Source]
}

extension RestaurantStore {
  /// Gathers what the store holds, in one read transaction.
  ///
  /// - Throws: `StoreError` where the file cannot be read.
  public func info() throws -> StoreInfo {
    try readDatabase { db in
      let reader = StoreReader(db, path: path)
      let generation = try reader.generation()
      let snapshot = SnapshotFiles(database: path).path(of: generation)
      return StoreInfo(
        path: path,
        bytes: Self.size(of: path) ?? 0,
        snapshot: Self.size(of: snapshot).map { .init(path: snapshot, bytes: $0) },
        storeID: try String.fetchOne(db, sql: "SELECT storeID FROM geoq_store") ?? "",
        generation: generation,
        schemaVersion: try Int.fetchOne(db, sql: "PRAGMA user_version") ?? 0,
        importedAt: try String.fetchOne(db, sql: "SELECT max(importedAt) FROM geoq_sources"),
        count: try reader.count(),
        extent: try reader.extent(),
        categories: try Self.categories(db),
        sources: try Self.sources(db)
      )
    }
  }

  /// The categories in use, the largest first, ties by name.
  ///
  /// - Throws: `StoreError` where the file cannot be read.
  public func categories() throws -> [String] {
    try readDatabase { try Self.categories($0) }.map(\.name).filter { !$0.isEmpty }
  }

  private static func size(of path: String) -> Int? {
    try? FileManager.default.attributesOfItem(atPath: pathBehindLinks(path))[.size] as? Int
  }

  private static func categories(_ db: Database) throws -> [StoreInfo.Count] {
    let sql = """
      SELECT coalesce(category, ''), count(*) FROM restaurants
      GROUP BY 1 ORDER BY 2 DESC, 1
      """
    return try Row.fetchAll(db, sql: sql).map {
      StoreInfo.Count(
        name: String.fromDatabaseValue($0[0]) ?? "",
        count: Int.fromDatabaseValue($0[1]) ?? 0
      )
    }
  }

  private static func sources(_ db: Database) throws -> [StoreInfo.Source] {
    let sql = """
      SELECT r.source, count(*), s.importedAt, s.address FROM restaurants r
      LEFT JOIN geoq_sources s ON s.name = r.source GROUP BY r.source ORDER BY r.source
      """
    return try Row.fetchAll(db, sql: sql).map {
      StoreInfo.Source(
        name: String.fromDatabaseValue($0[0]) ?? "",
        count: Int.fromDatabaseValue($0[1]) ?? 0,
        importedAt: String.fromDatabaseValue($0[2]),
        address: String.fromDatabaseValue($0[3])
      )
    }
  }
}
