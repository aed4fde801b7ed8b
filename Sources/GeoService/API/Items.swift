import GeoQuery

/// The restaurants in pages, and one of them (OGC API – Features).
extension Endpoint {
  static let items = Endpoint(
    "items",
    "/collections/restaurants/items",
    title: "Restaurants",
    summary: "Restaurants in pages, sorted by id unless sortby is given.",
    parameters: [.limit, .box, .boxCRS, .crs, .datetime] + Parameter.filters
      + [.filterCRS, .ids, .sortBy, .cursor, .offset, .mark, .anyFormat],
    as: [.geojson, .html, .csv],
    schema: "featureCollection",
    dependsOn: [.time],
    conformsTo: ["core", "geojson", "html", "oas30"].map {
      "http://www.opengis.net/spec/ogcapi-features-1/1.0/conf/" + $0
    },
    get: .work { try $0.items() }
  )

  static let item = Endpoint(
    "item",
    "/collections/restaurants/items/{id}",
    summary: "One restaurant.",
    path: [.restaurantID],
    parameters: [.crs, .format],
    as: [.geojson, .html],
    schema: "feature",
    get: .work { try $0.item() }
  )
}

extension RequestContext {
  /// `GET /collections/restaurants/items` (/req/core/fc-op).
  fileprivate func items() throws -> Work {
    if let time = parameters.text(.datetime) { try TimeText.check(time) }
    let most = representation == .html ? ServiceLimits.featuresOfPage : .max
    let query = try query(in: parameters.region(), atMost: most)
    // a page far down in an order that is not the index's needs a part of the others sorted
    let isDeep = query.offset > ServiceLimits.features && query.order != nil
    let count = min(query.limit ?? .max, snapshot.count)
    let isLong = isDeep || executor(forAtMost: count) == .longQueries
    return Work(on: executor(for: query.filter, isLong: isLong)) { deadline in
      let link = Link("collection", links.address(.collection))
      return try collection(of: query.until(deadline), ownLinks + [link])
    }
  }

  /// `GET /collections/restaurants/items/{id}` (/req/core/f-op, f-links).
  fileprivate func item() throws -> Work {
    let id = path("id")
    let found = snapshot.lowerBound(ofID: id.utf8)
    guard found.isExact else {
      throw Problem.noRestaurant(id)
    }
    return Work(on: .inline) { _ in
      var bytes: [UInt8] = []
      snapshot.appendFeature(at: found.position, to: &bytes)
      return member(bytes, of: .collection)
    }
  }
}
