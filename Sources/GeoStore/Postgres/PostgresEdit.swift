import GeoFeed
import GeoQuery

/// A change of the store other than an import: one transaction, with a new generation if restaurants
/// change.
struct PostgresEdit {
  private let connection: PostgresConnection
  private let storeID: StoreID
  private let isDryRun: Bool

  init(_ connection: PostgresConnection, _ storeID: StoreID, isDryRun: Bool) {
    self.connection = connection
    self.storeID = storeID
    self.isDryRun = isDryRun
  }

  private var shown: String { connection.address.shown }

  /// Removes a source and everything that belongs to it.
  func removeSource(_ name: String) throws -> ImportReport {
    try run { report in
      try count(name, in: &report)
      report.removed = try PostgresSources(connection).count(of: name, .restaurants)
    } apply: { report in
      try connection.rows("DELETE FROM geoq_sources WHERE name = $1", [name])
      for content in report.chainsAndOffers.keys {
        // the lists of an offer go with it
        try connection.rows("DELETE FROM \(content.rawValue) WHERE source = $1", [name])
        try PostgresOffers(connection).noteChange(of: content)
      }
      try remove("source = $1", name, generation: report.generation + 1)
    }
  }

  /// Renames a source; the ids of its restaurants stay.
  func renameSource(_ name: String, to newName: String) throws -> ImportReport {
    try run { report in
      try count(name, in: &report)
      try SourceRow.check(newName: newName, path: shown)
      try PostgresSources(connection).check(nameLength: newName)
      if try isThere(newName) { throw SourceRow.taken(newName, path: shown) }
      report.updated = try PostgresSources(connection).count(of: name, .restaurants)
    } apply: { report in
      for content in report.chainsAndOffers.keys {
        try PostgresOffers(connection).noteChange(of: content)
      }
      try connection.rows(
        "UPDATE restaurants SET source = $1, generation = $3::bigint WHERE source = $2",
        [newName, name, "\(report.generation + 1)"]
      )
      for (table, column) in [
        ("geoq_favorites", "source"), ("geoq_sources", "name"), ("chains", "source"),
        ("offers", "source"),
      ] {
        try connection.rows(
          "UPDATE \(table) SET \(column) = $1 WHERE \(column) = $2",
          [newName, name]
        )
      }
      try rebind(from: name, to: newName)
    }
  }

  /// Removes restaurants: all that are named, or none if an id is unknown.
  func remove(_ ids: [String]) throws -> ImportReport {
    let list = JSONWriter.of(.array(ids.map(JSONValue.string)))
    let isOne = "id IN (SELECT json_array_elements_text($1::json))"
    return try run { report in
      for id in ids where try !isRestaurant(id) { throw UnknownRestaurant(id: id, similar: []) }
      report.removed = try connection.integer(
        "SELECT count(*) FROM restaurants WHERE \(isOne)",
        [list]
      )
    } apply: { report in
      let sources = try connection.rows(
        "SELECT DISTINCT source FROM restaurants WHERE \(isOne)",
        [list]
      )
      .map { $0.text(0) ?? "" }
      // otherwise a server would answer that the feed has not changed
      try PostgresSources(connection).forgetVersions(of: sources)
      try remove(isOne, list, generation: report.generation + 1)
    }
  }

  /// Makes a change, or only counts it.
  private func run(
    _ plan: (inout ImportReport) throws -> Void,
    apply: (ImportReport) throws -> Void
  ) throws -> ImportReport {
    try connection.transaction(isDryRun ? .reading : .writing) {
      if !isDryRun { try PostgresLock(connection, storeID).take() }
      var report = ImportReport()
      report.generation = try connection.state().generation
      try plan(&report)
      if isDryRun { return report }
      try apply(report)
      guard report.removed + report.updated > 0 else { return report }
      report.generation += 1
      try PostgresFavorites(connection).refresh()
      try PostgresGeneration(connection).raise(to: report.generation)
      return report
    }
  }

  /// Counts the chains and offers of a source.
  private func count(_ name: String, in report: inout ImportReport) throws {
    guard try isThere(name) else { throw SourceRow.unknown(name, path: shown) }
    for content in [FeedContent.chains, .offers] {
      let count = try PostgresSources(connection).count(of: name, content)
      if count > 0 { report.chainsAndOffers[content] = count }
    }
  }

  private func isThere(_ name: String) throws -> Bool {
    guard !name.utf8.contains(0) else { return false }
    return try connection.rows(
      """
      SELECT 1 WHERE EXISTS (SELECT 1 FROM restaurants WHERE source = $1)
        OR EXISTS (SELECT 1 FROM geoq_sources WHERE name = $1)
        OR EXISTS (SELECT 1 FROM chains WHERE source = $1)
        OR EXISTS (SELECT 1 FROM offers WHERE source = $1)
      """,
      [name]
    ).count > 0
  }

  private func isRestaurant(_ id: String) throws -> Bool {
    guard !id.utf8.contains(0) else { return false }
    return try connection.rows("SELECT 1 FROM restaurants WHERE id = $1", [id]).count > 0
  }

  private func remove(_ condition: String, _ argument: String, generation: Int) throws {
    try connection.rows(
      """
      INSERT INTO geoq_removed (id, generation)
      SELECT id, $2::bigint FROM restaurants WHERE \(condition)
      """,
      [argument, "\(generation)"]
    )
    try connection.rows(
      "DELETE FROM geoq_hashes WHERE pk IN (SELECT pk FROM restaurants WHERE \(condition))",
      [argument]
    )
    try connection.rows("DELETE FROM restaurants WHERE \(condition)", [argument])
  }

  /// Recomputes the fingerprints of a source's rows for its new name.
  private func rebind(from name: String, to newName: String) throws {
    var sources = SourceNumbers(key: storeID.key)
    let (old, new) = (sources.number(of: name), sources.number(of: newName))
    let difference = sources.bound(sources.bound(0, to: old), to: new)
    try connection.rows(
      """
      UPDATE geoq_hashes h SET fingerprint = h.fingerprint # $2::bigint
      FROM restaurants r WHERE r.pk = h.pk AND r.source = $1 AND h.fingerprint <> 0
      """,
      [newName, "\(Int64(bitPattern: difference))"]
    )
  }
}

extension StorePlace {
  /// Removes a source and everything that belongs to it, as `RestaurantStore.removeSource` does.
  @discardableResult
  package func removeSource(_ name: String, isDryRun: Bool = false) throws -> ImportReport {
    switch self {
    case .file(let path):
      try RestaurantStore.removeSource(name, from: path, isDryRun: isDryRun)
    case .postgres:
      try edit(isDryRun) { try $0.removeSource(name) }
    }
  }

  /// Renames a source, as `RestaurantStore.renameSource` does.
  @discardableResult
  package func renameSource(
    _ name: String,
    to newName: String,
    isDryRun: Bool = false
  ) throws -> ImportReport {
    switch self {
    case .file(let path):
      try RestaurantStore.renameSource(name, to: newName, in: path, isDryRun: isDryRun)
    case .postgres:
      try edit(isDryRun) { try $0.renameSource(name, to: newName) }
    }
  }

  /// Removes restaurants, as `RestaurantStore.remove` does.
  @discardableResult
  package func remove(_ ids: [String], isDryRun: Bool = false) throws -> ImportReport {
    guard case .postgres = self else {
      return try RestaurantStore.remove(ids, from: shown, isDryRun: isDryRun)
    }
    do {
      return try edit(isDryRun) { try $0.remove(ids) }
    } catch let error as UnknownRestaurant {
      let similar = (try? open().snapshot().ids(similarTo: error.id)) ?? []
      throw UnknownRestaurant(id: error.id, similar: similar)
    }
  }

  private func edit(
    _ isDryRun: Bool,
    _ body: (PostgresEdit) throws -> ImportReport
  ) throws -> ImportReport {
    guard case .postgres(let address, let cache) = self else { return ImportReport() }
    let store = try PostgresStore(address: address, cache: cache, purpose: "edit")
    defer { store.close() }
    return try store.withConnection {
      try body(PostgresEdit($0, store.storeID, isDryRun: isDryRun))
    }
  }
}
