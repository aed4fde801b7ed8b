import GeoQuery

/// The resources of OGC API – Tiles Part 1 (20-057) that describe the tiles of the collection.
extension Asked {
  private static let scheme = "http://www.opengis.net/def/tilematrixset/OGC/1.0/WebMercatorQuad"
  private static let relations = "http://www.opengis.net/def/rel/ogc/1.0/"

  /// The link from the collection to its tile sets (/req/geodata-tilesets).
  static func tileSetsLink(_ links: LinkBase) -> Link {
    Link(
      relation: relations + "tilesets-vector",
      address: links.address(Route.tileSets.path),
      type: "application/json",
      title: "The restaurants as vector tiles"
    )
  }

  /// `GET /collections/restaurants/tiles` (/req/tilesets-list): there is one tile set.
  func tileSets() throws -> AnswerPlan {
    _ = try query()
    return AnswerPlan.light {
      let own = [ownTileLink(route)]
      var json = JSONWriter()
      json.raw("{\"tilesets\":[{")
      writeTileSet(to: &json)
      json.links([ownTileLink(.tileSet), schemeLink])
      json.raw("}],")
      json.links(own)
      json.raw("}\n")
      return AnswerPlan.Body(bytes: json.bytes, links: own)
    }
  }

  /// `GET /collections/restaurants/tiles/WebMercatorQuad` (/req/tileset).
  func tileSet() throws -> AnswerPlan {
    _ = try query()
    return AnswerPlan.light {
      var json = JSONWriter()
      json.raw("{")
      writeTileSet(to: &json)
      json.raw("\"layers\":[")
      for (index, layer) in TileLayer.all.enumerated() {
        json.raw(index == 0 ? "" : ",")
        json.raw("{\"id\":\"\(layer.name)\",\"description\":\"\(layer.summary)\",")
        json.raw("\"dataType\":\"vector\",\"geometryDimension\":0,")
        json.raw("\"propertiesSchema\":{\"type\":\"object\",\"properties\":{")
        json.raw(
          layer.fields.map { "\"\($0.name)\":{\"type\":\"\($0.type.lowercased())\"}" }
            .joined(separator: ",")
        )
        json.raw("}}}")
      }
      json.raw("],")
      let own = [ownTileLink(route), schemeLink]
      let tiles = Link(
        relation: "item",
        address: links.address(Route.tileOfSet.path, pairs),
        type: Representation.tile.plainType,
        title: "The tiles",
        isTemplate: true
      )
      json.links(own + [tiles])
      json.raw("}\n")
      return AnswerPlan.Body(bytes: json.bytes, links: own)
    }
  }

  private func writeTileSet(to json: inout JSONWriter) {
    json.raw("\"title\":\"Restaurants\",\"dataType\":\"vector\",")
    json.raw("\"crs\":\"http://www.opengis.net/def/crs/EPSG/0/3857\",")
    json.raw("\"tileMatrixSetURI\":\"\(Self.scheme)\",")
  }

  private func ownTileLink(_ target: Route) -> Link {
    Link(
      relation: "self",
      address: links.address(target.path, pairs),
      type: "application/json"
    )
  }

  /// The link to the definition of the tiling scheme, in the OGC's register.
  private var schemeLink: Link {
    Link(
      relation: Self.relations + "tiling-scheme",
      address: Self.scheme,
      type: "application/json",
      title: "WebMercatorQuad"
    )
  }
}
