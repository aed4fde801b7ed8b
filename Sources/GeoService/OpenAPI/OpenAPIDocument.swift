import GeoQuery

/// The OpenAPI 3.0 document (/req/oas30), written from the table of routes, so that it declares
/// exactly what exists.
struct OpenAPIDocument {
  /// Builds the address of the service.
  let base: LinkBase

  /// The declared routes.
  let routes: [Route]

  /// The document.
  var bytes: [UInt8] {
    var json = JSONWriter()
    json.raw(
      "{\"openapi\":\"3.0.3\",\"info\":{\"title\":\"geoq: restaurants\",\"version\":\"1.0.0\","
    )
    json.raw("\"description\":")
    json.string(
      "Finds the restaurants that are nearest, within a distance or in a box, and a few that together have all "
        + "that is wanted. Exact on the WGS84 ellipsoid. "
        + "OGC API - Features Part 1 and simple endpoints. Distances are in meters; boundaries are inclusive."
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

  private func write(operation route: Route, to json: inout JSONWriter) {
    json.raw("\"get\":{\"operationId\":\"\(route.rawValue)\",\"summary\":")
    json.string(route.summary)
    json.raw(",\"parameters\":[")
    var isFirst = true
    if route == .item || route == .offer {
      json.raw(route == .item ? OpenAPIText.idParameter : OpenAPIText.offerIDParameter)
      isFirst = false
    }
    if route == .image {
      json.raw(OpenAPIText.idParameter + "," + OpenAPIText.imageNumber)
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

  private static func write(_ parameter: Parameter, to json: inout JSONWriter) {
    json.raw(
      "{\"name\":\"\(parameter.name)\",\"in\":\"query\",\"required\":\(parameter.isRequired),"
    )
    json.raw("\"style\":\"form\",\"explode\":\(parameter.maximumTimes > 1),\"description\":")
    json.string(parameter.summary)
    let list =
      "{\"type\":\"array\",\"minItems\":1,\"maxItems\":\(parameter.maximumTimes),\"items\":"
    let schema = parameter.schema
    json.raw(",\"schema\":\(parameter.maximumTimes > 1 ? list + schema + "}" : schema)}")
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
      // the official test suite requires exactly this
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
  /// The summary of the route, in a sentence.
  var summary: String {
    switch self {
    case .landing: "Links to all resources."
    case .conformance: "The conformance classes."
    case .api: "This document."
    case .apiPage: "This document as a page."
    case .collections: "The collections; there is only one."
    case .collection: "The collection of restaurants."
    case .items: "Restaurants in pages, sorted by id unless sortby is given."
    case .item: "One restaurant."
    case .schema: "The properties of a restaurant, as a JSON Schema."
    case .nearest: "The nearest restaurants, sorted by (distance, id) unless sortby is given."
    case .radius:
      "The restaurants within a distance, sorted by (distance, id) unless sortby is given."
    case .box: "The restaurants in a box, sorted by id unless sortby is given."
    case .countRadius: "The number of restaurants within a distance."
    case .countBox: "The number of restaurants in a box."
    case .facets: "The number of restaurants by each value of a field, the most frequent first."
    case .cover:
      "A few places that together meet the most wants; with rank or frontier, single places."
    case .meet: "The places closest to several people together, sorted by (cost, id)."
    case .offers:
      "The offers and the places that have them, sorted by id, or from a point by the distance of the nearest place."
    case .offer: "One offer and the places that have it."
    case .tile, .tileOfSet:
      "A tile of a map as a Mapbox Vector Tile: restaurants, or clusters of them with exact counts."
    case .density: "The number of restaurants in each cell of a grid: a tile of a zoom is a cell."
    case .basemap: "The map under the restaurants, as TileJSON 3.0: the file of --tiles."
    case .basemapTile: "A tile of that map, in the file's own format."
    case .tileJSON: "The addresses and contents of the tiles, as TileJSON 3.0."
    case .style: "A MapLibre style of the tiles."
    case .tileSets: "The tile sets of the collection; there is only one."
    case .tileSet: "The tiles of the collection in WebMercatorQuad."
    case .favorites:
      "The favorites, sorted by id unless sortby is given; those that have left their feed are marked."
    case .favorite: "Adds (PUT) or removes (DELETE) a favorite."
    case .session: "Opens a session: a cookie for the service's token."
    case .health: "Whether data is being served, and which generation."
    case .ready: "Whether requests can be answered."
    case .metrics: "Counters in Prometheus' text format."
    case .image: "An image of a restaurant, from a host or a folder that the service knows."
    case .icon: "The icon that browsers show next to a page's title."
    case .lunch, .map, .restaurantPage, .favoritesPage, .internets, .pageSession, .licenses,
      .pageStyle, .pageScript, .mapScript, .mapLand, .mapLibrary, .mapLibraryStyle:
      "A part of the lunch page."
    case .wantsPage, .offersPage, .offerPage, .meetPage, .shortListPage, .pageSessionEnd:
      "A part of the lunch page."
    }
  }

  /// The statuses other than 200.
  var statuses: [Int] {
    let own: [Int] =
      switch self {
      case .item, .offer: [304, 404]
      case .image: [304, 404]
      case .landing: [303, 304, 401]
      case .tile, .tileOfSet: [204, 304, 401, 404]
      case .basemapTile: [204, 304, 404]
      case .density: [304, 401]
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
    if [.icon, .tile, .anyTile, .image].contains(representation) {
      return "bytes"
    }
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
    case .density: "density"
    case .cover: "cover"
    case .meet: "meeting"
    case .offers: "offers"
    case .offer: "offer"
    default: "object"
    }
  }
}
