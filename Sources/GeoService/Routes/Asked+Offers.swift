import GeoIndex
import GeoQuery
import HTTPTypes

extension Asked {
  /// `GET /offers`.
  func offers() throws -> AnswerPlan {
    let query = try offerQuery()
    return AnswerPlan(at: query.center == nil ? .pool : longPlace) { deadline in
      var query = query
      query.deadline = deadline
      let page = try generation.offerPlaces().page(query)
      let found = ownLinks + offerPageLinks(query, page)
      var json = JSONWriter()
      json.raw("{\"numberMatched\":\(page.total),\"numberReturned\":\(page.hits.count),")
      json.links(found)
      json.raw(",\"offers\":[")
      for (index, hit) in page.hits.enumerated() {
        json.raw(index == 0 ? "\n" : ",\n")
        json.raw(JSONWriter.of(.object(hit.members)))
      }
      json.raw(page.hits.isEmpty ? "]}\n" : "\n]}\n")
      return AnswerPlan.Body(bytes: json.bytes, hits: page.hits.count, links: found)
    }
  }

  /// `GET /offers/{id}`.
  func offer() throws -> AnswerPlan {
    let id = id ?? ""
    guard let offer = try generation.offers().offer(id: id) else {
      throw Problem(.notFound, "NotFound", "there is no offer \(quoted(id))")
    }
    let center = try offerPoint()
    return AnswerPlan(at: .pool) { deadline in
      let hit = try generation.offerPlaces().hit(of: offer, near: center, until: deadline)
      let path = Route.offers.path + "/" + PercentCoding.encoded(id)
      let found =
        links.selfLinks(path, pairs, as: representation, of: route.representations)
        + [
          Link(
            relation: "collection",
            address: links.address(Route.offers.path),
            type: "application/json"
          )
        ]
      let text = JSONWriter.of(.object(hit.members))
      var json = JSONWriter()
      // adds the links before the last brace
      json.raw(String(text.dropLast()) + ",")
      json.links(found)
      json.raw("}\n")
      return AnswerPlan.Body(bytes: json.bytes, hits: 1, links: found)
    }
  }

  /// Identifies the offers that the answer depends on; empty if it does not depend on offers.
  var offersRevision: String { route.usesOffers ? "\(generation.book.revision)" : "" }

  /// The threads for an answer that may have to find the places of every offer.
  var longPlace: AnswerPlan.Place {
    snapshot.count > ServiceLimits.features ? .planPool : .pool
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
        route.path,
        others + [(name: Parameter.offset.name, value: "\(offset)"), format]
      ),
      type: representation.plainType,
      title: relation == "prev" ? "Previous page" : "Next page"
    )
  }
}
