import GRDB
import GeoFeed
import GeoQuery

/// The tables of offers and chains.
///
/// There are thousands at most, and queries do not use these tables: all rows are read and written
/// together.
enum OfferTables {
  /// A list of an offer, in a separate table: one row per item, in the order of the feed.
  struct List: Sendable {
    let table: String
    /// The column of the items.
    let column: String
    let path: any WritableKeyPath<Offer, [String]> & Sendable
  }

  static let lists = [
    List(table: "offer_categories", column: "category", path: \.categories),
    List(table: "offer_chains", column: "chain", path: \.chains),
    List(table: "offer_restaurants", column: "restaurant", path: \.restaurants),
    List(
      table: "offer_restaurantCategories",
      column: "category",
      path: \.restaurantCategories
    ),
  ]

  static let creation =
    """
    CREATE TABLE chains (
      id TEXT NOT NULL PRIMARY KEY,
      name TEXT NOT NULL CHECK (name <> ''),
      iconURL TEXT,
      featured INTEGER CHECK (featured = 1),
      source TEXT NOT NULL,
      extra TEXT
    );
    CREATE TABLE offers (
      id TEXT NOT NULL PRIMARY KEY,
      name TEXT NOT NULL CHECK (name <> ''),
      description TEXT, terms TEXT, url TEXT, largeURL TEXT,
      amount REAL CHECK (amount BETWEEN 0 AND 1e9),
      expiration TEXT,
      source TEXT NOT NULL,
      sourceID TEXT,
      extra TEXT
    );

    """ + lists.map(creation).joined()

  // an unknown chain or restaurant of an offer may be imported later
  private static func creation(of list: List) -> String {
    """
    CREATE TABLE \(list.table) (
      offer TEXT NOT NULL REFERENCES offers (id) ON DELETE CASCADE ON UPDATE CASCADE,
      position INTEGER NOT NULL,
      \(list.column) TEXT NOT NULL,
      PRIMARY KEY (offer, position)
    ) WITHOUT ROWID;

    """
  }
}

extension OfferTables {
  /// Counts a change.
  static func noteChange(of content: FeedContent, in db: Database) throws {
    try db.execute(sql: "UPDATE geoq_store SET offersRevision = offersRevision + 1")
    guard content == .chains else { return }
    // restaurants get their names from the chains, so their feeds must be read again
    try db.execute(
      sql: """
        UPDATE geoq_sources SET etag = NULL, lastModified = NULL WHERE content = 'restaurants'
        """
    )
  }

  /// The numbers of chains and offers of a source; empty if it has none.
  static func counts(of source: String, in db: Database) throws -> [FeedContent: Int] {
    var counts: [FeedContent: Int] = [:]
    for content in [FeedContent.chains, .offers] {
      let sql = "SELECT count(*) FROM \(content.rawValue) WHERE source = ?"
      let count = try Int.fetchOne(db, sql: sql, arguments: [source]) ?? 0
      if count > 0 { counts[content] = count }
    }
    return counts
  }

  /// Removes the chains and offers of a source.
  static func remove(
    source: String,
    _ counts: [FeedContent: Int],
    from db: Database
  ) throws {
    for list in lists where counts[.offers] != nil {
      try db.execute(
        sql: "DELETE FROM \(list.table) WHERE offer IN (SELECT id FROM offers WHERE source = ?)",
        arguments: [source]
      )
    }
    for content in counts.keys {
      let sql = "DELETE FROM \(content.rawValue) WHERE source = ?"
      try db.execute(sql: sql, arguments: [source])
      try noteChange(of: content, in: db)
    }
  }
}

extension OfferTables {
  /// The `extra` of a row.
  ///
  /// - Throws: `StoreError` if it is damaged.
  static func extra(
    _ text: String?,
    of table: String,
    path: String
  ) throws(StoreError) -> [JSONMember] {
    guard let text else { return [] }
    guard case .object(let members)? = try? JSONValue(parsing: Array(text.utf8)) else {
      throw damage(of: table, path: path)
    }
    return members
  }

  /// The error for a damaged row.
  static func damage(of table: String, path: String) -> StoreError {
    StoreError(
      .corrupt,
      path: path,
      "a row of \(table) is damaged; import the feeds of offers and chains again"
    )
  }
}
