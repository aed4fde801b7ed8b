import GeoIndex
import GeoQuery
import HTTPTypes

/// The offers, and the places that have them.
extension Endpoint {
  static let offers = Endpoint(
    "offers",
    "/offers",
    title: "Offers",
    summary:
      "The offers and the places that have them, sorted by id, or from a point by the distance of the "
      + "nearest place.",
    parameters: [.offerWords, .offerCategory, .chain, .ofRestaurant]
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
    parameters: [.optionalPointLatitude, .optionalPointLongitude, .format],
    as: [.json, .html],
    schema: "offer",
    dependsOn: [.offers],
    get: .work { try $0.offer() }
  )
}

/// The parameters of offers.
extension Parameter {
  static let offerWords = Parameter(
    name: "q",
    summary:
      "Only offers in which each of these words starts a word in name, description or categories; at most "
      + "\(ServiceLimits.textLength) bytes of UTF-8.",
    kind: .filter
  )

  static let offerCategory = Parameter(
    name: "category",
    summary:
      "Only offers of this category of their own, without regard to case and accents. Any of several "
      + "is a comma list, of at most \(ServiceLimits.listEntries).",
    kind: .filters
  )

  static let chain = Parameter(
    name: "chain",
    summary: "Only offers that name this chain, by its id or its name.",
    kind: .filter
  )

  static let ofRestaurant = Parameter(
    name: "restaurant",
    summary: "Only offers that this restaurant has, by its id.",
    kind: .text
  )

  static let optionalPointLatitude = latitude.optional(
    "Degrees north of the point to measure from; with lon."
  )

  static let optionalPointLongitude = longitude.optional(
    "Degrees east of the point to measure from; with lat."
  )

  static let offerLimit = Parameter(
    name: "limit",
    summary: "Maximum number of offers; values above the maximum give the maximum.",
    kind: .integer(1...ServiceLimits.offers, clamps: true),
    defaultValue: "100"
  )
}

extension RequestContext {
  /// `GET /offers`.
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
      json.raw(",\"offers\":[")
      for (index, hit) in page.hits.enumerated() {
        json.raw(index == 0 ? "\n" : ",\n")
        json.raw(JSONWriter.of(.object(hit.members)))
      }
      json.raw(page.hits.isEmpty ? "]}\n" : "\n]}\n")
      return Work.Body(bytes: json.bytes, hits: page.hits.count, links: found)
    }
  }

  /// `GET /offers/{id}`.
  fileprivate func offer() throws -> Work {
    let id = path("id")
    guard let offer = try generation.offers().offer(id: id) else {
      throw Problem(.notFound, "NotFound", "there is no offer \(quoted(id))")
    }
    let center = try offerPoint()
    return Work(on: .queries) { deadline in
      let hit = try generation.offerPlaces().hit(of: offer, near: center, until: deadline)
      let path = Endpoint.offers.path + "/" + PercentCoding.encoded(id)
      let found =
        links.selfLinks(path, pairs, as: representation, of: endpoint.representations)
        + [
          Link(
            relation: "collection",
            address: links.address(Endpoint.offers.path),
            type: "application/json"
          )
        ]
      let text = JSONWriter.of(.object(hit.members))
      var json = JSONWriter()
      // adds the links before the last brace
      json.raw(String(text.dropLast()) + ",")
      json.links(found)
      json.raw("}\n")
      return Work.Body(bytes: json.bytes, hits: 1, links: found)
    }
  }

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
    query.categories = parameters.texts(.offerCategory)
    query.chain = parameters.text(.chain)
    query.restaurant = parameters.text(.ofRestaurant)
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
    return parameters.point
  }

  /// `prev` and `next`, if there are such pages.
  private func offerPageLinks(_ query: OfferQuery, _ page: OfferPage) -> [Link] {
    let limit = query.limit ?? ServiceLimits.offers
    var found: [Link] = []
    if query.offset > 0 {
      found.append(offerPageLink("prev", at: max(0, min(query.offset, page.total) - limit)))
    }
    let end = query.offset + page.hits.count
    if !page.hits.isEmpty, end < page.total { found.append(offerPageLink("next", at: end)) }
    return found
  }

  private func offerPageLink(_ relation: String, at offset: Int) -> Link {
    let others = pairs.filter { $0.name != Parameter.offset.name }
    let format = (name: Parameter.format.name, value: representation.formatName)
    return Link(
      relation: relation,
      address: links.address(
        endpoint.path,
        others + [(name: Parameter.offset.name, value: "\(offset)"), format]
      ),
      type: representation.plainType,
      title: relation == "prev" ? "Previous page" : "Next page"
    )
  }
}
