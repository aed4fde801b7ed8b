import GRDB

/// What an import would change, worked out without changing anything.
struct ImportPlan {
  private(set) var inserted: [Restaurant] = []
  private(set) var updated: [(row: Int64, restaurant: Restaurant)] = []
  private(set) var removed: [Int64] = []
  private(set) var conflicts: [FeedError] = []
  private(set) var unchanged = 0

  /// Whether any row changes.
  var changesRows: Bool { !(inserted.isEmpty && updated.isEmpty && removed.isEmpty) }

  /// The sources whose restaurants are new or changed.
  var changedSources: Set<String> {
    Set(inserted.map(\.source)).union(updated.map(\.restaurant.source))
  }

  private struct Stored {
    let row: Int64
    let source: String
    let fingerprint: [UInt8]
  }

  /// Compares a feed with the database.
  ///
  /// - Throws: `StoreError` of kind `shrinks` where a source would lose most of what it had;
  ///   `FeedError` where the options are strict and an id belongs to another source.
  init(_ db: Database, feed: Feed, options: ImportOptions, path: String) throws {
    let sources = Set(feed.restaurants.map { ByteKey($0.source) } + [ByteKey(feed.source)])
    var stored: [ByteKey: Stored] = [:]
    for source in sources {
      try Self.load(source.text, from: db, into: &stored, path: path)
    }
    let before = stored.values.count { ByteKey($0.source) == ByteKey(feed.source) }
    for (position, restaurant) in feed.restaurants.enumerated() {
      let known = stored.removeValue(forKey: ByteKey(restaurant.id))
      let owner = try known?.source ?? Self.owner(of: restaurant.id, in: db)
      if let owner, ByteKey(owner) != ByteKey(restaurant.source) {
        conflicts.append(
          Self.conflict(restaurant, owner, feed.recordNumbers[position], feed.name)
        )
      } else if let known {
        compare(restaurant, with: known)
      } else {
        inserted.append(restaurant)
      }
    }
    if options.isStrict, let first = conflicts.first { throw first }
    guard !options.keepsMissing else { return }
    // records that name another source may refresh it, but only its own feed may remove from it
    removed = stored.values.filter { ByteKey($0.source) == ByteKey(feed.source) }.map(\.row)
      .sorted()
    if !options.allowsShrinking { try checkSize(feed, before: before, path) }
  }

  /// The plan for a store that has nothing yet.
  ///
  /// - Throws: `StoreError` of kind `shrinks` where the feed has nothing either.
  init(ofFirst feed: Feed, options: ImportOptions, path: String) throws {
    inserted = feed.restaurants
    if options.keepsMissing || options.allowsShrinking { return }
    try checkSize(feed, before: 0, path)
  }

  private mutating func compare(_ restaurant: Restaurant, with known: Stored) {
    if restaurant.fingerprint == known.fingerprint {
      unchanged += 1
    } else {
      updated.append((known.row, restaurant))
    }
  }

  private static func load(
    _ source: String,
    from db: Database,
    into stored: inout [ByteKey: Stored],
    path: String
  ) throws {
    let sql = "SELECT \(RestaurantRow.selection), pk FROM restaurants WHERE source = ?"
    let cursor = try Row.fetchCursor(db, sql: sql, arguments: [source])
    while let row = try cursor.next() {
      let restaurant = try RestaurantRow.restaurant(row, path: path)
      stored[ByteKey(restaurant.id)] = Stored(
        row: row[row.count - 1],
        source: source,
        fingerprint: restaurant.fingerprint
      )
    }
  }

  private static func owner(of id: String, in db: Database) throws -> String? {
    let statement = try db.cachedStatement(sql: "SELECT source FROM restaurants WHERE id = ?")
    return try String.fetchOne(statement, arguments: [id])
  }

  private static func conflict(
    _ restaurant: Restaurant,
    _ owner: String,
    _ record: Int,
    _ source: String
  ) -> FeedError {
    FeedError(
      source: source,
      record: record,
      problem:
        "id \"\(shortened(restaurant.id))\" belongs to the source \"\(shortened(owner, to: 200))\"; "
        + "to refresh that one, import with --source \"\(shortened(owner, to: 200))\""
    )
  }

  /// A feed that lost nearly everything is more likely broken than true.
  private func checkSize(_ feed: Feed, before: Int, _ path: String) throws {
    let taken = inserted.count + updated.count + unchanged
    let after = before - removed.count + inserted.count
    guard taken == 0 || (after * 10 <= before && !removed.isEmpty) else { return }
    let had = before == 0 ? "" : "; the source \"\(shortened(feed.source))\" had \(before)"
    var problem =
      taken == 0 ? "the feed has no restaurant" : "the feed has only \(Self.counted(after))"
    problem += had + "; nothing was changed (to take it all the same: --allow-shrink)"
    if taken == 0, let conflict = conflicts.first {
      problem = "nothing of the feed can be taken: \(conflict.problem)"
    }
    throw StoreError(.shrinks, path: path, problem)
  }

  private static func counted(_ count: Int) -> String {
    count == 1 ? "1 restaurant" : "\(count) restaurants"
  }
}

extension Restaurant {
  /// Every byte of the record, for telling whether it changed: Swift's `==` would take texts for
  /// equal that differ in Unicode normalisation.
  fileprivate var fingerprint: [UInt8] {
    var json = JSONText()
    json.members(of: self, fields: RestaurantField.allCases)
    return json.takeBytes()
  }
}
