import GeoQuery

/// The resources of OGC API – Features Part 1 that describe the service.
extension Asked {
  private static let title = "geoq: restaurants"

  /// `GET /` (/req/core/root-op, root-success).
  func landing() -> AnswerPlan.Body {
    var json = JSONWriter()
    json.raw("{\"title\":")
    json.string(Self.title)
    json.raw(",\"description\":")
    json.string(
      "Finds the restaurants that are nearest, within a distance or in a box, and a few that together have all "
        + "that is wanted. Exact on WGS84."
    )
    json.raw(",")
    let found = [
      Link(
        relation: "service-desc",
        address: links.address("/api"),
        type: Representation.openAPI.plainType,
        title: "The API as an OpenAPI 3.0 document"
      ),
      Link(
        relation: "service-doc",
        address: links.address("/api.html"),
        type: "text/html",
        title: "The API as a page"
      ),
      Link(
        relation: "conformance",
        address: links.address("/conformance"),
        type: "application/json",
        title: "The conformance classes"
      ),
      Link(
        relation: "data",
        address: links.address("/collections"),
        type: "application/json",
        title: "The collections"
      ),
      Link(
        relation: "related",
        address: links.address(Route.lunch.path),
        type: "text/html",
        title: "The lunch page"
      ),
      Link(
        relation: "related",
        address: links.address(Route.offers.path),
        type: "application/json",
        title: "The offers and the places that have them"
      ),
      Link(
        relation: "related",
        address: links.address(Route.apiPage.path) + "#" + Route.cover.rawValue,
        type: "text/html",
        title: "A few places that together meet all wants"
      ),
      Link(
        relation: "related",
        address: links.address(Route.apiPage.path) + "#" + Route.meet.rawValue,
        type: "text/html",
        title: "Fair places for several people to meet"
      ),
    ]
    json.links(ownLinks + found)
    json.raw("}\n")
    return AnswerPlan.Body(bytes: json.bytes, links: ownLinks + found)
  }

  /// `GET /conformance` (/req/core/conformance-op).
  func conformance() -> [UInt8] {
    let base = "http://www.opengis.net/spec/ogcapi-features-1/1.0/conf/"
    let tiles = "http://www.opengis.net/spec/ogcapi-tiles-1/1.0/conf/"
    let classes =
      ["core", "geojson", "html", "oas30"].map { "\"\(base)\($0)\"" }
      + ["core", "tileset", "tilesets-list", "geodata-tilesets", "mvt"].map { "\"\(tiles)\($0)\"" }
    return Array("{\"conformsTo\":[\(classes.joined(separator: ","))]}\n".utf8)
  }

  /// `GET /collections` (/req/core/fc-md-op).
  func collections() -> AnswerPlan.Body {
    var json = JSONWriter()
    json.raw("{")
    json.links(ownLinks)
    json.raw(",\"collections\":[")
    writeCollection(Self.collectionLinks(links), to: &json)
    json.raw("]}\n")
    return AnswerPlan.Body(bytes: json.bytes, links: ownLinks)
  }

  /// `GET /collections/restaurants` (/req/core/sfc-md-op): the same as its entry in the list.
  func collection() -> AnswerPlan.Body {
    let found = ownLinks + Self.collectionLinks(links).filter { $0.relation != "self" }
    var json = JSONWriter()
    writeCollection(found, to: &json)
    json.raw("\n")
    return AnswerPlan.Body(bytes: json.bytes, links: found)
  }

  /// `self` and `alternate` of this resource.
  var ownLinks: [Link] {
    links.selfLinks(route.path, pairs, as: representation, of: route.representations)
  }

  private static func collectionLinks(_ links: LinkBase) -> [Link] {
    let items = Route.items.representations.map { representation in
      Link(
        relation: "items",
        // GDAL appends an id to the address of the GeoJSON, so that address must have no query
        address: links.address(
          Route.items.path,
          representation == .geojson ? [] : [("f", representation.formatName)]
        ),
        type: representation.plainType,
        title: "The restaurants"
      )
    }
    // GDAL 3.6 looks for the second spelling
    let schemas = ["describedby", "describedBy"].map { relation in
      Link(
        relation: relation,
        address: links.address(Route.schema.path),
        type: Representation.schema.plainType,
        title: "The properties of a restaurant"
      )
    }
    let own = Link(
      relation: "self",
      address: links.address(Route.collection.path, [("f", "json")]),
      type: "application/json"
    )
    return [own] + items + schemas + [tileSetsLink(links)]
  }

  private func writeCollection(_ links: [Link], to json: inout JSONWriter) {
    json.raw("{\"id\":\"restaurants\",\"title\":\"Restaurants\",\"description\":")
    json.string("\(snapshot.count) restaurants, in the words of their feeds.")
    if let extent = snapshot.shownExtent {
      json.raw(",\"extent\":{\"spatial\":{\"bbox\":[")
      json.boundingBox(extent)
      json.raw("],\"crs\":\"\(Self.crs84)\"}}")
    }
    json.raw(",\"itemType\":\"feature\",\"crs\":[\"\(Self.crs84)\"],")
    json.links(links)
    json.raw("}")
  }

  /// /req/core/crs84.
  static let crs84 = "http://www.opengis.net/def/crs/OGC/1.3/CRS84"
}
