import GeoFeed
import GeoQuery

/// An offer or a chain as rows of PostgreSQL.
protocol PostgresItem: StoredItem {
  /// Writes new rows.
  static func insert(_ items: [Self], _ connection: PostgresConnection) throws
}

/// An import of offers or chains into PostgreSQL, as `OfferImport` for files.
struct PostgresOfferImport<Item: PostgresItem> {
  private let run: PostgresImport

  init(_ run: PostgresImport) {
    self.run = run
  }

  /// Reads the feed and writes what is new.
  func run(_ stream: FeedStream) throws -> ImportReport {
    let reading = OfferReading<Item>(request: run.request)
    let (connection, options) = (run.connection, run.request.options)
    return try run.transaction(of: stream.source) {
      let book = try PostgresOffers(connection).book()
      let generation = try connection.state().generation
      let sources = PostgresSources(connection)
      let old = try sources.row(of: stream.source, Item.content)
      let comparison = try reading.compare(stream, with: book)
      let report = reading.report(of: comparison, book, generation: generation)
      let new = SourceRow(name: stream.source, options, report, after: old)
      if options.isDryRun || new.isNoted(in: old) && !comparison.changesRows { return report }
      if comparison.changesRows { try write(comparison) }
      try sources.note(new, options, after: old, changesRows: comparison.changesRows)
      run.request.observer.commit?()
      return report
    }
  }

  private func write(_ comparison: OfferComparison<Item>) throws {
    let ids = comparison.removed + comparison.updated.map(\.id)
    // the lists of an offer go with it
    try run.connection.rows(
      """
      DELETE FROM \(Item.content.rawValue)
      WHERE id IN (SELECT json_array_elements_text($1::json))
      """,
      [JSONWriter.of(.array(ids.map(JSONValue.string)))]
    )
    try Item.insert(comparison.updated + comparison.inserted, run.connection)
    try PostgresOffers(run.connection).noteChange(of: Item.content)
  }
}

extension Chain: PostgresItem {
  static func insert(_ items: [Chain], _ connection: PostgresConnection) throws {
    var writer = try CopyWriter(
      connection,
      into: "chains (id, name, \"iconURL\", featured, source, extra)"
    )
    for chain in items {
      try writer.beginRow(columns: 6)
      for text in [chain.id, chain.name, chain.iconURL] { writer.put(text) }
      if chain.featured { writer.put(true) } else { writer.putNull() }
      writer.put(chain.source)
      writer.put(extra: chain.extra)
    }
    try writer.finish()
  }
}

extension Offer: PostgresItem {
  static func insert(_ items: [Offer], _ connection: PostgresConnection) throws {
    var writer = try CopyWriter(
      connection,
      into: """
        offers (id, name, description, terms, url, "largeURL", amount, expiration, source,
          "sourceID", extra)
        """
    )
    for offer in items {
      try writer.beginRow(columns: 11)
      for text in [
        offer.id, offer.name, offer.description, offer.terms, offer.url, offer.largeURL,
      ] { writer.put(text) }
      writer.put(offer.amount)
      for text in [offer.expiration, offer.source, offer.sourceID] { writer.put(text) }
      writer.put(extra: offer.extra)
    }
    try writer.finish()
    for list in OfferTables.lists {
      var writer = try CopyWriter(
        connection,
        into: "\(PostgresAddress.quoted(list.table)) "
          + "(offer, position, \(PostgresAddress.quoted(list.column)))"
      )
      for offer in items {
        for (position, item) in offer[keyPath: list.path].enumerated() {
          try writer.beginRow(columns: 3)
          writer.put(offer.id)
          writer.put(Int32(clamping: position))
          writer.put(item)
        }
      }
      try writer.finish()
    }
  }
}

extension CopyWriter {
  fileprivate mutating func put(extra: [JSONMember]) {
    put(extra.isEmpty ? nil : JSONWriter.of(.object(extra)))
  }
}
