import GRDB
import GeoFeed
import GeoQuery

extension StoreReader {
  /// Whether there is an offer or a chain.
  func hasOffers() throws -> Bool {
    let sql = "SELECT EXISTS (SELECT 1 FROM offers) OR EXISTS (SELECT 1 FROM chains)"
    return try Bool.fetchOne(db, sql: sql) ?? false
  }

  /// All offers and chains.
  ///
  /// - Throws: `StoreError` if a row is damaged.
  func offerBook() throws -> OfferBook {
    OfferBook(revision: try offersRevision(), offers: try offers(), chains: try chains())
  }

  /// All offers by id, or the one with an id.
  ///
  /// - Throws: `StoreError` if a row is damaged.
  func offers(id: String? = nil) throws -> [Offer] {
    let (one, arguments): (String, StatementArguments) =
      id.map { ("WHERE id = ?", [$0]) } ?? ("", [])
    let rows = try Row.fetchAll(
      db,
      sql: """
        SELECT id, name, source, sourceID, description, terms, url, largeURL, amount, expiration, extra
        FROM offers \(one) ORDER BY id
        """,
      arguments: arguments
    )
    var offers = try rows.map { row in
      guard let id = text(row, 0), let name = text(row, 1), let source = text(row, 2) else {
        throw OfferTables.damage(of: "offers", path: path)
      }
      var offer = Offer(id: id, name: name, source: source)
      offer.sourceID = text(row, 3)
      offer.description = text(row, 4)
      offer.terms = text(row, 5)
      offer.url = text(row, 6)
      offer.largeURL = text(row, 7)
      offer.amount = number(row, 8)
      offer.expiration = text(row, 9)
      offer.extra = try OfferTables.extra(text(row, 10), of: "offers", path: path)
      return offer
    }
    let positions = Dictionary(
      offers.enumerated().map { (UTF8Key($0.element.id), $0.offset) },
      uniquingKeysWith: { first, _ in first }
    )
    let ofOne = id == nil ? "" : "WHERE offer = ?"
    for list in OfferTables.lists {
      let items = try Row.fetchCursor(
        db,
        sql: "SELECT offer, \(list.column) FROM \(list.table) \(ofOne) ORDER BY offer, position",
        arguments: arguments
      )
      while let row = try items.next() {
        guard let offer = text(row, 0), let item = text(row, 1),
          let position = positions[UTF8Key(offer)]
        else { throw OfferTables.damage(of: list.table, path: path) }
        offers[position][keyPath: list.path].append(item)
      }
    }
    return offers
  }

  /// The chains by id.
  ///
  /// - Throws: `StoreError` if a row is damaged.
  func chains() throws -> [Chain] {
    try Row.fetchAll(
      db,
      sql: "SELECT id, name, source, iconURL, featured, extra FROM chains ORDER BY id"
    ).map { row in
      guard let id = text(row, 0), let name = text(row, 1), let source = text(row, 2) else {
        throw OfferTables.damage(of: "chains", path: path)
      }
      var chain = Chain(id: id, name: name, source: source)
      chain.iconURL = text(row, 3)
      chain.featured = Int.fromDatabaseValue(row[4]) == 1
      chain.extra = try OfferTables.extra(text(row, 5), of: "chains", path: path)
      return chain
    }
  }

  /// A text; nil for any other value.
  private func text(_ row: Row, _ column: Int) -> String? {
    guard case .string(let text) = (row[column] as DatabaseValue).storage else { return nil }
    return text
  }

  /// The number in a column; `nil` if it is not a finite one.
  private func number(_ row: Row, _ column: Int) -> Double? {
    switch (row[column] as DatabaseValue).storage {
    case .int64(let number): Double(number)
    case .double(let number) where number.isFinite: number
    default: nil
    }
  }
}
