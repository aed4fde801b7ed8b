import GRDB
import GeoFeed
import GeoQuery

extension RestaurantStore {
  /// Removes a source with all its restaurants, chains and offers.
  ///
  /// This is one transaction. Favorites stay and are marked as gone. A restaurant that is imported
  /// again counts as new.
  ///
  /// - Parameters:
  ///   - name: The source.
  ///   - path: The database file.
  ///   - isDryRun: Whether to report only.
  /// - Returns: The number of removed restaurants, and the new generation.
  /// - Throws: `StoreError`, of kind `source` if there is no such source.
  @discardableResult
  public static func removeSource(
    _ name: String,
    from path: String,
    isDryRun: Bool = false
  ) throws -> ImportReport {
    try StoreEdit(path: path, isDryRun: isDryRun).run { db in
      try SourceRow.checkIsThere(name, in: db, path: path)
      let others = try OfferTables.counts(of: name, in: db)
      return StoreEdit.Plan(
        removed: try SourceRow.rows(of: name, in: db),
        chainsAndOffers: others
      ) { db in
        try db.execute(sql: "DELETE FROM geoq_sources WHERE name = ?", arguments: [name])
        try OfferTables.remove(source: name, others, from: db)
      }
    }
  }

  /// Renames a source; the ids of its restaurants, chains and offers stay.
  ///
  /// - Parameters:
  ///   - name: The source.
  ///   - newName: Its new name, which no other source may have.
  ///   - path: The database file.
  ///   - isDryRun: Whether to report only.
  /// - Returns: The number of updated restaurants, and the new generation.
  /// - Throws: `StoreError`, of kind `source` if there is no such source, or one with the new name.
  @discardableResult
  public static func renameSource(
    _ name: String,
    to newName: String,
    in path: String,
    isDryRun: Bool = false
  ) throws -> ImportReport {
    try StoreEdit(path: path, isDryRun: isDryRun).run { db in
      try SourceRow.checkIsThere(name, in: db, path: path)
      try SourceRow.check(newName: newName, path: path)
      if try SourceRow.isThere(newName, in: db) { throw SourceRow.taken(newName, path: path) }
      let rows = try SourceRow.rows(of: name, in: db)
      let others = try OfferTables.counts(of: name, in: db)
      return StoreEdit.Plan(updated: rows.count, chainsAndOffers: others) { db in
        try SourceRow.rebind(rows, from: name, to: newName, in: db, path: path)
        for content in others.keys { try OfferTables.noteChange(of: content, in: db) }
        for (table, column) in [
          ("restaurants", "source"), ("geoq_favorites", "source"), ("geoq_sources", "name"),
          ("chains", "source"), ("offers", "source"),
        ] {
          try db.execute(
            sql: "UPDATE \(table) SET \(column) = ? WHERE \(column) = ?",
            arguments: [newName, name]
          )
        }
      }
    }
  }

  /// Removes restaurants; changes nothing if an id is unknown.
  ///
  /// A restaurant that is still in its feed is imported again by the next import, and counts as
  /// new.
  ///
  /// - Parameters:
  ///   - ids: The public ids.
  ///   - path: The database file.
  ///   - isDryRun: Whether to report only.
  /// - Returns: The number of removed restaurants, and the new generation.
  /// - Throws: `UnknownRestaurant` for the first id that no restaurant has; `StoreError`.
  @discardableResult
  public static func remove(
    _ ids: [String],
    from path: String,
    isDryRun: Bool = false
  ) throws -> ImportReport {
    do {
      return try StoreEdit(path: path, isDryRun: isDryRun).run { db in
        let find = try SQLStatement(db, "SELECT pk, source FROM restaurants WHERE id = ?")
        var rows: Set<Int64> = []
        var sources: Set<UTF8Key> = []
        for id in ids {
          try find.bind(id, at: 1) {
            guard try find.step() else { throw UnknownRestaurant(id: id, similar: []) }
            rows.insert(find.integer(0))
            sources.insert(UTF8Key(String(decoding: find.bytes(1), as: UTF8.self)))
            find.reset()
          }
        }
        // otherwise the server would say that the feed is unchanged
        return StoreEdit.Plan(removed: rows.sorted()) {
          try SourceRow.forgetVersions(of: sources.map(\.text), in: $0)
        }
      }
    } catch let error as UnknownRestaurant {
      let similar = try? RestaurantStore(path: path).snapshot().ids(similarTo: error.id)
      throw UnknownRestaurant(id: error.id, similar: similar ?? [])
    }
  }
}

extension SourceRow {
  /// Rejects a name that sources cannot have.
  static func check(newName name: String, path: String) throws {
    guard name.isEmpty || name.utf8.contains(0) else { return }
    throw StoreError(.source, path: path, "the new name of a source must not be empty")
  }

  /// The error that a source with that name exists.
  static func taken(_ name: String, path: String) -> StoreError {
    let shown = shortened(name, to: 200)
    return StoreError(.source, path: path, "there is a source \"\(shown)\" already")
  }

  /// The error that no source with that name exists.
  static func unknown(_ name: String, path: String) -> StoreError {
    StoreError(
      .source,
      path: path,
      "there is no source \"\(shortened(name, to: 200))\"",
      source: name
    )
  }

  /// The rows of a source, ascending.
  fileprivate static func rows(of name: String, in db: Database) throws -> [Int64] {
    try Int64.fetchAll(
      db,
      sql: "SELECT pk FROM restaurants WHERE source = ? ORDER BY pk",
      arguments: [name]
    )
  }

  /// Binds the fingerprints of a source's rows to its new name.
  fileprivate static func rebind(
    _ rows: [Int64],
    from name: String,
    to newName: String,
    in db: Database,
    path: String
  ) throws {
    var sources = SourceNumbers(key: try StoreReader(db, path: path).storeID().key)
    let (old, new) = (sources.number(of: name), sources.number(of: newName))
    let wanted = Set(rows)
    var hashes: [(row: Int64, hash: UInt64)] = []
    try RowHashes.fingerprints.visit(db) { row, hash in
      guard wanted.contains(row), hash != 0 else { return }
      hashes.append((row, sources.bound(sources.bound(hash, to: old), to: new)))
    }
    var writer = try RowHashes.Writer(.fingerprints, db)
    for (row, hash) in hashes { try writer.put(hash, at: row) }
    try writer.finish()
  }

  /// Whether a source has restaurants or was imported.
  fileprivate static func isThere(_ name: String, in db: Database) throws -> Bool {
    let sql = """
      SELECT 1 FROM restaurants WHERE source = ?1 UNION SELECT 1 FROM geoq_sources WHERE name = ?1
      UNION SELECT 1 FROM chains WHERE source = ?1 UNION SELECT 1 FROM offers WHERE source = ?1
      """
    return try Int.fetchOne(db, sql: sql, arguments: [name]) != nil
  }

  fileprivate static func checkIsThere(_ name: String, in db: Database, path: String) throws {
    if try isThere(name, in: db) { return }
    throw unknown(name, path: path)
  }
}
