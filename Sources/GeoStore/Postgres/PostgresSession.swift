import GeoFeed
import GeoQuery

/// The start of a session: checks of the server, and its settings.
enum PostgresSession {
  /// The oldest supported server, in the form of `server_version_num`.
  static let oldestServer = 130_000

  /// How many seconds the server may take for what needs little: a look at the store, a favorite.
  static let promptSeconds = 3

  /// Sets what statements rely on, and checks the server's version.
  ///
  /// A statement may take long, but does not wait long for a lock: another session may keep a table
  /// locked as long as it likes. That is a failure of its own, and so comes before the limit of a
  /// prompt statement.
  ///
  /// - Throws: `StoreError` if the server is too old.
  static func begin(_ connection: PostgresConnection) throws {
    let address = connection.address
    let version = try connection.within(promptSeconds) {
      try connection.rows(
        """
        SELECT current_setting('server_version_num')::integer,
          set_config('search_path', $1, false), set_config('statement_timeout', '0', false),
          set_config('idle_in_transaction_session_timeout', '0', false),
          set_config('lock_timeout', '2s', false)
        """,
        ["pg_catalog, \(address.quotedSchema), pg_temp"]
      ).first { Int($0.integer(0) ?? 0) }
    }
    if let sentence = problem(serverVersion: version ?? 0) {
      throw StoreError(.unavailable, path: address.shown, sentence)
    }
  }

  /// The error for a server that is too old; nil if it is not.
  static func problem(serverVersion: Int) -> String? {
    guard serverVersion < oldestServer else { return nil }
    return "the server is PostgreSQL \(serverVersion / 10_000); "
      + "geoq needs \(oldestServer / 10_000) or later"
  }

  /// What a schema holds.
  enum Content: Equatable {
    /// No store: no such schema, or one without geoq's tables.
    case nothing
    /// A store of geoq.
    case store(StoreID)
  }

  /// The id of the store.
  ///
  /// - Throws: `StoreError` if there is none.
  static func storeID(_ connection: PostgresConnection) throws -> StoreID {
    let address = connection.address
    switch try content(connection) {
    case .store(let id): return id
    case .nothing:
      throw StoreError(
        .unavailable,
        path: address.shown,
        "there is no store in the schema \"\(shortened(address.schema, to: 63))\"; "
          + "\(Remedy.makeTables)"
      )
    }
  }

  /// Looks at the schema.
  ///
  /// - Throws: `StoreError` if it has a store that is newer, older or not geoq's.
  static func content(_ connection: PostgresConnection) throws -> Content {
    let address = connection.address
    if let name = try connection.within(promptSeconds, { try foreignObject(connection) }) {
      throw StoreError(
        .corrupt,
        path: address.shown,
        "another program has replaced a table of geoq or added a rule (\(shortened(name))); "
          + "import its feeds into another schema"
      )
    }
    do {
      let found = try connection.within(promptSeconds) {
        try connection.rows(
          """
          SELECT application, "schemaVersion"::bigint, "storeID"
          FROM \(address.quotedSchema).geoq_store
          """
        ).first { ($0.text(0), $0.integer(1), $0.text(2).flatMap(StoreID.init)) }
      }
      guard let (application, version, id) = found, application == PostgresSchema.application,
        let version
      else { throw foreign(address) }
      if let sentence = problem(version: version) {
        throw StoreError(
          version > PostgresSchema.version ? .newer : .corrupt,
          path: address.shown,
          sentence
        )
      }
      guard let id else { throw foreign(address) }
      return .store(id)
    } catch let failure as PostgresFailure {
      switch failure.state {
      case "42P01", "3F000": return .nothing
      // a table of that name with other columns, or something that is not a table
      case "42703", "42809", "42804", "42883", "42846": throw foreign(address)
      default: throw failure
      }
    }
  }

  /// The name of something that would run statements of its author when geoq uses its tables, perhaps
  /// without end: a view or another server's table in place of a table, or a rule.
  ///
  /// Triggers are allowed, because replication and audits add them.
  private static func foreignObject(_ connection: PostgresConnection) throws -> String? {
    try connection.rows(
      """
      SELECT c.relname::text FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE n.nspname = $1::text AND c.relname::text = ANY (string_to_array($2::text, ','))
        AND EXISTS (SELECT 1 FROM pg_attribute a JOIN pg_class s ON s.oid = a.attrelid
          WHERE s.relname = 'geoq_store' AND s.relnamespace = n.oid AND a.attname = 'storeID')
        AND (c.relkind NOT IN ('r', 'p') OR c.relhasrules)
      LIMIT 1
      """,
      [connection.address.schema, PostgresSchema.tables.joined(separator: ",")]
    ).first { $0.text(0) } ?? nil
  }

  /// The error for tables of a version that cannot be used; nil if they can.
  static func problem(version: Int64) -> String? {
    if version > PostgresSchema.version {
      return "made by a newer geoq (schema \(version), this one knows \(PostgresSchema.version)); "
        + "update geoq"
    }
    guard version < PostgresSchema.oldestVersion else { return nil }
    return "made by a geoq from before its first release (schema \(version)); "
      + "import its feeds into another schema"
  }

  /// The error for a schema that belongs to another program.
  static func foreign(_ address: PostgresAddress) -> StoreError {
    StoreError(
      .foreign,
      path: address.shown,
      "the schema \"\(shortened(address.schema, to: 63))\" has tables of another program; "
        + "choose another with ?schema=NAME"
    )
  }
}
