import GeoQuery

/// The one collection, restaurants, and the schema of its features.
extension Endpoint {
  static let collections = Endpoint(
    "collections",
    "/collections",
    title: "Collections",
    summary: "The collections; there is only one.",
    parameters: [.format],
    as: [.json, .html],
    schema: "collections",
    announcement: Announcement(relation: "data", title: "The collections", order: 4),
    get: .inline { $0.collections() }
  )

  static let collection = Endpoint(
    "collection",
    "/collections/restaurants",
    title: "Restaurants",
    summary: "The collection of restaurants.",
    parameters: [.format],
    as: [.json, .html],
    schema: "collection",
    get: .inline { $0.collection() }
  )

  static let schema = Endpoint(
    "schema",
    "/collections/restaurants/schema",
    title: "Schema",
    summary: "The properties of a restaurant, as a JSON Schema.",
    parameters: [.format],
    as: [.schema, .html],
    get: .inline { $0.schema() }
  )
}

extension RequestContext {
  /// `GET /collections` (/req/core/fc-md-op).
  fileprivate func collections() -> Work.Body {
    var json = JSONWriter()
    json.raw("{")
    json.links(ownLinks)
    json.raw(",\"collections\":[")
    writeCollection(collectionLinks, to: &json)
    json.raw("]}\n")
    return Work.Body(bytes: json.bytes, links: ownLinks)
  }

  /// `GET /collections/restaurants` (/req/core/sfc-md-op): the same as its entry in the list.
  fileprivate func collection() -> Work.Body {
    let found = ownLinks + collectionLinks.filter { $0.relation != "self" }
    var json = JSONWriter()
    writeCollection(found, to: &json)
    json.raw("\n")
    return Work.Body(bytes: json.bytes, links: found)
  }

  private var collectionLinks: [Link] {
    let items = Endpoint.items.representations.map { representation in
      Link(
        relation: "items",
        // GDAL appends an id to the address of the GeoJSON, so that address must have no query
        address: links.address(
          Endpoint.items.path,
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
        address: links.address(Endpoint.schema.path),
        type: Representation.schema.plainType,
        title: "The properties of a restaurant"
      )
    }
    let own = Link(
      relation: "self",
      address: links.address(Endpoint.collection.path, [("f", "json")]),
      type: "application/json"
    )
    let licenses = generation.credits.licenses.compactMap { license in
      Credit.address(of: license).map {
        Link(relation: "license", address: $0, type: "text/html", title: license)
      }
    }
    return [own] + items + schemas + [Self.tileSetsLink(links)] + licenses
  }

  private func writeCollection(_ links: [Link], to json: inout JSONWriter) {
    json.raw("{\"id\":\"restaurants\",\"title\":\"Restaurants\",\"description\":")
    json.string("\(snapshot.count) restaurants, in the words of their feeds.")
    for member in generation.credits.members {
      json.raw(",")
      json.member(member)
    }
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
  private static let crs84 = "http://www.opengis.net/def/crs/OGC/1.3/CRS84"

  /// `GET /collections/restaurants/schema`: the schema of a Feature in `/items`, which GDAL reads.
  ///
  /// All members that a restaurant can have, whether or not a page has them: without it, clients such as GDAL
  /// learn the columns from the first page, and lose those that only later restaurants have.
  fileprivate func schema() -> Work.Body {
    var json = JSONWriter()
    json.raw("{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\",\"$id\":")
    json.string(links.address(Endpoint.schema.path))
    json.raw(",\"title\":\"Restaurant\",\"type\":\"object\",")
    json.raw("\"required\":[\"type\",\"id\",\"geometry\",\"properties\"],\"properties\":{")
    json.raw("\"type\":{\"type\":\"string\",\"const\":\"Feature\"},\"id\":{\"type\":\"string\"},")
    json.raw("\"geometry\":\(Self.point),")
    json.raw("\"properties\":{\"type\":\"object\",\"required\":[\"name\"],\"properties\":{")
    let fields = RestaurantField.allCases.compactMap { field in
      field.propertyType.map { (field.rawValue, $0) }
    }
    for (position, field) in fields.enumerated() {
      if position > 0 { json.raw(",") }
      json.name(field.0)
      json.raw(field.1)
    }
    json.raw("}}}}\n")
    return Work.Body(bytes: json.bytes)
  }

  private static let point = """
    {"type":"object","required":["type","coordinates"],"properties":{\
    "type":{"type":"string","const":"Point"},"coordinates":{"type":"array","minItems":2,\
    "maxItems":2,"items":{"type":"number"}}}}
    """
}

extension RestaurantField {
  /// The schema of the property with this key; nil if Features never have it.
  fileprivate var propertyType: String? {
    if [.id, .latitude, .longitude].contains(self) || Self.ofAnswers.contains(self) { return nil }
    return switch kind {
    case .text: "{\"type\":\"string\"}"
    case .texts: "{\"type\":\"array\",\"items\":{\"type\":\"string\"}}"
    case .real: "{\"type\":\"number\"}"
    case .whole where self == .priceLevel: "{\"type\":\"integer\",\"minimum\":1,\"maximum\":4}"
    case .whole: "{\"type\":\"integer\",\"minimum\":0}"
    case .flag: "{\"type\":\"boolean\"}"
    case .object: "{\"type\":\"object\"}"
    }
  }
}
