import Foundation
import GRDB
package import GeoFeed
package import GeoQuery

/// The stored facts about a source, such as its address and last change.
struct SourceRow {
  let name: String

  /// The kind of its records; a name may stand for one source of each kind.
  let content: FeedContent
  let origin: FeedOrigin?

  /// The records rejected by the last import, as JSON; nil if there were none.
  let rejections: String?
  var importedAt: String?

  /// The attribution; nil if none was ever known, empty if it was removed.
  let attribution: String?

  /// The license, in the same way.
  let license: String?

  /// What is shown of attribution and license.
  var credit: Credit { Credit(attribution: attribution, license: license) }

  /// The row of a source after an import.
  ///
  /// - Parameters:
  ///   - name: The source.
  ///   - options: The options of the import.
  ///   - report: Its report.
  ///   - old: The row before; nil for a new source.
  init(name: String, _ options: ImportOptions, _ report: ImportReport, after old: SourceRow?) {
    self.name = name
    content = report.content
    origin = options.origin(after: report)
    rejections = StoreInfo.Rejections(report.rejections)?.text
    attribution = options.attribution ?? old?.attribution ?? options.formatCredit?.attribution
    license = options.license ?? old?.license ?? options.formatCredit?.license
  }

  /// Whether the row says what this one says, apart from times.
  func isNoted(in row: SourceRow?) -> Bool {
    row?.origin == origin && row?.rejections == rejections && row?.attribution == attribution
      && row?.license == license
  }

  init(
    name: String,
    content: FeedContent,
    origin: FeedOrigin?,
    rejections: String?,
    importedAt: String?,
    attribution: String?,
    license: String?
  ) {
    self.name = name
    self.content = content
    self.origin = origin
    self.rejections = rejections
    self.importedAt = importedAt
    self.attribution = attribution
    self.license = license
  }

  /// The row of a source; nil if it was never imported.
  init?(_ db: Database, name: String, content: FeedContent = .restaurants) throws {
    let row = try Row.fetchOne(
      db,
      // all columns, because an older file may be without the last ones
      sql: "SELECT * FROM geoq_sources WHERE name = ? AND content = ?",
      arguments: [name, content.rawValue]
    )
    guard let row else { return nil }
    self.name = name
    self.content = content
    origin = row.text("address").map {
      FeedOrigin(address: $0, etag: row.text("etag"), lastModified: row.text("lastModified"))
    }
    importedAt = row.text("importedAt")
    rejections = row.text("rejections")
    attribution = row.text("attribution")
    license = row.text("license")
  }

  /// The credits of all sources, in order of their names.
  static func credits(_ db: Database) throws -> Credits {
    let rows = try db.within(seconds: 5) {
      try Row.fetchAll(db, sql: "SELECT * FROM geoq_sources ORDER BY name, content LIMIT 10000")
    }
    return Credits(
      rows.map { Credit(attribution: $0.text("attribution"), license: $0.text("license")) }
    )
  }

  /// Writes what an import has learned of its source.
  static func note(
    _ name: String,
    _ options: ImportOptions,
    _ report: ImportReport,
    changesRows: Bool,
    in db: Database
  ) throws {
    let old = try SourceRow(db, name: name, content: report.content)
    let new = SourceRow(name: name, options, report, after: old)
    try new.save(db, asOfNow: changesRows)
    // services look for credits when this number or the generation has changed
    if !changesRows, new.credit != old?.credit ?? Credit() {
      try OfferTables.noteChange(of: .offers, in: db)
    }
  }

  /// Writes the row; the time of the import is updated only if something changed.
  private func save(_ db: Database, asOfNow changesRows: Bool) throws {
    for column in ["attribution", "license"] {
      let sql = "SELECT 1 FROM pragma_table_info('geoq_sources') WHERE name = ?"
      if try Int.fetchOne(db, sql: sql, arguments: [column]) == nil {
        try db.execute(sql: "ALTER TABLE geoq_sources ADD COLUMN \(column) TEXT")
      }
    }
    try db.execute(
      sql: """
        INSERT INTO geoq_sources
          (name, content, address, etag, lastModified, rejections, attribution, license, importedAt)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, strftime('%Y-%m-%dT%H:%M:%SZ', 'now'))
        ON CONFLICT (name, content) DO UPDATE SET address = excluded.address, etag = excluded.etag,
          lastModified = excluded.lastModified, rejections = excluded.rejections,
          attribution = excluded.attribution, license = excluded.license,
          importedAt = iif(?, excluded.importedAt, importedAt)
        """,
      arguments: [
        name, content.rawValue, origin?.address, origin?.etag, origin?.lastModified, rejections,
        attribution, license, changesRows,
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

extension Row {
  /// The text of a column; nil if it is missing or has another value.
  fileprivate func text(_ column: String) -> String? {
    (self[column] as DatabaseValue?).flatMap(String.fromDatabaseValue)
  }
}

extension RestaurantStore {
  package func credits() throws -> Credits { try readDatabase(SourceRow.credits) }

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
