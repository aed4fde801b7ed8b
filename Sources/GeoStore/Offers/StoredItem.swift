import GRDB
import GeoFeed
import GeoQuery

/// An offer or a chain, as an import compares and writes it.
protocol StoredItem: Sendable {
  /// The contents of a feed of such items.
  static var content: FeedContent { get }

  /// Whether an id that another source has becomes `SOURCE:ID`; otherwise the record is rejected.
  static var scopesIDs: Bool { get }

  var id: String { get set }
  var name: String { get }
  var source: String { get }
  var sourceID: String? { get set }
  var members: [JSONMember] { get }

  /// All items of a store.
  static func all(in book: OfferBook) -> [Self]

  /// The item of a feed's entry; nil for a rejected record.
  init?(_ entry: OfferEntry)

  /// Writes a new row.
  func insert(into db: Database) throws
}

extension StoredItem {
  /// The feed's own id.
  var ownID: String { sourceID ?? id }

  /// All its values, as JSON.
  var contents: UTF8Key { UTF8Key(JSONWriter.of(.object(members))) }

  /// All its values except the source, as JSON.
  var bareContents: UTF8Key {
    let bare = members.filter { !["id", "source", "sourceID"].contains($0.name) }
    return UTF8Key(ownID + "\0" + JSONWriter.of(.object(bare)))
  }

  /// Deletes the row with an id.
  static func delete(_ id: String, from db: Database) throws {
    if content == .offers {
      for list in OfferTables.lists {
        try db.cachedStatement(sql: "DELETE FROM \(list.table) WHERE offer = ?")
          .execute(arguments: [id])
      }
    }
    try db.cachedStatement(sql: "DELETE FROM \(content.rawValue) WHERE id = ?")
      .execute(arguments: [id])
  }

  fileprivate static func text(_ extra: [JSONMember]) -> String? {
    extra.isEmpty ? nil : JSONWriter.of(.object(extra))
  }
}

extension Offer: StoredItem {
  static var content: FeedContent { .offers }
  static var scopesIDs: Bool { true }
  static func all(in book: OfferBook) -> [Offer] { book.offers }

  init?(_ entry: OfferEntry) {
    guard case .offer(let offer, _) = entry else { return nil }
    self = offer
  }

  func insert(into db: Database) throws {
    try db.cachedStatement(
      sql: """
        INSERT INTO offers (id, name, description, terms, url, largeURL, amount, expiration, source,
          sourceID, extra)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """
    ).execute(
      arguments: [
        id, name, description, terms, url, largeURL, amount, expiration, source, sourceID,
        Self.text(extra),
      ]
    )
    for list in OfferTables.lists where !self[keyPath: list.path].isEmpty {
      let statement = try db.cachedStatement(
        sql: "INSERT INTO \(list.table) (offer, position, \(list.column)) VALUES (?, ?, ?)"
      )
      for (position, item) in self[keyPath: list.path].enumerated() {
        try statement.execute(arguments: [id, position, item])
      }
    }
  }
}

extension Chain: StoredItem {
  static var content: FeedContent { .chains }
  // offers and stores name a chain by its own id
  static var scopesIDs: Bool { false }
  static func all(in book: OfferBook) -> [Chain] { book.chains }

  var sourceID: String? {
    get { nil }
    set {}
  }

  init?(_ entry: OfferEntry) {
    guard case .chain(let chain, _) = entry else { return nil }
    self = chain
  }

  func insert(into db: Database) throws {
    try db.cachedStatement(
      sql: """
        INSERT INTO chains (id, name, iconURL, featured, source, extra) VALUES (?, ?, ?, ?, ?, ?)
        """
    ).execute(
      arguments: [id, name, iconURL, featured ? 1 : nil, source, Self.text(extra)]
    )
  }
}
