public import GeoIndex

/// A query for offers.
public struct OfferQuery: Sendable {
  /// Every word of this text must start a word of the offer's name, description or categories.
  public var text = ""

  /// Any of these categories of the offer itself; empty matches all.
  public var categories: [String] = []

  /// A chain that the offer names, by id or by name; nil matches all.
  public var chain: String?

  /// Only offers of this restaurant, by its id; nil matches all.
  public var restaurant: String?

  /// The day for which is asked: offers that have ended before it are expired; nil: none is.
  public var on: CalendarDay?

  /// Whether expired offers are listed too.
  public var expired = false

  /// The point from which distances are measured.
  public var center: Coordinate?

  /// The maximum distance in meters of an offer's nearest place from the center, if there is one.
  public var maximumDistance = Double.infinity

  /// The number of offers to skip at the beginning.
  public var offset = 0

  /// The maximum number of offers; nil for all.
  public var limit: Int?

  /// The time limit.
  public var deadline: Deadline?

  /// Makes a query for all offers.
  public init() {}

  /// The page's range among `count` offers.
  fileprivate func range(of count: Int) -> Range<Int> {
    let start = min(max(0, offset), count)
    return start..<start + min(limit.map { max(0, $0) } ?? .max, count - start)
  }
}

/// An offer, with its places.
public struct OfferHit: Sendable {
  /// The offer.
  public let offer: Offer

  /// Whether it has ended before the day of the query.
  public let isExpired: Bool

  /// The names of the chains that it names; unknown ones are omitted.
  public let chains: [String]

  /// The number of places that have it.
  public let placeCount: Int

  /// The nearest of these places, if the query has a center.
  public let nearest: Nearest?

  /// A place and its distance.
  public struct Nearest: Sendable, Hashable {
    /// The restaurant's id.
    public let id: String

    /// Its name.
    public let name: String

    /// The distance from the center in meters.
    public let distance: Double

    /// Makes a place.
    public init(id: String, name: String, distance: Double) {
      self.id = id
      self.name = name
      self.distance = distance
    }
  }

  /// The offer's members, `expired` if it is, and `where`: `chains`, `places`, and `nearest` with `id`,
  /// `name` and `distance`.
  public var members: [JSONMember] {
    var place: [JSONMember] = []
    place.add("chains", chains)
    place.add("places", placeCount)
    if let nearest {
      var members: [JSONMember] = []
      members.add("id", nearest.id)
      members.add("name", nearest.name)
      members.add("distance", nearest.distance)
      place.add("nearest", members)
    }
    var members = offer.members
    members.add("expired", isExpired ? .bool(true) : nil)
    members.add("where", place)
    return members
  }
}

/// A page of the offers that match a query.
public struct OfferPage: Sendable {
  /// The number of offers that match, whatever the offset and the limit.
  public let total: Int

  /// The offers of the page, in order.
  public let hits: [OfferHit]

  package init(total: Int, hits: [OfferHit]) {
    self.total = total
    self.hits = hits
  }

  /// The document `geoq.offers/1`, one offer per line.
  package var json: [UInt8] {
    var members: [JSONMember] = []
    members.add("schema", "geoq.offers/1")
    members.add("count", hits.count)
    members.add("total", total)
    return JSONWriter.document(members, "offers", hits.map(\.members))
  }

  /// The page as CSV: the offers' keys, whether they are expired, chain names and numbers of places;
  /// with a center, also the nearest place.
  package func csv(hasCenter: Bool) -> [UInt8] {
    var writer = DelimitedWriter(.csv)
    let ofCenter = hasCenter ? ["nearestID", "nearestName", "distance"] : []
    let columns = Offer.keys + ["expired", "chainNames", "places"] + ofCenter
    writer.row(columns)
    for hit in hits {
      var members = hit.offer.members
      members.add("expired", hit.isExpired ? .bool(true) : nil)
      members.add("chainNames", hit.chains)
      members.add("places", hit.placeCount)
      members.add("nearestID", hit.nearest?.id)
      members.add("nearestName", hit.nearest?.name)
      members.add("distance", hit.nearest?.distance)
      let cells = Dictionary(members.map { ($0.name, $0.value) }) { first, _ in first }
      writer.row(columns.map { cells[$0].map(DelimitedWriter.cell) ?? .null })
    }
    return writer.takeBytes()
  }
}

extension OfferPlaces {
  /// Lists offers.
  ///
  /// With a center, the order is by the distance of the nearest place, then by id, and offers
  /// without a place come last; without a center, it is by id.
  ///
  /// - Throws: `QueryTimeout`; `SnapshotError` if the file is damaged.
  /// - Complexity: O(offers + places on the page) without a center; with one, the
  ///   places of every offer that matches.
  public func page(_ query: OfferQuery) throws -> OfferPage {
    let found = try matching(query)
    guard let center = query.center else {
      let shown = found[query.range(of: found.count)]
      return OfferPage(
        total: found.count,
        hits: try shown.map { try hit(of: $0, on: query.on, until: query.deadline) }
      )
    }
    var ranked: [(rank: Int, places: Int, nearest: Neighbor?)] = []
    for (rank, offer) in found.enumerated() {
      let places = try positions(of: offer, until: query.deadline)
      let nearest = tree.nearest(to: center, count: 1, within: query.maximumDistance, where: places)
      if nearest.isEmpty, query.maximumDistance < .infinity { continue }
      ranked.append((rank, places.count, nearest.first))
    }
    ranked.sort {
      ($0.nearest?.distance ?? .infinity, $0.rank) < ($1.nearest?.distance ?? .infinity, $1.rank)
    }
    let shown = ranked[query.range(of: ranked.count)]
    return OfferPage(
      total: ranked.count,
      hits: try shown.map { try hit(of: found[$0.rank], query.on, $0.places, $0.nearest) }
    )
  }

  /// An offer of the book with its places.
  ///
  /// - Parameters:
  ///   - offer: One of `book`.
  ///   - center: The point from which the nearest place is found; nil to find none.
  ///   - day: The day for which is asked; nil: it is not expired.
  ///   - deadline: The time limit.
  /// - Returns: The offer with its chains, the number of its places and the nearest of them.
  /// - Throws: `QueryTimeout`; `SnapshotError` if the file is damaged.
  public func hit(
    of offer: Offer,
    near center: Coordinate? = nil,
    on day: CalendarDay? = nil,
    until deadline: Deadline? = nil
  ) throws -> OfferHit {
    let places = try positions(of: offer, until: deadline)
    let nearest = center.flatMap { tree.nearest(to: $0, count: 1, where: places).first }
    return try hit(of: offer, day, places.count, nearest)
  }

  /// The places that have an offer of the book.
  ///
  /// - Parameters:
  ///   - offer: One of `book`.
  ///   - center: The point from which distances are measured; nil lists the places by id.
  ///   - limit: The maximum number of places.
  ///   - deadline: The time limit.
  /// - Returns: The nearest places, or the first ones; `Page.total` counts all.
  /// - Throws: `QueryTimeout`.
  public func places(
    of offer: Offer,
    near center: Coordinate? = nil,
    limit: Int,
    until deadline: Deadline? = nil
  ) throws -> Page {
    precondition(limit >= 0, "A limit must not be negative.")
    let set = try positions(of: offer, until: deadline)
    let hits: Hits =
      if let center {
        .neighbors(tree.nearest(to: center, count: limit, where: set)[...])
      } else {
        .positions(set.positions(ranks: 0..<min(limit, set.count)))
      }
    return Page(hits, of: set.count, hasDistance: center != nil, engine.snapshot)
  }

  /// The names of those that have an offer, each once: chains, and restaurants without one.
  ///
  /// - Parameters:
  ///   - offer: One of `book`.
  ///   - center: The point from which the nearest come first; nil for the order by id.
  ///   - deadline: The time limit.
  /// - Returns: The names of the first 30 places, then the chains that are not among them.
  /// - Throws: `QueryTimeout`; `SnapshotError` if the file is damaged.
  public func retailers(
    of offer: Offer,
    near center: Coordinate? = nil,
    until deadline: Deadline? = nil
  ) throws -> [String] {
    let page = try places(of: offer, near: center, limit: 30, until: deadline)
    let near = try page.matches.map { $0.restaurant.chain ?? $0.restaurant.name }
    var seen: Set<UTF8Key> = []
    return (near + offer.chains.compactMap(book.chainName)).filter {
      seen.insert(UTF8Key($0)).inserted
    }
  }

  /// Makes the function with which wants look up offers by id.
  ///
  /// - Parameters:
  ///   - day: Offers that have ended before it have no places; nil: all offers count.
  ///   - deadline: The time limit.
  /// - Returns: A function that finds an offer by its id.
  public func lookup(on day: CalendarDay? = nil, until deadline: Deadline? = nil) -> OfferLookup {
    { id in
      guard let offer = book.offer(id: id) else { return nil }
      let isExpired = offer.isExpired(on: day)
      let places =
        isExpired
        ? BitSet(capacity: engine.snapshot.count) : try positions(of: offer, until: deadline)
      var want = Want("offer:" + id, .set(places), amount: offer.amount ?? 0, title: offer.name)
      want.isExpired = isExpired
      return want
    }
  }

  /// The offers that a restaurant has, in order of id.
  ///
  /// - Parameter id: The restaurant's id, compared as UTF-8 bytes.
  /// - Returns: The offers; empty if there is no such restaurant.
  /// - Throws: `SnapshotError` if the file is damaged.
  /// - Complexity: O(offers).
  public func offers(ofRestaurant id: String) throws -> [Offer] {
    let (position, isExact) = engine.snapshot.lowerBound(ofID: id.utf8)
    guard isExact else { return [] }
    let category = try engine.snapshot.records.restaurant(at: position).category
    return book.offers.filter { offer in
      let (chains, categories) = (offer.chains, offer.restaurantCategories)
      return offer.restaurants.contains { $0.isUTF8Equal(to: id) }
        || chains.contains { has(position, UTF8Key($0)) }
        || category.map { !categories.isEmpty && CategoryNames(categories).contain($0) } == true
    }
  }

  private var tree: KDTree { engine.snapshot.tree }

  private func hit(
    of offer: Offer,
    _ day: CalendarDay?,
    _ count: Int,
    _ nearest: Neighbor?
  ) throws -> OfferHit {
    OfferHit(
      offer: offer,
      isExpired: offer.isExpired(on: day),
      chains: offer.chains.compactMap(book.chainName),
      placeCount: count,
      nearest: try nearest.map {
        let restaurant = try engine.snapshot.records.restaurant(at: $0.index)
        return OfferHit.Nearest(id: restaurant.id, name: restaurant.name, distance: $0.distance)
      }
    )
  }

  /// The offers that match, with or without places, in order of id.
  private func matching(_ query: OfferQuery) throws -> [Offer] {
    let words = FoldedWords(query.text).words
    // a text without letters and digits: it is the start of no word
    if words.isEmpty, !query.text.isBlank { return [] }
    let categories = CategoryNames(query.categories)
    let chain = query.chain.map { UTF8Key($0) }
    let chainName = query.chain.map { NameWords(book.chainName(of: $0) ?? $0) }
    var found: [Offer] = []
    for offer in try query.restaurant.map(offers(ofRestaurant:)) ?? book.offers {
      try query.deadline?.check()
      if !query.expired, offer.isExpired(on: query.on) { continue }
      let isOfCategory = offer.categories.contains { categories.contain($0) }
      guard categories.isEmpty || isOfCategory else { continue }
      if let chain, let chainName {
        let isNamed = offer.chains.contains { reference in
          UTF8Key(reference) == chain
            || book.chainName(of: reference).map { NameWords($0) == chainName } == true
        }
        guard isNamed else { continue }
      }
      if !words.isEmpty {
        let texts = [offer.name, offer.description ?? ""] + offer.categories
        var own = FoldedWords()
        own.addSearched(texts.joined(separator: "\n"))
        guard words.allSatisfy({ word in own.words.contains { $0.starts(with: word) } }) else {
          continue
        }
      }
      found.append(offer)
    }
    return found
  }
}
