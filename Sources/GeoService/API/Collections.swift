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

  static let queryables = Endpoint(
    "queryables",
    "/collections/restaurants/queryables",
    title: "Queryables",
    summary: "What filters can test, as a JSON Schema.",
    parameters: [.format],
    as: [.schema, .html],
    conformsTo: FilterExpression.cql2Conformance
      + ["queryables", "filter", "features-filter"].map {
        "http://www.opengis.net/spec/ogcapi-features-3/1.0/conf/\($0)"
      },
    get: .inline { $0.queryables() }
  )
}

extension RequestContext {
  /// `GET /collections` (/req/core/fc-md-op).
  fileprivate func collections() -> Work.Body {
    Work.Body(
      ["links": .links(ownLinks), "collections": [description(collectionLinks)]],
      links: ownLinks
    )
  }

  /// `GET /collections/restaurants` (/req/core/sfc-md-op): the same as its entry in the list.
  fileprivate func collection() -> Work.Body {
    let found = ownLinks + collectionLinks.filter { $0.relation != "self" }
    return Work.Body(description(found), links: found)
  }

  private var collectionLinks: [Link] {
    let items = Endpoint.items.representations.map { format in
      // GDAL appends an id to the address of the GeoJSON, so that address must have no query
      let query = format == .geojson ? [] : [("f", format.formatName)]
      return Link("items", links.address(.items, query), format.plainType, title: "The restaurants")
    }
    // GDAL 3.6 looks for the second spelling
    let schemas = ["describedby", "describedBy"].map { relation in
      Link(
        relation,
        links.address(.schema),
        Representation.schema.plainType,
        title: "The properties of a restaurant"
      )
    }
    let own = Link("self", links.address(.collection, [("f", "json")]))
    let licenses = generation.credits.licenses.compactMap { license in
      Credit.address(of: license).map { Link("license", $0, "text/html", title: license) }
    }
    let queryables = Link(
      "http://www.opengis.net/def/rel/ogc/1.0/queryables",
      links.address(.queryables),
      Representation.schema.plainType,
      title: "What filters can test"
    )
    return [own] + items + schemas + [queryables] + [Self.tileSetsLink(links)] + licenses
  }

  /// The entry of the collection.
  private func description(_ links: [Link]) -> JSONValue {
    var members: [JSONMember] = []
    members.add("id", "restaurants")
    members.add("title", "Restaurants")
    members.add("description", "\(snapshot.count) restaurants, in the words of their feeds.")
    members += generation.credits.members
    members.add(
      "extent",
      snapshot.shownExtent.map { extent -> JSONValue in
        ["spatial": ["bbox": [.numbers(extent.readableSides)], "crs": .string(Self.crs84)]]
      }
    )
    members.add("itemType", "feature")
    members.add("crs", [Self.crs84])
    members.add("links", JSONValue.links(links))
    return .object(members)
  }

  /// /req/core/crs84.
  private static let crs84 = "http://www.opengis.net/def/crs/OGC/1.3/CRS84"

  /// `GET /collections/restaurants/schema`: the schema of a Feature in `/items`, which GDAL reads.
  ///
  /// All members that a restaurant can have, whether or not a page has them: without it, clients such as GDAL
  /// learn the columns from the first page, and lose those that only later restaurants have.
  fileprivate func schema() -> Work.Body {
    let properties = RestaurantField.allCases.compactMap { field in
      field.propertyType.map { JSONMember(name: field.rawValue, value: $0) }
    }
    return Work.Body([
      "$schema": "https://json-schema.org/draft/2020-12/schema",
      "$id": .string(links.address(.schema)), "title": "Restaurant", "type": "object",
      "required": ["type", "id", "geometry", "properties"],
      "properties": [
        "type": ["type": "string", "const": "Feature"], "id": ["type": "string"],
        "geometry": Self.point,
        "properties": ["type": "object", "required": ["name"], "properties": .object(properties)],
      ],
    ])
  }

  /// `GET /collections/restaurants/queryables` (OGC 19-079r2, /req/queryables/get-queryables-op).
  fileprivate func queryables() -> Work.Body {
    Work.Body(.object(Queryables.schema(id: links.address(.queryables), title: "Restaurants")))
  }

  private static let point: JSONValue = [
    "type": "object", "required": ["type", "coordinates"],
    "properties": [
      "type": ["type": "string", "const": "Point"],
      "coordinates": ["type": "array", "minItems": 2, "maxItems": 2, "items": ["type": "number"]],
    ],
  ]
}

extension RestaurantField {
  /// The schema of the property with this key; nil if Features never have it.
  fileprivate var propertyType: JSONValue? {
    if [.id, .latitude, .longitude].contains(self) || Self.ofAnswers.contains(self) { return nil }
    return switch kind {
    case .text: ["type": "string"]
    case .texts: ["type": "array", "items": ["type": "string"]]
    case .real: ["type": "number"]
    case .whole where self == .priceLevel: ["type": "integer", "minimum": 1, "maximum": 4]
    case .whole: ["type": "integer", "minimum": 0]
    case .flag: ["type": "boolean"]
    case .object: ["type": "object"]
    }
  }
}
