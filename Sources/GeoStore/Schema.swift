import Foundation
import GRDB
import GeoFeed
import GeoQuery

/// The tables of a geoq database, and the statements that create them.
enum Schema {
  /// `geoq` in ASCII, at byte 68 of the file.
  static let applicationID: Int32 = 0x6765_6F71

  /// The version of the tables.
  static let version = 8

  /// The oldest version that can be read; a file becomes one of the present version with its first
  /// correction or area.
  static let oldestVersion = 6

  /// Creates the tables, in the caller's transaction: a file is created together with its first
  /// import, or not at all.
  static func create(_ db: Database, storeID: StoreID) throws {
    // inside a transaction only this form of the call works; it may create a KNN table that other
    // versions of SpatiaLite cannot open
    try SpatiaLite.call(db, "InitSpatialMetaDataFull(0, 'WGS84')")
    for table in ["KNN", "KNN2"] { try db.execute(sql: "DROP TABLE IF EXISTS \(table)") }
    db.clearSchemaCache()
    try db.execute(sql: bookkeeping)
    try db.execute(sql: restaurants)
    for sql in indexes.values.sorted() { try db.execute(sql: sql) }
    try db.execute(sql: Favorites.creation)
    try db.execute(sql: Corrections.creation)
    try db.execute(sql: SavedArea.creation)
    try db.execute(sql: OfferTables.creation)
    try SpatiaLite.call(db, "AddGeometryColumn('restaurants','geom',4326,'POINT','XY',1)")
    try SpatiaLite.call(db, "CreateSpatialIndex('restaurants','geom')")
    db.clearSchemaCache()
    try db.execute(
      sql: "INSERT INTO geoq_store (singleton, storeID, generation, edition) VALUES (1, ?, 0, 0)",
      arguments: [storeID.text]
    )
    try db.execute(sql: "PRAGMA application_id = \(applicationID)")
    try db.execute(sql: "PRAGMA user_version = \(version)")
  }

  /// The name of something that would run statements of its author when geoq uses its tables, perhaps
  /// without end: a view, a virtual table or a computed column in place of geoq's, or a trigger.
  ///
  /// Triggers on restaurants are allowed, because programs for maps add them.
  static func foreignObject(_ db: Database) throws -> String? {
    let own =
      ["geoq_store", "geoq_sources", "geoq_fingerprints", "geoq_records", "geoq_favorites"]
      + ["geoq_corrections", "geoq_areas"]
      + ["chains", "offers"] + OfferTables.lists.map(\.table)
      + ["node", "rowid", "parent"].map { "idx_restaurants_geom_\($0)" }
    let columns = ["pk", "geom"] + RestaurantField.stored.map(\.rawValue)
    let computed = "SELECT 1 FROM pragma_table_xinfo(sqlite_master.name) c WHERE c.hidden > 1"
    func list(_ names: [String]) -> String {
      names.map { "'\($0.lowercased())'" }.joined(separator: ",")
    }
    return try String.fetchOne(
      db,
      sql: """
        SELECT CAST(name AS TEXT) FROM sqlite_master
        WHERE lower(name) IN (\(list(own + ["restaurants", "geometry_columns_time"])))
            AND (type <> 'table' OR rootpage = 0)
          OR lower(name) IN (\(list(own))) AND EXISTS (\(computed))
          OR name = 'restaurants' AND EXISTS (\(computed) AND lower(c.name) IN (\(list(columns))))
          OR lower(name) = 'idx_restaurants_geom'
            AND lower(sql) NOT LIKE 'create virtual table % using rtree(%'
          OR type = 'trigger' AND lower(tbl_name) IN (\(list(own + ["idx_restaurants_geom"])))
        LIMIT 1
        """
    )
  }

  private static let bookkeeping = """
    CREATE TABLE geoq_store (
      singleton INTEGER PRIMARY KEY CHECK (singleton = 1),
      storeID TEXT NOT NULL,
      generation INTEGER NOT NULL,
      edition INTEGER NOT NULL,
      offersRevision INTEGER NOT NULL DEFAULT 0
    );
    CREATE TABLE geoq_sources (
      name TEXT NOT NULL,
      content TEXT NOT NULL DEFAULT 'restaurants',
      address TEXT,
      etag TEXT,
      lastModified TEXT,
      importedAt TEXT NOT NULL,
      rejections TEXT,
      attribution TEXT,
      license TEXT,
      PRIMARY KEY (name, content)
    );
    CREATE TABLE geoq_fingerprints (chunk INTEGER PRIMARY KEY, hashes BLOB NOT NULL);
    CREATE TABLE geoq_records (chunk INTEGER PRIMARY KEY, hashes BLOB NOT NULL);
    """

  /// The indexes, which an import into an empty table creates after its rows, because sorting ids
  /// is faster than inserting each in its place.
  static let indexes = [
    "restaurants_id": "CREATE UNIQUE INDEX restaurants_id ON restaurants (id)",
    "restaurants_source": "CREATE INDEX restaurants_source ON restaurants (source)",
    "restaurants_sourceID": """
    CREATE INDEX restaurants_sourceID ON restaurants (sourceID) WHERE sourceID IS NOT NULL
    """,
  ]

  // latitude and longitude are for programs without SpatiaLite; the CHECKs reject what SpatiaLite
  // would accept silently (infinities, latitude 95); geom holds the exact bits
  private static let restaurants = """
    CREATE TABLE restaurants (
      pk INTEGER PRIMARY KEY,
      id TEXT NOT NULL,
      name TEXT NOT NULL CHECK (name <> ''),
      category TEXT, chain TEXT,
      latitude REAL NOT NULL CHECK (latitude BETWEEN -90 AND 90),
      longitude REAL NOT NULL CHECK (longitude BETWEEN -180 AND 180),
      address TEXT, crossStreet TEXT, city TEXT, state TEXT, postalCode TEXT,
      countryCode TEXT, country TEXT, formattedAddress TEXT,
      phone TEXT, formattedPhone TEXT, twitter TEXT,
      facebook TEXT, facebookUsername TEXT, facebookName TEXT,
      description TEXT, imageURL TEXT, images TEXT, website TEXT,
      rating REAL, ratingScale REAL, reviewCount INTEGER,
      priceLevel INTEGER CHECK (priceLevel BETWEEN 1 AND 4),
      hours TEXT,
      closed INTEGER CHECK (closed = 1),
      source TEXT NOT NULL,
      sourceID TEXT,
      extra TEXT
    );
    """
}

/// The id of a store: a random UUID, made with the store, which is also the key of its hashes.
struct StoreID: Sendable, Hashable {
  let text: String
  let key: SipHash.Key

  /// Makes a new id.
  init() {
    self.init(UUID())
  }

  /// Parses an id; nil if the text is not one.
  init?(_ text: String) {
    guard let id = UUID(uuidString: text) else { return nil }
    self.init(id)
  }

  private init(_ id: UUID) {
    text = id.uuidString.lowercased()
    key = withUnsafeBytes(of: id.uuid) { bytes in
      SipHash.Key(
        low: bytes.loadUnaligned(fromByteOffset: 0, as: UInt64.self).littleEndian,
        high: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self).littleEndian
      )
    }
  }
}
