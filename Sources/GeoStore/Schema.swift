import GRDB
import GeoFeed
import GeoQuery

/// The tables of a geoq database, and the statements that create them.
enum Schema {
  /// `geoq` in ASCII, at byte 68 of the file.
  static let applicationID: Int32 = 0x6765_6F71

  /// The version of the tables.
  static let version = 6

  /// Creates the tables, in the caller's transaction: a file is created together with its first
  /// import, or not at all.
  ///
  /// - Parameters:
  ///   - db: The database.
  ///   - storeID: The id of the store.
  /// - Throws: `DatabaseError` if SQLite fails.
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
