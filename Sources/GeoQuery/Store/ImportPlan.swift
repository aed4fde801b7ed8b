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
    let sources = Set(feed.restaurants.map { ByteKey($0.source) })
    let touched = sources.isEmpty ? [ByteKey(feed.source)] : Array(sources)
    var stored: [ByteKey: Stored] = [:]
    for source in touched {
      try Self.load(source.text, from: db, into: &stored, path: path)
    }
    let countsBefore = Dictionary(grouping: stored.values) { ByteKey($0.source) }
      .mapValues(\.count)
    var countsAfter: [ByteKey: Int] = [:]
    for (position, restaurant) in feed.restaurants.enumerated() {
      let key = ByteKey(restaurant.id)
      if let known = stored.removeValue(forKey: key) {
        countsAfter[ByteKey(restaurant.source), default: 0] += 1
        compare(restaurant, with: known)
      } else if let owner = try Self.owner(of: restaurant.id, in: db) {
        conflicts.append(
          Self.conflict(restaurant, owner, feed.recordNumbers[position], feed.source)
        )
      } else {
        countsAfter[ByteKey(restaurant.source), default: 0] += 1
        inserted.append(restaurant)
      }
    }
    if options.isStrict, let first = conflicts.first { throw first }
    guard !options.keepsMissing else { return }
    removed = stored.values.map(\.row).sorted()
    if options.allowsShrinking { return }
    for source in touched {
      try Self.checkSize(
        source.text,
        before: countsBefore[source] ?? 0,
        after: countsAfter[source] ?? 0,
        path
      )
    }
  }

  /// The plan for a store that has nothing yet.
  ///
  /// - Throws: `StoreError` of kind `shrinks` where the feed has nothing either.
  init(ofFirst feed: Feed, options: ImportOptions, path: String) throws {
    inserted = feed.restaurants
    if options.keepsMissing || options.allowsShrinking { return }
    try Self.checkSize(feed.source, before: 0, after: inserted.count, path)
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
        row: row["pk"],
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
      problem: "id \"\(shortened(restaurant.id))\" belongs to the source \"\(shortened(owner))\"; "
        + "to refresh that one, import with --source \"\(shortened(owner))\""
    )
  }

  /// A feed that lost nearly everything is more likely broken than true.
  private static func checkSize(
    _ source: String,
    before: Int,
    after: Int,
    _ path: String
  ) throws {
    guard after == 0 || after * 10 <= before else { return }
    let had = before == 0 ? "" : "; the source \"\(shortened(source))\" had \(before)"
    throw StoreError(
      .shrinks,
      path: path,
      "the feed has \(Self.amount(after))\(had); "
        + "nothing was changed (to take it all the same: --allow-shrink)"
    )
  }

  private static func amount(_ count: Int) -> String {
    switch count {
    case 0: "no restaurant"
    case 1: "only 1 restaurant"
    default: "only \(count) restaurants"
    }
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
