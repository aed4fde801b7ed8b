import GeoFeed
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

  /// The attribution; nil if none was ever known, empty if it was removed.
  let attribution: String?

  /// The license, in the same way.
  let license: String?

  /// What is shown of attribution and license.
  var credit: Credit { Credit(attribution: attribution, license: license) }

  /// Whether the row says what this one says, apart from times.
  func isNoted(in row: SourceRow?) -> Bool {
    row?.origin == origin && row?.rejections == rejections && row?.attribution == attribution
      && row?.license == license
  }
}

extension SourceRow {
  /// The row of a source after an import.
  ///
  /// - Parameters:
  ///   - name: The source.
  ///   - options: The options of the import.
  ///   - report: Its report.
  ///   - old: The row before; nil for a new source.
  init(name: String, _ options: ImportOptions, _ report: ImportReport, after old: SourceRow?) {
    self.init(
      name: name,
      content: report.content,
      origin: options.origin(after: report),
      rejections: StoreInfo.Rejections(report.rejections)?.text,
      attribution: options.attribution ?? old?.attribution ?? options.formatCredit?.attribution,
      license: options.license ?? old?.license ?? options.formatCredit?.license
    )
  }
}

extension StoreConnection {
  /// The row of a source; nil if it was never imported.
  func source(_ name: String, _ content: FeedContent) throws -> SourceRow? {
    try fetch(
      """
      SELECT address, etag, "lastModified", "importedAt", rejections, \(creditColumns())
      FROM geoq_sources WHERE name = $1 AND content = $2
      """,
      [name, content.rawValue]
    ) { row in
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
    }.first
  }

  /// The credits and dates of all sources, in order of their names.
  func credits() throws -> Credits {
    try within(5) {
      let sql = """
        SELECT \(try creditColumns()), name, content, "importedAt" FROM geoq_sources
        ORDER BY name, content LIMIT 10000
        """
      var dates: [UTF8Key: String] = [:]
      var credits = Credits(
        try fetch(sql) { row in
          if let name = row.text(2), row.text(3) == FeedContent.restaurants.rawValue {
            dates[UTF8Key(name)] = row.text(4)
          }
          return Credit(attribution: row.text(0), license: row.text(1))
        }
      )
      credits.dates = dates
      return credits
    }
  }

  /// The address and version of the last download of a source; nil if it was not downloaded.
  func origin(of source: String) throws -> FeedOrigin? {
    for content in FeedContent.allCases {
      if let origin = try self.source(source, content)?.origin { return origin }
    }
    return nil
  }

  /// The kinds of records of a source that was downloaded from an address, with their numbers.
  func contents(
    of source: String,
    from address: String
  ) throws -> (content: FeedContent, count: Int)? {
    for content in FeedContent.allCases
    where try self.source(source, content)?.origin?.address == address {
      return (content, try count(of: source, content))
    }
    return nil
  }

  /// The number of records of a source.
  func count(of source: String, _ content: FeedContent) throws -> Int {
    try number("SELECT count(*) FROM \(content.rawValue) WHERE source = $1", [source])
  }

  /// The numbers of the chains and offers of a source; empty if it has none.
  func chainsAndOffers(of source: String) throws -> [FeedContent: Int] {
    var counts: [FeedContent: Int] = [:]
    for content in [FeedContent.chains, .offers] {
      let count = try count(of: source, content)
      if count > 0 { counts[content] = count }
    }
    return counts
  }

  /// Whether a source has records or was imported.
  func hasSource(_ name: String) throws -> Bool {
    try has(
      """
      SELECT 1 WHERE EXISTS (SELECT 1 FROM restaurants WHERE source = $1)
        OR EXISTS (SELECT 1 FROM geoq_sources WHERE name = $1)
        OR EXISTS (SELECT 1 FROM chains WHERE source = $1)
        OR EXISTS (SELECT 1 FROM offers WHERE source = $1)
      """,
      [name]
    )
  }

  /// Rejects a name that is too long.
  func check(nameLength name: String) throws {
    guard name.utf8.count > Self.longestSourceName else { return }
    throw problem(
      .source,
      "the name of a source has at most \(Self.longestSourceName) bytes in PostgreSQL; "
        + "give it another"
    )
  }

  /// Rejects a new name that a source cannot have.
  func check(newName name: String) throws {
    guard !name.isEmpty, !name.utf8.contains(0) else {
      throw problem(.source, "the new name of a source must not be empty")
    }
    try check(nameLength: name)
    guard try hasSource(name) else { return }
    throw problem(.source, "there is a source \"\(shortened(name, to: 200))\" already")
  }

  /// Writes what an import has learned of its source.
  ///
  /// - Parameters:
  ///   - row: The new row.
  ///   - options: The options of the import.
  ///   - old: The row before.
  ///   - changesRows: Whether the import changed a record; if not, the time of the last change stays.
  /// - Throws: Errors of the database.
  func note(
    _ row: SourceRow,
    _ options: ImportOptions,
    after old: SourceRow?,
    changesRows: Bool
  ) throws {
    try run(
      """
      INSERT INTO geoq_sources AS s
        (name, content, address, etag, "lastModified", rejections, "importedAt")
      VALUES ($1, $2, $3, $4, $5, $6, \(Self.now))
      ON CONFLICT (name, content) DO UPDATE SET address = excluded.address, etag = excluded.etag,
        "lastModified" = excluded."lastModified", rejections = excluded.rejections,
        "importedAt" = CASE WHEN $7 = 'true' THEN excluded."importedAt" ELSE s."importedAt" END
      """,
      [
        row.name, row.content.rawValue, row.origin?.address, row.origin?.etag,
        row.origin?.lastModified, row.rejections, "\(changesRows)",
      ]
    )
    guard row.attribution != old?.attribution || row.license != old?.license else { return }
    let isAsked = options.attribution != nil || options.license != nil
    guard try addCreditColumns(isAsked: isAsked) else { return }
    try run(
      "UPDATE geoq_sources SET attribution = $3, license = $4 WHERE name = $1 AND content = $2",
      [row.name, row.content.rawValue, row.attribution, row.license]
    )
    // services look for credits when this number or the generation has changed
    if !changesRows, row.credit != old?.credit ?? Credit() { try noteChange(of: .offers) }
  }

  /// Makes sources that another feed has changed be fetched again: the server's version no longer
  /// describes what the store has.
  func forgetVersions(of names: some Sequence<String>) throws {
    for name in names {
      try run(
        """
        UPDATE geoq_sources SET etag = NULL, "lastModified" = NULL
        WHERE name = $1 AND content = 'restaurants'
        """,
        [name]
      )
    }
  }

  /// Writes the row of the source that an import of restaurants has read, and forgets the versions of other sources
  /// that it has changed.
  func note(_ comparison: FeedComparison, _ options: ImportOptions) throws {
    let old = try source(comparison.source, .restaurants)
    let new = SourceRow(name: comparison.source, options, comparison.report, after: old)
    try note(new, options, after: old, changesRows: comparison.changesRows)
    let others = comparison.changedSources.subtracting([UTF8Key(comparison.source)])
    try forgetVersions(of: others.map(\.text))
  }

  /// Refreshes favorites and corrections after rows have changed, and counts in the report the corrections
  /// that are needless or without a restaurant by now.
  func refreshOwnData(_ report: inout ImportReport) throws {
    try refreshFavorites()
    try refreshCorrections()
    try countCorrections(&report)
  }

  /// The columns of attribution and license, which a store of an earlier version is without.
  private func creditColumns() throws -> String {
    try hasColumn("license", of: "geoq_sources") ? "attribution, license" : "NULL, NULL"
  }

  /// Adds these columns to a store of an earlier version.
  ///
  /// - Parameter isAsked: Whether it is an error if this user may not add them.
  /// - Returns: Whether they are there now.
  /// - Throws: Errors of the database.
  private func addCreditColumns(isAsked: Bool) throws -> Bool {
    if try hasColumn("license", of: "geoq_sources") { return true }
    guard try isAsked || owns("geoq_sources") else { return false }
    for column in ["attribution", "license"] {
      try run("ALTER TABLE geoq_sources ADD COLUMN \(column) text")
    }
    return true
  }
}
