import GeoIndex
import GeoQuery

/// The offers, and the places that have them.
extension Endpoint {
  static let offers = Endpoint(
    "offers",
    "/offers",
    title: "Offers",
    summary:
      "The offers and the places that have them, sorted by id, or from a point by the distance of the "
      + "nearest place.",
    parameters: [.offerWords, .offerCategory, .chain, .ofRestaurant, .on, .expired]
      + [.optionalPointLatitude, .optionalPointLongitude]
      + [.maximumDistance, .offerLimit, .offset, .anyFormat],
    as: [.json, .html, .csv],
    schema: "offers",
    dependsOn: [.offers],
    announcement: Announcement(title: "The offers and the places that have them", order: 6),
    get: .work { try $0.offers() }
  )

  static let offer = Endpoint(
    "offer",
    "/offers/{id}",
    title: "Offers",
    summary: "One offer and the places that have it.",
    path: [.offerID],
    parameters: [.on, .optionalPointLatitude, .optionalPointLongitude, .format],
    as: [.json, .html],
    schema: "offer",
    dependsOn: [.offers],
    get: .work { try $0.offer() }
  )
}

extension Parameter {
  static let offerWords = Parameter("q", .filter) {
    "Only offers in which each of these words starts a word in name, description or categories; at most "
      + "\(ServiceLimits.textLength) bytes of UTF-8."
  }

  static let offerCategory = Parameter("category", .filters) {
    "Only offers of this category of their own, without regard to case and accents. Any of several "
      + "is a comma list, of at most \(ServiceLimits.listEntries)."
  }

  static let chain = Parameter("chain", .filter) {
    "Only offers that name this chain, by its id or its name."
  }

  static let ofRestaurant = Parameter("restaurant", .text) {
    "Only offers that this restaurant has, by its id."
  }

  static let on = Parameter("on", .day) {
    "The day to ask for; offers that have ended before it do not count. Without it: today, by the "
      + "server's clock."
  }

  static let expired = Parameter("expired", .word(["true"])) {
    "Offers that have ended count too."
  }

  static let optionalPointLatitude = latitude.optional(
    "Degrees north of the point to measure from; with lon."
  )

  static let optionalPointLongitude = longitude.optional(
    "Degrees east of the point to measure from; with lat."
  )

  static let offerLimit = Parameter(
    "limit",
    .integer(1...ServiceLimits.offers, clamps: true),
    default: "100"
  ) {
    "Maximum number of offers; values above the maximum give the maximum."
  }
}

extension RequestContext {
  fileprivate func offers() throws -> Work {
    let query = try offerQuery()
    return Work(on: query.center == nil ? .queries : longExecutor) { deadline in
      var query = query
      query.deadline = deadline
      let page = try generation.offerPlaces().page(query)
      let pages = offerPageLinks(query, page)
      if representation == .csv {
        let bytes = page.csv(hasCenter: query.center != nil)
        return Work.Body(bytes: bytes, hits: page.hits.count, links: pages)
      }
      let found = ownLinks + pages
      var json = JSONWriter()
      json.raw("{\"numberMatched\":\(page.total),\"numberReturned\":\(page.hits.count),")
      json.links(found)
      json.raw(",\"offers\":")
      json.lines(page.hits) { $0.value(.object($1.members)) }
      return Work.Body(bytes: json.bytes, hits: page.hits.count, links: found)
    }
  }

  fileprivate func offer() throws -> Work {
    let offer = try namedOffer()
    let center = try offerPoint()
    return Work(on: .queries) { deadline in
      let places = try generation.offerPlaces()
      let hit = try places.hit(of: offer, near: center, on: day, until: deadline)
      let json = Array(JSONWriter.of(.object(hit.members)).utf8)
      return member(json, of: .offers, pairs, hits: 1)
    }
  }

  /// The offer that the path names.
  ///
  /// - Throws: `Problem` 404 if there is none.
  func namedOffer() throws -> Offer {
    let id = path("id")
    guard let offer = try generation.offers().offer(id: id) else {
      throw Problem.notFound("there is no offer \(quoted(id))")
    }
    return offer
  }

  /// The day for which offers are asked.
  var day: CalendarDay { parameters.text(.on).flatMap(CalendarDay.init(parsing:)) ?? .today }

  /// The threads for an answer that may have to find the places of every offer.
  var longExecutor: Work.Executor {
    snapshot.count > ServiceLimits.features ? .plans : .queries
  }

  /// The query for offers.
  ///
  /// - Throws: `Problem` 400.
  private func offerQuery() throws -> OfferQuery {
    var query = OfferQuery()
    query.text = parameters.text(.offerWords) ?? ""
    query.categories = parameters.texts(.offerCategory) ?? []
    query.chain = parameters.text(.chain)
    query.restaurant = parameters.text(.ofRestaurant)
    query.on = day
    query.expired = parameters.text(.expired) != nil
    query.center = try offerPoint()
    if let maximum = parameters.number(.maximumDistance) {
      guard query.center != nil else { throw Problem.invalid("max", "goes with lat and lon") }
      query.maximumDistance = maximum
    }
    query.limit = parameters.integer(.offerLimit)
    query.offset = parameters.integer(.offset)
    return query
  }

  /// The point of `lat` and `lon`; nil without them.
  ///
  /// - Throws: `Problem` 400 if only one is given.
  private func offerPoint() throws -> Coordinate? {
    let (north, east) = (
      parameters.text(.optionalPointLatitude), parameters.text(.optionalPointLongitude)
    )
    if north == nil, east == nil { return nil }
    guard north != nil else { throw Problem.invalid("lat", "must be given with lon") }
    guard east != nil else { throw Problem.invalid("lon", "must be given with lat") }
    return try parameters.point()
  }

  /// `prev` and `next`, if there are such pages.
  private func offerPageLinks(_ query: OfferQuery, _ page: OfferPage) -> [Link] {
    let limit = query.limit ?? ServiceLimits.offers
    var found: [Link] = []
    if query.offset > 0 {
      let start = max(0, min(query.offset, page.total) - limit)
      found.append(pageLink("prev", .offset, at: "\(start)"))
    }
    let end = query.offset + page.hits.count
    if !page.hits.isEmpty, end < page.total {
      found.append(pageLink("next", .offset, at: "\(end)"))
    }
    return found
  }
}
