import GeoQuery

/// The OpenAPI 3.0 document (/req/oas30): written from the table of routes, so that it declares what
/// there is and nothing else.
struct OpenAPIDocument {
  /// Where the service is.
  let base: LinkBase

  /// What it declares.
  let routes: [Route]

  /// The document.
  var bytes: [UInt8] {
    var json = JSONText()
    json.raw(
      "{\"openapi\":\"3.0.3\",\"info\":{\"title\":\"geoq: restaurants\",\"version\":\"1.0.0\","
    )
    json.raw("\"description\":")
    json.string(
      "Which restaurants are nearest, within a distance or in a box, and which few together have all "
        + "that is wanted, exact on the WGS84 ellipsoid. "
        + "OGC API - Features Part 1 and plain endpoints; distances in metres; boundaries count."
    )
    json.raw(",\"license\":{\"name\":\"Apache-2.0\"}},\"servers\":[{\"url\":")
    json.string(base.base)
    json.raw("}],\"paths\":{")
    for (position, route) in routes.enumerated() {
      if position > 0 { json.raw(",") }
      json.name(route.path)
      json.raw("{")
      switch route {
      case .favorite: json.raw(OpenAPIText.favoriteChanges)
      case .session: json.raw(OpenAPIText.session)
      default: write(operation: route, to: &json)
      }
      if route == .nearest { json.raw(",\"post\":\(OpenAPIText.nearestBatch)") }
      if route == .cover { json.raw(",\"post\":\(OpenAPIText.coverOfBody)") }
      json.raw("}")
    }
    json.raw("},\"components\":\(OpenAPIText.components)}\n")
    return json.bytes
  }

  private func write(operation route: Route, to json: inout JSONText) {
    json.raw("\"get\":{\"operationId\":\"\(route.rawValue)\",\"summary\":")
    json.string(route.summary)
    json.raw(",\"parameters\":[")
    var isFirst = true
    if route == .item || route == .offer {
      json.raw(route == .item ? OpenAPIText.idParameter : OpenAPIText.offerIDParameter)
      isFirst = false
    }
    if route.isTile {
      json.raw(OpenAPIText.tileParameters(route.pathNames))
      isFirst = false
    }
    for parameter in route.parameters(keepsFavorites: routes.contains(.favorites)) {
      if !isFirst { json.raw(",") }
      isFirst = false
      Self.write(parameter, to: &json)
    }
    json.raw("],\"responses\":{\"200\":{\"description\":\"The answer.\",\"content\":{")
    for (position, representation) in route.representations.enumerated() {
      if position > 0 { json.raw(",") }
      json.name(representation.plainType)
      json.raw(
        "{\"schema\":{\"$ref\":\"#/components/schemas/\(route.schema(as: representation))\"}}"
      )
    }
    json.raw("}}")
    for status in route.statuses { json.raw(",\"\(status)\":\(OpenAPIText.response(status))") }
    json.raw("}}")
  }

  private static func write(_ parameter: Parameter, to json: inout JSONText) {
    json.raw(
      "{\"name\":\"\(parameter.name)\",\"in\":\"query\",\"required\":\(parameter.isRequired),"
    )
    json.raw("\"style\":\"form\",\"explode\":\(parameter.mostTimes > 1),\"description\":")
    json.string(parameter.summary)
    let list = "{\"type\":\"array\",\"minItems\":1,\"maxItems\":\(parameter.mostTimes),\"items\":"
    let schema = parameter.schema
    json.raw(",\"schema\":\(parameter.mostTimes > 1 ? list + schema + "}" : schema)}")
  }
}

extension Parameter {
  /// The JSON schema of the value.
  fileprivate var schema: String {
    let initial = defaultValue.map { ",\"default\":\($0)" } ?? ""
    switch kind {
    case .number(let range):
      return "{\"type\":\"number\",\"minimum\":\(Int(range.lowerBound)),"
        + "\"maximum\":\(Int(range.upperBound))\(initial)}"
    case .distance(let range):
      return "{\"anyOf\":[{\"type\":\"number\",\"minimum\":\(Int(range.lowerBound)),"
        + "\"maximum\":\(Int(range.upperBound))},"
        + "{\"type\":\"string\",\"pattern\":\"^[0-9.]+ ?(m|km|mi|ft)$\"}]}"
    case .integer(let range, _):
      return "{\"type\":\"integer\",\"minimum\":\(range.lowerBound),"
        + "\"maximum\":\(range.upperBound)\(initial)}"
    case .box:
      // the official test suite looks for exactly this
      return "{\"type\":\"array\",\"minItems\":4,\"maxItems\":6,\"items\":{\"type\":\"number\"}}"
    case .text: return "{\"type\":\"string\",\"minLength\":1}"
    case .filter, .want: return OpenAPIText.filter
    case .point: return OpenAPIText.latitudeLongitude
    case .conditions: return "{\"type\":\"string\",\"minLength\":1}"
    case .ids:
      return "{\"type\":\"array\",\"minItems\":1,\"maxItems\":\(ServiceLimits.ids),"
        + "\"items\":{\"type\":\"string\",\"minLength\":1}}"
    case .filters:
      return "{\"type\":\"array\",\"minItems\":1,\"maxItems\":\(ServiceLimits.listEntries),"
        + "\"items\":\(OpenAPIText.filter)}"
    case .word(let words):
      let list = words.map { "\"\($0)\"" }.joined(separator: ",")
      return "{\"type\":\"string\",\"enum\":[\(list)]}"
    }
  }
}

extension Route {
  /// What it does, in a sentence.
  var summary: String {
    switch self {
    case .landing: "What there is, as links."
    case .conformance: "What the service conforms to."
    case .api: "This document."
    case .apiPage: "This document for people."
    case .collections: "The collections: there is one."
    case .collection: "The collection of restaurants."
    case .items: "Restaurants, page by page, by id unless sorted."
    case .item: "One restaurant."
    case .schema: "What is known of a restaurant, as a JSON Schema."
    case .nearest: "The nearest restaurants, in order of (distance, id) unless sorted."
    case .radius: "The restaurants within a distance, in order of (distance, id) unless sorted."
    case .box: "The restaurants in a box, by id unless sorted."
    case .countRadius: "How many restaurants are within a distance."
    case .countBox: "How many restaurants are in a box."
    case .facets: "How many restaurants have each value of a field, the most frequent first."
    case .cover:
      "The few places that together have most of what is wanted; with rank or frontier single places."
    case .meet: "The places with the least way for several people, in order of (cost, id)."
    case .offers:
      "The offers and where each is had, by id, or from a point by the distance of the nearest place."
    case .offer: "One offer, and where it is had."
    case .tile, .tileOfSet:
      "A tile of a map as a Mapbox Vector Tile: restaurants, or clusters of them with exact counts."
    case .tileJSON: "Where the tiles are and what is in them, as TileJSON 3.0."
    case .style: "A MapLibre style of the tiles."
    case .tileSets: "The tile sets of the collection: there is one."
    case .tileSet: "The tiles of the collection in WebMercatorQuad."
    case .favorites:
      "The favorites, by id unless sorted; those that have left their feed are marked."
    case .favorite: "Makes a restaurant a favorite (PUT), or ends that (DELETE)."
    case .session: "Opens a session: a cookie for the service's token."
    case .health: "Whether data is being served, and which."
    case .ready: "Whether requests can be answered."
    case .metrics: "Counters in Prometheus' text format."
    case .icon: "The picture that browsers show beside a page's title."
    case .lunch, .restaurantPage, .favoritesPage, .internets, .pageSession, .pageStyle, .pageScript:
      "A part of the lunch page."
    }
  }

  /// The statuses besides 200.
  var statuses: [Int] {
    let own: [Int] =
      switch self {
      case .item, .offer: [304, 404]
      case .landing: [303, 304, 401]
      case .tile, .tileOfSet: [204, 304, 401, 404]
      case .tileJSON, .style, .tileSets, .tileSet: [304, 401]
      case .favorites, .metrics: [401]
      case .items, .nearest, .radius, .box, .countRadius, .countBox, .facets, .meet: [304, 401]
      case .favorite, .session, .health, .ready: []
      default: [304]
      }
    return own + [400, 405, 406, 408, 414, 421, 431, 500, 501, 503, 505]
  }

  fileprivate func schema(as representation: Representation) -> String {
    if representation == .html || representation == .prometheus { return "text" }
    if representation == .icon || representation == .tile { return "bytes" }
    if representation == .geojson, self == .cover || self == .meet { return "featureCollection" }
    return switch self {
    case .items, .nearest, .radius, .box, .favorites: "featureCollection"
    case .item: "feature"
    case .landing: "landing"
    case .conformance: "conformance"
    case .collections: "collections"
    case .collection: "collection"
    case .countRadius, .countBox: "count"
    case .facets: "facets"
    case .cover: "cover"
    case .meet: "meeting"
    case .offers: "offers"
    case .offer: "offer"
    default: "object"
    }
  }
}
