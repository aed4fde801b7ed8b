import GeoFeed
import GeoQuery

/// The tables of offers and chains.
///
/// There are thousands at most, and queries do not use these tables: all rows are read and written
/// together.
enum OfferTables {
  /// A list of an offer, in a separate table: one row per item, in the order of the feed.
  struct List: Sendable {
    let table: String
    /// The column of the items.
    let column: String
    let path: any WritableKeyPath<Offer, [String]> & Sendable
  }

  static let lists = [
    List(table: "offer_categories", column: "category", path: \.categories),
    List(table: "offer_chains", column: "chain", path: \.chains),
    List(table: "offer_restaurants", column: "restaurant", path: \.restaurants),
    List(
      table: "offer_restaurantCategories",
      column: "category",
      path: \.restaurantCategories
    ),
  ]

  static let creation =
    """
    CREATE TABLE chains (
      id TEXT NOT NULL PRIMARY KEY,
      name TEXT NOT NULL CHECK (name <> ''),
      iconURL TEXT,
      featured INTEGER CHECK (featured = 1),
      source TEXT NOT NULL,
      extra TEXT
    );
    CREATE TABLE offers (
      id TEXT NOT NULL PRIMARY KEY,
      name TEXT NOT NULL CHECK (name <> ''),
      description TEXT, terms TEXT, url TEXT, largeURL TEXT,
      amount REAL CHECK (amount BETWEEN 0 AND 1e9),
      expiration TEXT,
      source TEXT NOT NULL,
      sourceID TEXT,
      extra TEXT
    );

    """ + lists.map(creation).joined()

  // an unknown chain or restaurant of an offer may be imported later
  private static func creation(of list: List) -> String {
    """
    CREATE TABLE \(list.table) (
      offer TEXT NOT NULL REFERENCES offers (id) ON DELETE CASCADE ON UPDATE CASCADE,
      position INTEGER NOT NULL,
      \(list.column) TEXT NOT NULL,
      PRIMARY KEY (offer, position)
    ) WITHOUT ROWID;

    """
  }
}

extension StoreConnection {
  /// Counts a change of offers or chains.
  func noteChange(of content: FeedContent) throws {
    try run(#"UPDATE geoq_store SET "offersRevision" = "offersRevision" + 1"#)
    try announceOffers()
    guard content == .chains else { return }
    // restaurants get their names from the chains, so their feeds must be read again
    try run(
      """
      UPDATE geoq_sources SET etag = NULL, "lastModified" = NULL WHERE content = 'restaurants'
      """
    )
  }

  /// Whether there is an offer or a chain.
  func hasOffers() throws -> Bool {
    let sql = "SELECT 1 WHERE EXISTS (SELECT 1 FROM offers) OR EXISTS (SELECT 1 FROM chains)"
    return try has(sql, [])
  }

  /// All offers and chains.
  ///
  /// - Throws: `StoreError` if a row is damaged.
  func offerBook() throws -> OfferBook {
    OfferBook(revision: try offersRevision(), offers: try offers(), chains: try chains())
  }

  /// Reads all offers for `geoq verify`.
  func checkOffers() throws -> String {
    let book = try offerBook()
    return "\(book.offers.count), and \(book.chains.count) chains, each readable"
  }

  /// All offers, by id.
  ///
  /// - Throws: `StoreError` if a row is damaged.
  func offers() throws -> [Offer] {
    var offers = try fetch(
      """
      SELECT id, name, source, "sourceID", description, terms, url, "largeURL", amount, expiration,
        extra
      FROM offers ORDER BY id
      """
    ) { row in
      guard let id = row.text(0), let name = row.text(1), let source = row.text(2) else {
        throw damaged("offers")
      }
      var offer = Offer(id: id, name: name, source: source)
      offer.sourceID = row.text(3)
      offer.description = row.text(4)
      offer.terms = row.text(5)
      offer.url = row.text(6)
      offer.largeURL = row.text(7)
      offer.amount = row.double(8).flatMap { $0.isFinite ? $0 : nil }
      offer.expiration = row.text(9)
      offer.extra = try extra(row.text(10), of: "offers")
      return offer
    }
    let positions = Dictionary(
      offers.enumerated().map { (UTF8Key($0.element.id), $0.offset) },
      uniquingKeysWith: { first, _ in first }
    )
    for list in OfferTables.lists {
      let items = try fetch(
        "SELECT offer, \(list.column) FROM \"\(list.table)\" ORDER BY offer, position"
      ) { ($0.text(0).map { UTF8Key($0) }, $0.text(1)) }
      for (offer, item) in items {
        guard let offer, let item, let position = positions[offer] else {
          throw damaged(list.table)
        }
        offers[position][keyPath: list.path].append(item)
      }
    }
    return offers
  }

  /// The chains by id.
  ///
  /// - Throws: `StoreError` if a row is damaged.
  func chains() throws -> [Chain] {
    try fetch(
      #"SELECT id, name, source, "iconURL", featured, extra FROM chains ORDER BY id"#
    ) { row in
      guard let id = row.text(0), let name = row.text(1), let source = row.text(2) else {
        throw damaged("chains")
      }
      var chain = Chain(id: id, name: name, source: source)
      chain.iconURL = row.text(3)
      chain.featured = row.bool(4) == true
      chain.extra = try extra(row.text(5), of: "chains")
      return chain
    }
  }

  /// Writes the changes that an import has found.
  func write<Item: StoredItem>(
    _ comparison: OfferComparison<Item>,
    _ options: ImportOptions
  ) throws {
    let table = Item.content.rawValue
    if comparison.changesRows {
      let ids = comparison.removed + comparison.updated.map(\.id)
      // the lists of an offer go with it
      try run(
        "DELETE FROM \(table) WHERE id IN (\(Self.elements(of: "$1")))",
        [JSONWriter.of(.array(ids.map(JSONValue.string)))]
      )
      try Item.insert(comparison.updated + comparison.inserted, into: self)
      try noteChange(of: Item.content)
    }
    let old = try source(comparison.source, Item.content)
    let new = SourceRow(name: comparison.source, options, comparison.report, after: old)
    try note(new, options, after: old, changesRows: comparison.changesRows)
  }
}

extension StoreConnection {
  /// The `extra` of a row.
  ///
  /// - Throws: `StoreError` if it is damaged.
  private func extra(_ text: String?, of table: String) throws -> [JSONMember] {
    guard let text else { return [] }
    guard case .object(let members)? = try? JSONValue(parsing: Array(text.utf8)) else {
      throw damaged(table)
    }
    return members
  }

  /// The error for a damaged row.
  private func damaged(_ table: String) -> StoreError {
    problem(
      .corrupt,
      "a row of \(table) is damaged; import the feeds of offers and chains again"
    )
  }
}

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

  /// Writes new rows.
  static func insert(_ items: [Self], into connection: some StoreConnection) throws
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
}

extension Offer: StoredItem {
  static var content: FeedContent { .offers }
  static var scopesIDs: Bool { true }
  static func all(in book: OfferBook) -> [Offer] { book.offers }

  init?(_ entry: OfferEntry) {
    guard case .offer(let offer, _) = entry else { return nil }
    self = offer
  }

  static func insert(_ items: [Offer], into connection: some StoreConnection) throws {
    let rows = items.map { offer -> [StoreValue] in
      [
        .text(offer.id), .text(offer.name), StoreValue(offer.description),
        StoreValue(offer.terms), StoreValue(offer.url), StoreValue(offer.largeURL),
        offer.amount.map(StoreValue.real) ?? .null, StoreValue(offer.expiration),
        .text(offer.source), StoreValue(offer.sourceID), StoreValue(offer.extra),
      ]
    }
    let columns = [
      "id", "name", "description", "terms", "url", #""largeURL""#, "amount", "expiration", "source",
      #""sourceID""#, "extra",
    ]
    try connection.insert(rows, into: "offers", columns)
    for list in OfferTables.lists {
      let entries = items.flatMap { offer in
        offer[keyPath: list.path].enumerated().map { position, item -> [StoreValue] in
          [.text(offer.id), .integer(Int32(clamping: position)), .text(item)]
        }
      }
      let columns = ["offer", "position", list.column]
      try connection.insert(entries, into: "\"\(list.table)\"", columns)
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

  static func insert(_ items: [Chain], into connection: some StoreConnection) throws {
    let rows = items.map { chain -> [StoreValue] in
      [
        .text(chain.id), .text(chain.name), StoreValue(chain.iconURL),
        chain.featured ? .flag(true) : .null, .text(chain.source), StoreValue(chain.extra),
      ]
    }
    let columns = ["id", "name", #""iconURL""#, "featured", "source", "extra"]
    try connection.insert(rows, into: "chains", columns)
  }
}
