import GeoFeed
package import GeoQuery

/// The tables of offers and chains.
struct PostgresOffers {
  private let connection: PostgresConnection

  init(_ connection: PostgresConnection) {
    self.connection = connection
  }

  /// Reads all offers and chains in the caller's transaction.
  ///
  /// - Throws: `StoreError` if a row is damaged.
  func book() throws -> OfferBook {
    OfferBook(revision: try connection.offersRevision(), offers: try offers(), chains: try chains())
  }

  /// The chains by id.
  func chains() throws -> [Chain] {
    try connection.rows(
      "SELECT id, name, source, \"iconURL\", featured, extra FROM chains ORDER BY id"
    ).map { row in
      var chain = Chain(
        id: row.text(0) ?? "",
        name: row.text(1) ?? "",
        source: row.text(2) ?? ""
      )
      chain.iconURL = row.text(3)
      chain.featured = row.bool(4) == true
      chain.extra = try OfferTables.extra(row.text(5), of: "chains", path: connection.address.shown)
      return chain
    }
  }

  private func offers() throws -> [Offer] {
    var offers = try connection.rows(
      """
      SELECT id, name, source, "sourceID", description, terms, url, "largeURL", amount,
        expiration, extra
      FROM offers ORDER BY id
      """
    ).map { row in
      var offer = Offer(
        id: row.text(0) ?? "",
        name: row.text(1) ?? "",
        source: row.text(2) ?? ""
      )
      offer.sourceID = row.text(3)
      offer.description = row.text(4)
      offer.terms = row.text(5)
      offer.url = row.text(6)
      offer.largeURL = row.text(7)
      offer.amount = row.double(8).flatMap { $0.isFinite ? $0 : nil }
      offer.expiration = row.text(9)
      offer.extra = try OfferTables.extra(
        row.text(10),
        of: "offers",
        path: connection.address.shown
      )
      return offer
    }
    let positions = Dictionary(
      offers.enumerated().map { (UTF8Key($0.element.id), $0.offset) },
      uniquingKeysWith: { first, _ in first }
    )
    for list in OfferTables.lists {
      let column = PostgresAddress.quoted(list.column)
      let items = try connection.rows(
        """
        SELECT offer, \(column) FROM \(PostgresAddress.quoted(list.table)) ORDER BY offer, position
        """
      ).map { (UTF8Key($0.text(0) ?? ""), $0.text(1) ?? "") }
      for (offer, item) in items {
        guard let position = positions[offer] else {
          throw OfferTables.damage(of: list.table, path: connection.address.shown)
        }
        offers[position][keyPath: list.path].append(item)
      }
    }
    return offers
  }

  /// Counts a change.
  func noteChange(of content: FeedContent) throws {
    try connection.rows("UPDATE geoq_store SET \"offersRevision\" = \"offersRevision\" + 1")
    try connection.tellListeners(of: try connection.state().generation)
    guard content == .chains else { return }
    // restaurants have their names from the chains, so their feeds must be read again
    try connection.rows(
      """
      UPDATE geoq_sources SET etag = NULL, "lastModified" = NULL WHERE content = 'restaurants'
      """
    )
  }
}

extension PostgresStore {
  package func offersRevision() throws -> Int {
    try withPromptConnection { try $0.offersRevision() }
  }

  package func offerBook() throws -> OfferBook {
    try withConnection { connection in
      try connection.transaction(.reading) { try PostgresOffers(connection).book() }
    }
  }
}
