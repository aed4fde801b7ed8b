import Foundation
import GRDB

/// What the store remembers of a source: where it was fetched, and when it last changed.
struct SourceRow {
  let name: String
  let origin: FeedOrigin?
  var importedAt: String?

  init(name: String, origin: FeedOrigin?) {
    self.name = name
    self.origin = origin
  }

  /// The row of a source; nil where it was never imported.
  init?(_ db: Database, name: String) throws {
    let row = try Row.fetchOne(
      db,
      sql: "SELECT address, etag, lastModified, importedAt FROM geoq_sources WHERE name = ?",
      arguments: [name]
    )
    guard let row else { return nil }
    self.name = name
    origin = (row[0] as String?).map {
      FeedOrigin(address: $0, etag: row[1], lastModified: row[2])
    }
    importedAt = row[3]
  }

  /// Writes the row, with the present as the time of import.
  func save(_ db: Database) throws {
    try db.execute(
      sql: """
        INSERT INTO geoq_sources (name, address, etag, lastModified, importedAt)
        VALUES (?, ?, ?, ?, strftime('%Y-%m-%dT%H:%M:%SZ', 'now'))
        ON CONFLICT (name) DO UPDATE SET address = excluded.address, etag = excluded.etag,
          lastModified = excluded.lastModified, importedAt = excluded.importedAt
        """,
      arguments: [name, origin?.address, origin?.etag, origin?.lastModified]
    )
  }
}

extension RestaurantStore {
  /// Where and in which version a source was last fetched.
  ///
  /// - Parameter source: The source's name.
  /// - Returns: Nil where the source is unknown or did not come from an address.
  /// - Throws: `StoreError` where the file cannot be read.
  public func origin(of source: String) throws -> FeedOrigin? {
    try readDatabase { try SourceRow($0, name: source)?.origin }
  }

  /// How many restaurants a source has.
  ///
  /// - Parameter source: The source's name.
  /// - Returns: 0 for a source that is unknown.
  /// - Throws: `StoreError` where the file cannot be read.
  public func count(of source: String) throws -> Int {
    try readDatabase { db in
      try Int.fetchOne(
        db,
        sql: "SELECT count(*) FROM restaurants WHERE source = ?",
        arguments: [source]
      ) ?? 0
    }
  }
}
