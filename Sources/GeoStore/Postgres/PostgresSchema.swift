import GeoFeed
import GeoQuery

/// The tables of a store in PostgreSQL.
///
/// The names are those of the SpatiaLite file. `geom` is a geometry for viewers and tile servers; it is
/// generated from the columns, so it cannot differ from them.
enum PostgresSchema {
  /// The version of the tables.
  static let version = 3

  /// The oldest version that can be read; a store becomes one of the present version with its first
  /// correction or area.
  static let oldestVersion = 1

  /// The value of `geoq_store.application`.
  static let application = "geoq"

  /// The channel of the notices that an import sends with its commit.
  static let channel = "geoq"

  /// The number of generations that are remembered for replicas that catch up.
  static let remembered = 1_000

  /// The maximum number of removed ids that are remembered: reading more takes longer than reading all rows.
  static let rememberedIDs = 1_000_000

  /// The column of a key, quoted for SQL.
  static func name(_ field: RestaurantField) -> String { PostgresAddress.quoted(field.rawValue) }

  /// The columns of the keys, in the order of packed records.
  static let columns = RestaurantField.stored.map(name)

  /// The columns of the keys, joined.
  static let selection = columns.joined(separator: ", ")

  /// The names of the tables.
  static let tables =
    ["geoq_store", "geoq_hashes", "geoq_removed", "geoq_generations", "geoq_sources"]
    + ["geoq_favorites", "geoq_corrections", "geoq_areas", "restaurants", "chains", "offers"]
    + OfferTables.lists.map(\.table)

  /// The statement that makes the spatial index.
  static func spatialIndex(of table: String) -> String {
    "CREATE INDEX restaurants_geom ON \(table) USING gist (geom)"
  }

  /// The statements that make the tables.
  ///
  /// - Parameters:
  ///   - schema: The schema, quoted for SQL.
  ///   - postgis: The schema of PostGIS, quoted for SQL.
  /// - Returns: The statements, in order.
  static func creation(schema: String, postgis: String) -> [String] {
    [
      """
      CREATE TABLE \(schema).geoq_store (
        singleton integer PRIMARY KEY CHECK (singleton = 1),
        application text NOT NULL,
        "schemaVersion" integer NOT NULL,
        "storeID" text NOT NULL,
        generation bigint NOT NULL,
        edition bigint NOT NULL,
        "offersRevision" bigint NOT NULL DEFAULT 0
      )
      """,
      """
      CREATE TABLE \(schema).restaurants (
        pk bigint PRIMARY KEY,
        \(fields(isCopy: false)),
        generation bigint NOT NULL,
        geom \(postgis).geometry(Point, 4326) NOT NULL GENERATED ALWAYS AS (
          \(postgis).ST_SetSRID(\(postgis).ST_MakePoint(longitude, latitude), 4326)
        ) STORED,
        CONSTRAINT restaurants_id EXCLUDE USING hash (id WITH =)
      )
      """,
      spatialIndex(of: "\(schema).restaurants"),
      "CREATE INDEX restaurants_generation ON \(schema).restaurants (generation)",
      """
      CREATE TABLE \(schema).geoq_hashes (
        pk bigint PRIMARY KEY,
        fingerprint bigint NOT NULL,
        "recordLow" bigint NOT NULL,
        "recordHigh" bigint NOT NULL
      )
      """,
      """
      CREATE TABLE \(schema).geoq_removed (
        id text COLLATE "C" NOT NULL,
        generation bigint NOT NULL
      )
      """,
      "CREATE INDEX geoq_removed_generation ON \(schema).geoq_removed (generation)",
      """
      CREATE TABLE \(schema).geoq_generations (
        generation bigint PRIMARY KEY,
        edition bigint NOT NULL,
        "importedAt" text NOT NULL
      )
      """,
      """
      CREATE TABLE \(schema).geoq_sources (
        name text COLLATE "C" NOT NULL,
        content text NOT NULL,
        address text, etag text, "lastModified" text,
        "importedAt" text NOT NULL,
        rejections text,
        attribution text,
        license text,
        PRIMARY KEY (name, content)
      )
      """,
      """
      CREATE TABLE \(schema).geoq_favorites (
        "favoriteSince" text NOT NULL,
        \(fields(isCopy: true)),
        CONSTRAINT geoq_favorites_id EXCLUDE USING hash (id WITH =)
      )
      """,
    ] + corrections(schema) + [areas(schema)] + offers(schema)
  }

  /// The statements that make the table of corrections.
  static func corrections(_ schema: String) -> [String] {
    [
      """
      CREATE TABLE \(schema).geoq_corrections (
        id text COLLATE "C" NOT NULL,
        source text COLLATE "C", name text,
        latitude double precision, longitude double precision,
        field text NOT NULL,
        value text,
        "correctedAt" text NOT NULL
      )
      """,
      "CREATE INDEX geoq_corrections_id ON \(schema).geoq_corrections USING hash (id)",
    ]
  }

  /// The statement that makes the table of areas; outlines are texts, so that they stay as they are.
  static func areas(_ schema: String) -> String {
    """
    CREATE TABLE \(schema).geoq_areas (
      name text COLLATE "C" PRIMARY KEY,
      geometry text NOT NULL,
      digest text NOT NULL,
      vertices integer NOT NULL,
      "savedAt" text NOT NULL
    )
    """
  }

  private static func offers(_ schema: String) -> [String] {
    [
      """
      CREATE TABLE \(schema).chains (
        id text COLLATE "C" PRIMARY KEY,
        name text NOT NULL CHECK (name <> ''),
        "iconURL" text,
        featured boolean CHECK (featured),
        source text COLLATE "C" NOT NULL,
        extra json
      )
      """,
      """
      CREATE TABLE \(schema).offers (
        id text COLLATE "C" PRIMARY KEY,
        name text NOT NULL CHECK (name <> ''),
        description text, terms text, url text, "largeURL" text,
        amount double precision CHECK (amount BETWEEN 0 AND 1e9),
        expiration text,
        source text COLLATE "C" NOT NULL,
        "sourceID" text COLLATE "C",
        extra json
      )
      """,
    ]
      + OfferTables.lists.map { list in
        """
        CREATE TABLE \(schema).\(PostgresAddress.quoted(list.table)) (
          offer text COLLATE "C" NOT NULL
            REFERENCES \(schema).offers (id) ON DELETE CASCADE ON UPDATE CASCADE,
          position integer NOT NULL,
          \(PostgresAddress.quoted(list.column)) text NOT NULL,
          PRIMARY KEY (offer, position)
        )
        """
      }
  }

  // a favorite's copy keeps the values unchanged
  private static func fields(isCopy: Bool) -> String {
    RestaurantField.stored.map { field in
      "\(name(field)) \(type(of: field))"
        + (isCopy ? (field == .id ? " NOT NULL" : "") : rule(for: field))
    }.joined(separator: ", ")
  }

  /// The type of a key's column.
  static func type(of field: RestaurantField) -> String {
    switch field {
    case .latitude, .longitude, .rating, .ratingScale: "double precision"
    case .reviewCount: "bigint"
    case .priceLevel: "smallint"
    case .closed: "boolean"
    case .formattedAddress, .images, .extra: "json"
    case .id, .source, .sourceID: "text COLLATE \"C\""
    default: "text"
    }
  }

  private static func rule(for field: RestaurantField) -> String {
    switch field {
    case .id, .source: " NOT NULL"
    case .name: " NOT NULL CHECK (name <> '')"
    case .latitude: " NOT NULL CHECK (latitude BETWEEN -90 AND 90)"
    case .longitude: " NOT NULL CHECK (longitude BETWEEN -180 AND 180)"
    case .priceLevel: " CHECK (\(name(.priceLevel)) BETWEEN 1 AND 4)"
    case .closed: " CHECK (closed)"
    default: ""
    }
  }
}

/// Makes a store in PostgreSQL: a schema with its tables, in one transaction.
package enum PostgresCreation {
  /// Makes the store unless there is one.
  ///
  /// - Returns: Whether it was made; an existing store is not changed.
  /// - Throws: `StoreError` if the database cannot have a store, in which case nothing is changed.
  package static func run(_ address: PostgresAddress) throws -> Bool {
    let connection = try PostgresConnection(address, for: "init")
    defer { connection.close() }
    return try address.wrapping {
      try PostgresSession.begin(connection)
      try checkEncoding(connection)
      if try PostgresSession.knownStoreID(connection) != nil { return false }
      return try connection.transaction(.writing) {
        // if two processes make the same store, the second finds it
        try connection.rows(
          "SELECT pg_advisory_xact_lock(hashtextextended($1, 0))",
          ["geoq init " + address.schema]
        )
        // in a savepoint, because a missing table would end the transaction
        try connection.rows("SAVEPOINT look")
        if try PostgresSession.knownStoreID(connection) != nil { return false }
        try connection.rows("ROLLBACK TO SAVEPOINT look")
        let postgis = try postgis(connection)
        try makeSchema(connection)
        for sql in PostgresSchema.creation(schema: address.quotedSchema, postgis: postgis) {
          try connection.rows(sql)
        }
        try connection.rows(
          """
          INSERT INTO \(address.quotedSchema).geoq_store
            (singleton, application, "schemaVersion", "storeID", generation, edition)
          VALUES (1, $1, $2::integer, $3, 0, 0)
          """,
          [PostgresSchema.application, "\(PostgresSchema.version)", StoreID().text]
        )
        return true
      }
    }
  }

  private static func checkEncoding(_ connection: PostgresConnection) throws {
    let sql = "SELECT current_setting('server_encoding')"
    let encoding = try connection.rows(sql).first { $0.text(0) ?? "" } ?? ""
    guard encoding == "UTF8" else {
      throw connection.problem(
        .foreign,
        "the database has the encoding \(shortened(encoding)); geoq needs UTF8: "
          + "createdb -E UTF8 -T template0 NAME"
      )
    }
    let isStandby = try connection.rows("SELECT pg_is_in_recovery()").first { $0.bool(0) == true }
    if isStandby == true {
      throw connection.problem(
        .permission,
        "this server is a standby; add target_session_attrs=read-write to the address"
      )
    }
  }

  /// The schema of PostGIS, quoted for SQL.
  private static func postgis(_ connection: PostgresConnection) throws -> String {
    let found = try connection.rows(
      """
      SELECT n.nspname::text, e.extversion FROM pg_extension e
      JOIN pg_namespace n ON n.oid = e.extnamespace WHERE e.extname = 'postgis'
      """
    ).first { ($0.text(0) ?? "", $0.text(1) ?? "") }
    if let (schema, version) = found {
      if let sentence = problem(postgis: version) {
        throw connection.problem(.unavailable, sentence)
      }
      return PostgresAddress.quoted(schema)
    }
    let isThere = try connection.number(
      "SELECT count(*) FROM pg_available_extensions WHERE name = 'postgis'"
    )
    throw connection.problem(
      .unavailable,
      isThere > 0
        ? "the database has no PostGIS; let a superuser run in it: CREATE EXTENSION postgis"
        : "the server has no PostGIS; install it there (postgresql-15-postgis-3 on Debian), "
          + "then let a superuser run in the database: CREATE EXTENSION postgis"
    )
  }

  /// The error for a version of PostGIS that is too old; nil if it is not.
  static func problem(postgis version: String) -> String? {
    let major = version.split(separator: ".").first.flatMap { Int($0) } ?? 0
    guard major < 3 else { return nil }
    return "the database has PostGIS \(shortened(version)); geoq needs 3.0 or later"
  }

  /// Makes the schema, or uses an existing one that is empty.
  private static func makeSchema(_ connection: PostgresConnection) throws {
    let address = connection.address
    let facts = try connection.rows(
      """
      SELECT n.oid IS NOT NULL,
        coalesce(has_schema_privilege(n.oid, 'CREATE'), false),
        has_database_privilege(current_database(), 'CREATE'),
        EXISTS (SELECT 1 FROM pg_class c WHERE c.relnamespace = n.oid),
        current_database()::text
      FROM (SELECT 1) one LEFT JOIN pg_namespace n ON n.nspname = $1::text
      """,
      [address.schema]
    ).first { row in
      ((0...3).map { row.bool($0) == true }, PostgresAddress.quoted(row.text(4) ?? ""))
    }
    guard let (flags, database) = facts else { return }
    let user = PostgresAddress.quoted(connection.user)
    if flags[0] {
      if flags[3] { throw PostgresSession.foreign(address) }
      guard flags[1] else {
        throw connection.problem(
          .permission,
          "the user may not make tables in the schema; let its owner run: "
            + "GRANT USAGE, CREATE ON SCHEMA \(address.quotedSchema) TO \(user)"
        )
      }
      return
    }
    guard flags[2] else {
      throw connection.problem(
        .permission,
        "the user may not make a schema; let the database's owner run: "
          + "GRANT CREATE ON DATABASE \(database) TO \(user)"
      )
    }
    try connection.rows("CREATE SCHEMA \(address.quotedSchema)")
  }
}
