import GeoFeed
import GeoIndex
import GeoQuery

/// A planned change of the store without a feed: one transaction, with a new generation if restaurants
/// change.
package struct StoreEdit {
  /// The restaurants to remove: a condition about `$1`, and what that is.
  var removed: (condition: String, argument: String)?

  /// The restaurants whose corrections change: a condition about `$1`, and what that is; nil if
  /// `report.updated` counts others.
  var changed: (condition: String, argument: String)?

  /// The counts, and the generation before.
  var report = ImportReport()

  /// Writes everything except the removal of restaurants.
  var apply: () throws -> Void = {}
}

extension StoreConnection {
  /// Plans to remove a source and everything that belongs to it.
  func removal(ofSource name: String) throws -> StoreEdit {
    var edit = try edit(ofSource: name)
    edit.removed = ("source = $1", name)
    edit.report.removed = try count(of: name, .restaurants)
    let others = edit.report.chainsAndOffers.keys
    edit.apply = {
      try run("DELETE FROM geoq_sources WHERE name = $1", [name])
      for content in others {
        // the lists of an offer go with it
        try run("DELETE FROM \(content.rawValue) WHERE source = $1", [name])
        try noteChange(of: content)
      }
    }
    return edit
  }

  /// Plans to rename a source; the ids of its restaurants stay.
  func renaming(ofSource name: String, to newName: String) throws -> StoreEdit {
    var edit = try edit(ofSource: name)
    try check(newName: newName)
    edit.report.updated = try count(of: name, .restaurants)
    let (others, generation) = (edit.report.chainsAndOffers.keys, edit.report.generation + 1)
    edit.apply = {
      try moveRestaurants(of: name, to: newName, generation: generation)
      for content in others { try noteChange(of: content) }
      for (table, column) in [
        ("geoq_favorites", "source"), ("geoq_sources", "name"), ("chains", "source"),
        ("offers", "source"),
      ] {
        try run("UPDATE \(table) SET \(column) = $1 WHERE \(column) = $2", [newName, name])
      }
      try moveCorrections(of: name, to: newName)
    }
    return edit
  }

  /// Plans to remove restaurants.
  ///
  /// - Throws: `UnknownRestaurant` for the first id that no restaurant has.
  func removal(of ids: [String]) throws -> StoreEdit {
    for id in ids where try !has("SELECT 1 FROM restaurants WHERE id = $1", [id]) {
      throw UnknownRestaurant(id: id, similar: [])
    }
    let list = JSONWriter.of(.array(ids.map(JSONValue.string)))
    let condition = "id IN (\(Self.elements(of: "$1")))"
    var edit = StoreEdit(removed: (condition, list))
    edit.report.generation = try generation()
    edit.report.removed = try number("SELECT count(*) FROM restaurants WHERE \(condition)", [list])
    edit.apply = {
      let sql = "SELECT DISTINCT source FROM restaurants WHERE \(condition)"
      // otherwise the server would say that the feed is unchanged
      try forgetVersions(of: fetch(sql, [list]) { $0.text(0) ?? "" })
    }
    return edit
  }

  private func edit(ofSource name: String) throws -> StoreEdit {
    guard try hasSource(name) else {
      let shown = shortened(name, to: 200)
      throw problem(.source, "there is no source \"\(shown)\"", source: name)
    }
    var edit = StoreEdit()
    edit.report.generation = try generation()
    edit.report.chainsAndOffers = try chainsAndOffers(of: name)
    return edit
  }
}

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
    try StorePlace.file(path).removeSource(name, isDryRun: isDryRun)
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
    try StorePlace.file(path).renameSource(name, to: newName, isDryRun: isDryRun)
  }

  /// Removes restaurants; changes nothing if an id is unknown.
  ///
  /// A restaurant that is still in its feed is imported again by the next import, and counts as
  /// new.
  ///
  /// - Parameter ids: The public ids.
  /// - Returns: The number of removed restaurants, and the new generation.
  /// - Throws: `UnknownRestaurant` for the first id that no restaurant has; `StoreError`.
  @discardableResult
  public func remove(ids: [String]) throws -> ImportReport {
    try suggestingIDs { try change(isDryRun: false) { try $0.removal(of: ids) } }
  }
}

extension StorePlace {
  /// Removes a source and everything that belongs to it, as `RestaurantStore.removeSource` does.
  @discardableResult
  package func removeSource(_ name: String, isDryRun: Bool = false) throws -> ImportReport {
    try change(isDryRun) { try $0.removal(ofSource: name) }
  }

  /// Renames a source, as `RestaurantStore.renameSource` does.
  @discardableResult
  package func renameSource(
    _ name: String,
    to newName: String,
    isDryRun: Bool = false
  ) throws -> ImportReport {
    try change(isDryRun) { try $0.renaming(ofSource: name, to: newName) }
  }

  /// Removes restaurants, as `RestaurantStore.remove(ids:)` does.
  @discardableResult
  package func remove(_ ids: [String], isDryRun: Bool = false) throws -> ImportReport {
    try change(isDryRun) { try $0.removal(of: ids) }
  }

  func change(
    _ isDryRun: Bool = false,
    _ plan: (any StoreConnection) throws -> StoreEdit
  ) throws -> ImportReport {
    let store = try open(for: "edit")
    defer { try? store.close() }
    return try store.suggestingIDs { try store.change(isDryRun: isDryRun, plan) }
  }
}

extension RestaurantStore {
  /// Makes a change.
  ///
  /// - Parameters:
  ///   - isDryRun: Whether to report only.
  ///   - plan: Plans the change; called in the transaction.
  /// - Returns: The counts and the new generation.
  /// - Throws: `StoreError`; errors of the plan. The store is then unchanged.
  package func change(
    isDryRun: Bool,
    _ plan: (any StoreConnection) throws -> StoreEdit
  ) throws -> ImportReport {
    if isDryRun { return try read { try plan($0).report } }
    let file = StoreFile(path: path)
    try file.checkFolder()
    return try withExtendedLifetime(try ImportLock(database: path)) {
      try file.change { connection, made in
        let edit = try plan(connection)
        guard edit.report.removed + edit.report.updated > 0 else {
          try edit.apply()
          return edit.report
        }
        made = edit.report.generation + 1
        return try write(edit, connection, file)
      }
    }
  }

  private func write(
    _ edit: StoreEdit,
    _ connection: SQLiteConnection,
    _ file: StoreFile
  ) throws -> ImportReport {
    let before = file.verifiedSnapshot(try connection.state())
    var writer = try RowWriter(connection)
    func numbers(_ rows: (condition: String, argument: String)) throws -> [Int64] {
      let sql = "SELECT pk FROM restaurants WHERE \(rows.condition) ORDER BY pk"
      return try connection.fetch(sql, [rows.argument]) { $0.integer(0) ?? 0 }
    }
    let removed = try edit.removed.map(numbers) ?? []
    // while the rows are there: it may ask for them
    try edit.apply()
    // a source that is renamed changes rows that are not listed
    if edit.removed != nil || edit.changed != nil, let snapshot = try? before.value(),
      2 * edit.report.updated <= snapshot.count
    {
      writer.snapshot = SnapshotMerge(snapshot)
      writer.changed = try edit.changed.map(numbers) ?? []
    }
    try writer.delete(removed)
    return try writer.end(edit.report)
  }
}

extension SQLiteConnection {
  func moveRestaurants(of source: String, to newName: String, generation: Int) throws {
    var sources = SourceNumbers(key: try storeID().key)
    let (old, new) = (sources.number(of: source), sources.number(of: newName))
    let sql = "SELECT pk FROM restaurants WHERE source = $1 ORDER BY pk"
    let rows = try fetch(sql, [source]) { $0.integer(0) ?? 0 }
    var hashes = try RowHashes.fingerprints(db)
    for row in rows {
      let hash = try hashes.hash(at: row)
      guard hash != 0 else { continue }
      try hashes.set(sources.bound(sources.bound(hash, to: old), to: new), at: row)
    }
    try hashes.finish()
    try run("UPDATE restaurants SET source = $1 WHERE source = $2", [newName, source])
  }
}

extension PostgresStore {
  package func change(
    isDryRun: Bool,
    _ plan: (any StoreConnection) throws -> StoreEdit
  ) throws -> ImportReport {
    try withConnection { connection in
      try connection.transaction(isDryRun ? .reading : .writing) {
        if !isDryRun { try connection.lockImports(of: storeID) }
        let edit = try plan(connection)
        var report = edit.report
        if isDryRun { return report }
        report.generation += 1
        try edit.apply()
        if let removed = edit.removed {
          try remove(removed.condition, removed.argument, report.generation, connection)
        }
        guard report.removed + report.updated > 0 else { return edit.report }
        if let changed = edit.changed {
          try connection.run(
            "UPDATE restaurants SET generation = $2::bigint WHERE \(changed.condition)",
            [changed.argument, "\(report.generation)"]
          )
        }
        try connection.refreshFavorites()
        try connection.raiseGeneration(to: report.generation)
        return report
      }
    }
  }

  private func remove(
    _ condition: String,
    _ argument: String,
    _ generation: Int,
    _ connection: PostgresConnection
  ) throws {
    try connection.run(
      """
      INSERT INTO geoq_removed (id, generation)
      SELECT id, $2::bigint FROM restaurants WHERE \(condition)
      """,
      [argument, "\(generation)"]
    )
    try connection.run(
      "DELETE FROM geoq_hashes WHERE pk IN (SELECT pk FROM restaurants WHERE \(condition))",
      [argument]
    )
    try connection.run("DELETE FROM restaurants WHERE \(condition)", [argument])
  }
}
