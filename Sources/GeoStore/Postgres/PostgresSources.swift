package import GeoFeed
package import GeoQuery

/// The table of sources.
struct PostgresSources {
  private let connection: PostgresConnection

  /// SQL for the time of the transaction as text.
  static let now = "to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"')"

  /// The maximum length of a source's name in bytes: it is the key of an index.
  private static let longestName = 2_000

  init(_ connection: PostgresConnection) {
    self.connection = connection
  }

  /// Rejects a name that is too long.
  func check(nameLength name: String) throws {
    guard name.utf8.count > Self.longestName else { return }
    throw StoreError(
      .source,
      path: connection.address.shown,
      "the name of a source has at most \(Self.longestName) bytes in PostgreSQL; give it another"
    )
  }

  /// The row of a source; nil if it was never imported.
  func row(of name: String, _ content: FeedContent) throws -> SourceRow? {
    guard !name.utf8.contains(0) else { return nil }
    return try connection.rows(
      """
      SELECT address, etag, "lastModified", "importedAt", rejections, \(Self.credit)
      FROM geoq_sources s WHERE name = $1 AND content = $2
      """,
      [name, content.rawValue]
    ).first { row in
      SourceRow(
        name: name,
        content: content,
        origin: row.text(0).map {
          FeedOrigin(address: $0, etag: row.text(1), lastModified: row.text(2))
        },
        rejections: row.text(4),
        importedAt: row.text(3),
        attribution: row.text(5),
        license: row.text(6)
      )
    }
  }

  /// SQL for attribution and license of `s`: an older store may be without these columns.
  private static let credit = "to_jsonb(s)->>'attribution', to_jsonb(s)->>'license'"

  /// The credits of all sources, in order of their names.
  func credits() throws -> Credits {
    let sql = "SELECT \(Self.credit) FROM geoq_sources s ORDER BY name, content LIMIT 10000"
    return Credits(
      try connection.rows(sql).map { Credit(attribution: $0.text(0), license: $0.text(1)) }
    )
  }

  /// Writes what an import has learned of its source; the time of import changes only if the import changed
  /// something.
  func note(
    _ row: SourceRow,
    _ options: ImportOptions,
    after old: SourceRow?,
    changesRows: Bool
  ) throws {
    try save(row, asOfNow: changesRows)
    guard row.attribution != old?.attribution || row.license != old?.license else { return }
    let isAsked = options.attribution != nil || options.license != nil
    guard try addCreditColumns(isAsked: isAsked) else { return }
    try connection.rows(
      "UPDATE geoq_sources SET attribution = $3, license = $4 WHERE name = $1 AND content = $2",
      [row.name, row.content.rawValue, row.attribution, row.license]
    )
    // services look for credits when this number or the generation has changed
    if !changesRows, row.credit != old?.credit ?? Credit() {
      try PostgresOffers(connection).noteChange(of: .offers)
    }
  }

  /// Adds the columns that a store of an earlier version is without.
  ///
  /// - Parameter isAsked: Whether it is an error if only the owner of the table may add them.
  /// - Returns: Whether they are there now.
  /// - Throws: `PostgresFailure` if they cannot be added.
  private func addCreditColumns(isAsked: Bool) throws -> Bool {
    let known = try connection.integer(
      """
      SELECT count(*) FROM pg_attribute
      WHERE attrelid = 'geoq_sources'::regclass AND attname IN ('attribution', 'license')
      """
    )
    if known == 2 { return true }
    let isOwner = try connection.rows(
      "SELECT pg_has_role(relowner, 'USAGE') FROM pg_class WHERE oid = 'geoq_sources'::regclass"
    ).first { $0.bool(0) == true }
    guard isOwner == true || isAsked else { return false }
    try connection.rows(
      """
      ALTER TABLE geoq_sources ADD COLUMN IF NOT EXISTS attribution text,
        ADD COLUMN IF NOT EXISTS license text
      """
    )
    return true
  }

  private func save(_ row: SourceRow, asOfNow changesRows: Bool) throws {
    try connection.rows(
      """
      INSERT INTO geoq_sources AS s
        (name, content, address, etag, "lastModified", rejections, "importedAt")
      VALUES ($1, $2, $3, $4, $5, $6, \(Self.now))
      ON CONFLICT (name, content) DO UPDATE SET address = excluded.address, etag = excluded.etag,
        "lastModified" = excluded."lastModified", rejections = excluded.rejections,
        "importedAt" = CASE WHEN $7::boolean THEN excluded."importedAt" ELSE s."importedAt" END
      """,
      [
        row.name, row.content.rawValue, row.origin?.address, row.origin?.etag,
        row.origin?.lastModified, row.rejections, "\(changesRows)",
      ]
    )
  }

  /// Forgets the HTTP validators of sources that another feed has changed, so that they are fetched again.
  func forgetVersions(of names: [String]) throws {
    for name in names {
      try connection.rows(
        """
        UPDATE geoq_sources SET etag = NULL, "lastModified" = NULL
        WHERE name = $1 AND content = 'restaurants'
        """,
        [name]
      )
    }
  }

  /// The number of rows of a table that belong to a source.
  func count(of name: String, _ content: FeedContent) throws -> Int {
    guard !name.utf8.contains(0) else { return 0 }
    return try connection.integer(
      "SELECT count(*) FROM \(content.rawValue) WHERE source = $1",
      [name]
    )
  }
}

extension PostgresStore {
  package func credits() throws -> Credits {
    try withConnection { try PostgresSources($0).credits() }
  }

  package func origin(of source: String) throws -> FeedOrigin? {
    try withConnection { connection in
      for content in FeedContent.allCases {
        let row = try PostgresSources(connection).row(of: source, content)
        if let origin = row?.origin { return origin }
      }
      return nil
    }
  }

  package func contents(
    of source: String,
    from address: String
  ) throws -> (content: FeedContent, count: Int)? {
    try withConnection { connection in
      let sources = PostgresSources(connection)
      for content in FeedContent.allCases
      where try sources.row(of: source, content)?.origin?.address == address {
        return (content, try sources.count(of: source, content))
      }
      return nil
    }
  }
}
