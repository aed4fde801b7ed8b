import Foundation
import GRDB
package import GeoFeed
import GeoQuery

/// What the store remembers of a source: where it was fetched, and when it last changed.
struct SourceRow {
  let name: String

  /// What it is a source of; a name may stand for one source of each content.
  let content: FeedContent
  let origin: FeedOrigin?

  /// What the last import rejected, as JSON; nil if that was nothing.
  let rejections: String?
  var importedAt: String?

  init(name: String, origin: FeedOrigin?, report: ImportReport) {
    self.name = name
    content = report.content
    self.origin = origin
    rejections = StoreInfo.Rejections(report.rejections)?.text
  }

  /// The row of a source; nil where it was never imported.
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

  /// Writes the row; the time of import moves only where the import changed something.
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

  /// Lets sources be fetched afresh that another feed has changed: what their server last sent is no
  /// longer what the store has.
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
  /// Where and in which version a source was last fetched.
  ///
  /// - Parameter source: The source's name.
  /// - Returns: Nil where the source is unknown or did not come from an address.
  /// - Throws: `StoreError` where the file cannot be read.
  public func origin(of source: String) throws -> FeedOrigin? {
    try readDatabase { db in
      for content in FeedContent.allCases {
        if let origin = try SourceRow(db, name: source, content: content)?.origin { return origin }
      }
      return nil
    }
  }

  /// What a source that came from an address has, and how many of them.
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
