import GeoIndex
import GeoQuery

extension Endpoint {
  static let why = Endpoint(
    "why",
    "/why/{id}",
    summary:
      "Why a restaurant is in the answer to a query or not, and what would have it in. With lat, lon and "
      + "radius the query is that of /radius, with lat and lon that of /nearest, with bbox that of /bbox.",
    path: [.restaurantID],
    parameters: [
      .latitude.optional("Degrees north of the point to measure from; requires lon."),
      .longitude.optional("Degrees east of the point to measure from; requires lat."),
      .optionalRadius, .count, .maximumDistance, .box, .boxCRS,
    ] + Parameter.filters + [.ids, .sortByAny, .largeLimit, .cursor, .offset],
    schema: "explanation",
    get: .work { try $0.why() }
  )
}

extension RequestContext {
  fileprivate func why() throws -> Work {
    let id = path("id")
    guard snapshot.lowerBound(ofID: id.utf8).isExact else {
      throw Problem.noRestaurant(id)
    }
    let query = try query(in: parameters.anyRegion())
    // the filter once as a whole, and each part of it that may fail
    return Work(on: query.filter.readsRecords ? .plans : .longQueries) { deadline in
      let found = try generation.engine.explain(id, in: query.until(deadline))
      let own = Link("self", links.address(endpoint.path(id: id), pairs))
      let item = links.address(Endpoint.item.path(id: id))
      return Work.Body(
        found.json,
        links: [own, Link("related", item, Representation.geojson.plainType)]
      )
    }
  }
}

extension Parameters {
  /// The region of `/radius`, `/nearest` or `/bbox`, whichever has these parameters; otherwise everywhere.
  ///
  /// - Throws: `Problem` 400 if the parameters do not go together.
  func anyRegion() throws -> Query.Region {
    let isPoint = [Parameter.latitude, .longitude].contains { text($0) != nil }
    let isNearest = [Parameter.count, .maximumDistance].first { text($0) != nil }
    if text(.radius) != nil || !isPoint {
      if let isNearest {
        let reason = isPoint ? "does not go with radius" : "needs lat and lon, and no radius"
        throw Problem.invalid(isNearest.name, reason)
      }
      return try region()
    }
    if text(.box) != nil { throw Problem.invalid("bbox", "does not go with lat and lon") }
    return try nearestRegion()
  }
}
