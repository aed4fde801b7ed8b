import GeoFeed
import GeoQuery

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
      if case .store = try PostgresSession.content(connection) { return false }
      return try connection.transaction(.writing) {
        // if two processes make the same store, the second finds it
        try connection.rows(
          "SELECT pg_advisory_xact_lock(hashtextextended($1, 0))",
          ["geoq init " + address.schema]
        )
        if case .store = try connection.look() { return false }
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

  private static func failure(
    _ kind: StoreError.Kind,
    _ connection: PostgresConnection,
    _ sentence: String
  ) -> StoreError {
    StoreError(kind, path: connection.address.shown, sentence)
  }

  private static func checkEncoding(_ connection: PostgresConnection) throws {
    let sql = "SELECT current_setting('server_encoding')"
    let encoding = try connection.rows(sql).first { $0.text(0) ?? "" } ?? ""
    guard encoding == "UTF8" else {
      throw failure(
        .foreign,
        connection,
        "the database has the encoding \(shortened(encoding)); geoq needs UTF8: "
          + "createdb -E UTF8 -T template0 NAME"
      )
    }
    let isStandby = try connection.rows("SELECT pg_is_in_recovery()").first { $0.bool(0) == true }
    if isStandby == true {
      throw failure(
        .permission,
        connection,
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
        throw failure(.unavailable, connection, sentence)
      }
      return PostgresAddress.quoted(schema)
    }
    let isThere = try connection.number(
      "SELECT count(*) FROM pg_available_extensions WHERE name = 'postgis'"
    )
    throw failure(
      .unavailable,
      connection,
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
        throw failure(
          .permission,
          connection,
          "the user may not make tables in the schema; let its owner run: "
            + "GRANT USAGE, CREATE ON SCHEMA \(address.quotedSchema) TO \(user)"
        )
      }
      return
    }
    guard flags[2] else {
      throw failure(
        .permission,
        connection,
        "the user may not make a schema; let the database's owner run: "
          + "GRANT CREATE ON DATABASE \(database) TO \(user)"
      )
    }
    try connection.rows("CREATE SCHEMA \(address.quotedSchema)")
  }
}

extension PostgresConnection {
  /// Looks at the schema inside a transaction, which a missing table must not end.
  fileprivate func look() throws -> PostgresSession.Content {
    try rows("SAVEPOINT look")
    let content = try PostgresSession.content(self)
    try rows("ROLLBACK TO SAVEPOINT look")
    return content
  }
}
