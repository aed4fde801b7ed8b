import Foundation
import GRDB
package import GeoFeed
import GeoQuery

/// The stored facts about a source, such as its address and last change.
struct SourceRow {
  let name: String

  /// The kind of its records; a name may stand for one source of each kind.
  let content: FeedContent
  let origin: FeedOrigin?

  /// The records rejected by the last import, as JSON; nil if there were none.
  let rejections: String?
  var importedAt: String?

  init(name: String, origin: FeedOrigin?, report: ImportReport) {
    self.name = name
    content = report.content
    self.origin = origin
    rejections = StoreInfo.Rejections(report.rejections)?.text
  }

  init(
    name: String,
    content: FeedContent,
    origin: FeedOrigin?,
    rejections: String?,
    importedAt: String?
  ) {
    self.name = name
    self.content = content
    self.origin = origin
    self.rejections = rejections
    self.importedAt = importedAt
  }

  /// The row of a source; nil if it was never imported.
  init?(_ db: Database, name: String, content: FeedContent = .restaurants) throws {
    let row = try Row.fetchOne(
      db,
      sql: """
        SELECT address, etag, lastModified, importedAt, rejections FROM geoq_sources
        WHERE name = ? AND content = ?
        """,
      arguments: [name, content.rawValue]
    )
    guard let row else { return nil }
    self.name = name
    self.content = content
    origin = String.fromDatabaseValue(row[0]).map {
      FeedOrigin(
        address: $0,
        etag: String.fromDatabaseValue(row[1]),
        lastModified: String.fromDatabaseValue(row[2])
      )
    }
    importedAt = String.fromDatabaseValue(row[3])
    rejections = String.fromDatabaseValue(row[4])
  }

  /// Writes the row; the time of the import is updated only if something changed.
  func save(_ db: Database, asOfNow changesRows: Bool) throws {
    try db.execute(
      sql: """
        INSERT INTO geoq_sources
          (name, content, address, etag, lastModified, rejections, importedAt)
        VALUES (?, ?, ?, ?, ?, ?, strftime('%Y-%m-%dT%H:%M:%SZ', 'now'))
        ON CONFLICT (name, content) DO UPDATE SET address = excluded.address, etag = excluded.etag,
          lastModified = excluded.lastModified, rejections = excluded.rejections,
          importedAt = iif(?, excluded.importedAt, importedAt)
        """,
      arguments: [
        name, content.rawValue, origin?.address, origin?.etag, origin?.lastModified, rejections,
        changesRows,
      ]
    )
  }

  /// Makes sources that another feed has changed be fetched again: the server's version no longer
  /// describes what the store has.
  static func forgetVersions(of names: some Sequence<String>, in db: Database) throws {
    for name in names {
      try db.execute(
        sql: """
          UPDATE geoq_sources SET etag = NULL, lastModified = NULL
          WHERE name = ? AND content = 'restaurants'
          """,
        arguments: [name]
      )
    }
  }
}

extension RestaurantStore {
  /// The address and version of the last download of a source.
  ///
  /// - Parameter source: The source's name.
  /// - Returns: Nil if the source is unknown or was not downloaded.
  /// - Throws: `StoreError` if the file cannot be read.
  public func origin(of source: String) throws -> FeedOrigin? {
    try readDatabase { db in
      for content in FeedContent.allCases {
        if let origin = try SourceRow(db, name: source, content: content)?.origin { return origin }
      }
      return nil
    }
  }

  /// The kinds of records of a downloaded source, with their numbers.
  package func contents(
    of source: String,
    from address: String
  ) throws -> (content: FeedContent, count: Int)? {
    try readDatabase { db in
      for content in FeedContent.allCases
      where try SourceRow(db, name: source, content: content)?.origin?.address == address {
        let sql = "SELECT count(*) FROM \(content.rawValue) WHERE source = ?"
        return (content, try Int.fetchOne(db, sql: sql, arguments: [source]) ?? 0)
      }
      return nil
    }
  }

  /// The number of restaurants of a source.
  ///
  /// - Parameter source: The source's name.
  /// - Returns: 0 if the source is unknown.
  /// - Throws: `StoreError` if the file cannot be read.
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
