import Foundation
import GRDB

extension RestaurantStore {
  /// Brings a feed into a database, which is made where there is none.
  ///
  /// One transaction: afterwards the store has the feed entirely, or is as it was. A record of the
  /// same source that the feed no longer lists is removed. A feed that changes nothing leaves the
  /// file's bytes alone.
  ///
  /// - Parameters:
  ///   - feed: The records.
  ///   - path: The database file.
  ///   - options: How to treat what the store already has.
  /// - Returns: The counts, and what was rejected. Records whose id belongs to another source are
  ///   rejected too.
  /// - Throws: `FeedError` where every record was rejected, or for the first bad one where the
  ///   options are strict; `StoreError` where the file is not geoq's, is newer, damaged, busy or
  ///   cannot be written, or where the feed would take most of its source's records away.
  @discardableResult
  public static func importFeed(
    _ feed: Feed,
    into path: String,
    options: ImportOptions = ImportOptions()
  ) throws -> ImportReport {
    if options.isStrict, let first = feed.rejected.first { throw first }
    guard feed.rejected.isEmpty || !feed.restaurants.isEmpty else {
      // not a feed that has become empty: --allow-shrink is no answer to it
      throw FeedError(
        source: feed.name,
        problem: "every record was rejected; nothing was changed"
      )
    }
    let file = StoreFile(path: path)
    switch try file.content() {
    case .geoq:
      let store = try RestaurantStore(path: path)
      let (report, isDone) = try store.preview(feed, options)
      try store.close()
      if isDone || options.isDryRun { return report }
    case .missing, .empty:
      let plan = try ImportPlan(ofFirst: feed, options: options, path: path)
      if options.isDryRun { return ImportReport(feed, plan, generation: 0) }
    }
    try file.checkFolder()
    return try write(feed, to: file, options)
  }

  /// What an import would do, and whether that is nothing at all.
  private func preview(_ feed: Feed, _ options: ImportOptions) throws -> (ImportReport, Bool) {
    try readDatabase { db in
      let problems = try String.fetchAll(db, sql: "PRAGMA quick_check(1)")
      guard problems == ["ok"] else {
        throw StoreError(
          .corrupt,
          path: path,
          "the database is damaged (\(problems.first ?? "")); import its feeds into a new file"
        )
      }
      let plan = try ImportPlan(db, feed: feed, options: options, path: path)
      let generation = try StoreReader(db, path: path).generation()
      let isKnown = try SourceRow(db, name: feed.source)?.origin == options.origin
      return (
        ImportReport(feed, plan, generation: generation), isKnown && !plan.changesRows
      )
    }
  }

  private static func write(
    _ feed: Feed,
    to file: StoreFile,
    _ options: ImportOptions
  ) throws -> ImportReport {
    try StoreError.wrapping(file.path) {
      let queue = try DatabaseQueue(path: file.absolutePath, configuration: .writing)
      defer { try? queue.close() }
      let report = try queue.write { db in
        try file.checkVersion(db)
        try Schema.migrate(db)
        // worked out again under the write lock: another import may have come in between
        let plan = try ImportPlan(db, feed: feed, options: options, path: file.path)
        let generation = try apply(plan, to: db)
        try SourceRow(name: feed.source, origin: options.origin)
          .save(db, asOfNow: plan.changesRows)
        try SourceRow.forgetVersions(of: plan.changedSources.subtracting([feed.source]), in: db)
        try checkSpatialIndex(db, path: file.path)
        return ImportReport(feed, plan, generation: generation)
      }
      // a busy reader keeps the log for later; the data is safe in it
      _ = try? queue.writeWithoutTransaction { try $0.checkpoint(.truncate) }
      return report
    }
  }

  /// Writes a plan and returns the generation it makes.
  private static func apply(_ plan: ImportPlan, to db: Database) throws -> Int {
    if plan.changesRows {
      let delete = try db.makeStatement(sql: "DELETE FROM restaurants WHERE pk = ?")
      for row in plan.removed { try delete.execute(arguments: [row]) }
      let update = try db.makeStatement(sql: RestaurantRow.update)
      for (row, restaurant) in plan.updated {
        try update.execute(
          arguments: StatementArguments(RestaurantRow.values(of: restaurant) + [row])
        )
      }
      let insert = try db.makeStatement(sql: RestaurantRow.insert)
      for restaurant in plan.inserted {
        try insert.execute(arguments: StatementArguments(RestaurantRow.values(of: restaurant)))
      }
      try db.execute(sql: "UPDATE geoq_store SET generation = generation + 1")
    }
    return try Int.fetchOne(db, sql: "SELECT generation FROM geoq_store") ?? 0
  }

  /// SQLite's integrity check does not see an index that lacks entries; this does.
  private static func checkSpatialIndex(_ db: Database, path: String) throws {
    let rows = try Int.fetchOne(db, sql: "SELECT count(*) FROM restaurants")
    let entries = try Int.fetchOne(db, sql: "SELECT count(*) FROM idx_restaurants_geom")
    let isSound = try Int.fetchOne(db, sql: "SELECT CheckSpatialIndex('restaurants', 'geom')") == 1
    guard rows == entries, isSound else {
      throw StoreError(
        .corrupt,
        path: path,
        "the spatial index does not match the table (\(entries ?? 0) entries, \(rows ?? 0) rows); "
          + "nothing was changed; import the feeds into a new file"
      )
    }
  }
}

extension ImportReport {
  fileprivate init(_ feed: Feed, _ plan: ImportPlan, generation: Int) {
    read = feed.readCount
    inserted = plan.inserted.count
    updated = plan.updated.count
    unchanged = plan.unchanged
    removed = plan.removed.count
    rejected = feed.rejected + plan.conflicts
    warnings = feed.warnings
    self.generation = generation
  }
}
