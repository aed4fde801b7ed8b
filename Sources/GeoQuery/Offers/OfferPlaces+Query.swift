public import GeoIndex

extension OfferPlaces {
  /// Lists offers.
  ///
  /// With a center the order is by the distance of the nearest place, then by id, and offers that are had
  /// nowhere come last; without one it is by id.
  ///
  /// - Throws: `QueryTimeout`; `SnapshotError` if the file is damaged.
  /// - Complexity: O(offers) without a center, besides the places of those on the page; with one, the
  ///   places of every offer that matches.
  public func page(_ query: OfferQuery) throws -> OfferPage {
    let found = try matching(query)
    guard let center = query.center else {
      let shown = found[query.range(of: found.count)]
      return OfferPage(
        total: found.count,
        hits: try shown.map { try hit(of: $0, until: query.deadline) }
      )
    }
    var ranked: [Ranked] = []
    for (rank, offer) in found.enumerated() {
      let places = try positions(of: offer, until: query.deadline)
      let nearest = tree.nearest(to: center, count: 1, within: query.maximumDistance, where: places)
      if nearest.isEmpty, query.maximumDistance < .infinity { continue }
      ranked.append(
        Ranked(offer: offer, rank: rank, count: places.count, nearest: nearest.first)
      )
    }
    ranked.sort { ($0.distance, $0.rank) < ($1.distance, $1.rank) }
    let shown = ranked[query.range(of: ranked.count)]
    return OfferPage(
      total: ranked.count,
      hits: try shown.map { try hit(of: $0.offer, $0.count, $0.nearest) }
    )
  }

  /// Where an offer of the book is had.
  ///
  /// - Parameters:
  ///   - offer: One of `book`.
  ///   - center: The point that the nearest place is looked for from; nil looks for none.
  ///   - deadline: When to give up.
  /// - Returns: The offer with its chains, the number of its places and the nearest of them.
  /// - Throws: `QueryTimeout`; `SnapshotError` if the file is damaged.
  public func hit(
    of offer: Offer,
    near center: Coordinate? = nil,
    until deadline: Deadline? = nil
  ) throws -> OfferHit {
    let places = try positions(of: offer, until: deadline)
    let nearest = center.flatMap { tree.nearest(to: $0, count: 1, where: places).first }
    return try hit(of: offer, places.count, nearest)
  }

  /// Finds offers for wants.
  ///
  /// - Parameter deadline: When to give up.
  /// - Returns: What finds the places of an offer by its id.
  public func lookup(until deadline: Deadline? = nil) -> OfferLookup {
    { id in
      guard let offer = book.offer(id: id) else { return nil }
      return WantedOffer(try positions(of: offer, until: deadline), amount: offer.amount ?? 0)
    }
  }

  private var tree: KDTree { engine.snapshot.tree }

  /// An offer on its way to its place in the order.
  private struct Ranked {
    let offer: Offer
    let rank: Int
    let count: Int
    let nearest: Neighbor?

    var distance: Double { nearest?.distance ?? .infinity }
  }

  private func hit(of offer: Offer, _ count: Int, _ nearest: Neighbor?) throws -> OfferHit {
    let restaurant = try nearest.map { try engine.snapshot.records.restaurant(at: $0.index) }
    return OfferHit(
      offer: offer,
      chains: offer.chains.compactMap(book.chainName),
      placeCount: count,
      nearest: nearest.flatMap { nearest in
        restaurant.map {
          OfferHit.Nearest(id: $0.id, name: $0.name, distance: nearest.distance)
        }
      }
    )
  }

  /// The offers that fit, wherever they are had, in order of id.
  private func matching(_ query: OfferQuery) throws -> [Offer] {
    let words = FoldedWords(query.text).words
    // a text without a letter or a digit: no word begins with that
    if words.isEmpty, !query.text.isBlank { return [] }
    let categories = CategoryNames(query.categories)
    let chain = query.chain.map { ByteKey($0) }
    let chainName = query.chain.map { NameWords(book.chainName(of: $0) ?? $0) }
    var found: [Offer] = []
    for offer in book.offers {
      try query.deadline?.check()
      let isOfCategory = offer.categories.contains { categories.contain($0) }
      guard categories.isEmpty || isOfCategory else { continue }
      if let chain, let chainName {
        let isNamed = offer.chains.contains { reference in
          ByteKey(reference) == chain
            || book.chainName(of: reference).map { NameWords($0) == chainName } == true
        }
        guard isNamed else { continue }
      }
      if !words.isEmpty {
        let texts = [offer.name, offer.description ?? ""] + offer.categories
        let own = FoldedWords(texts.joined(separator: "\n")).words
        guard words.allSatisfy({ word in own.contains { $0.starts(with: word) } }) else { continue }
      }
      found.append(offer)
    }
    return found
  }
}

extension OfferQuery {
  /// The page's range of so many offers.
  fileprivate func range(of count: Int) -> Range<Int> {
    let start = min(max(0, offset), count)
    return start..<start + min(limit.map { max(0, $0) } ?? .max, count - start)
  }
}
