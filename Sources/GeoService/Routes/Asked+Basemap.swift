import GeoQuery
import HTTPTypes

/// The basemap under the restaurants: the file of `geoq serve --tiles`.
extension Asked {
  /// Identifies the file that the answer is from; empty if it is from none.
  var basemapIdentity: String {
    route == .basemap || route == .basemapTile ? settings.basemap?.info.identity ?? "" : ""
  }

  /// `GET /basemap.json`: TileJSON 3.0.
  func basemapJSON() throws -> AnswerPlan {
    guard let basemap = settings.basemap else { throw Problem.unknownPath }
    return AnswerPlan.light {
      let info = basemap.info
      var json = JSONWriter()
      json.raw("{\"tilejson\":\"3.0.0\",\"name\":")
      json.string(info.name ?? "Map")
      if let attribution = basemap.attribution {
        json.raw(",\"attribution\":")
        json.string(attribution)
      }
      json.raw(",\"scheme\":\"xyz\",\"format\":\"\(info.format.rawValue)\",\"tiles\":[")
      json.string(links.address(Route.basemapTile.path))
      json.raw("],\"minzoom\":\(info.zooms.lowerBound),\"maxzoom\":\(info.zooms.upperBound)")
      if let bounds = info.bounds {
        json.raw(",\"bounds\":[\(bounds.map(\.description).joined(separator: ","))]")
      }
      if info.format == .mvt {
        json.raw(",\"vector_layers\":\(info.vectorLayers ?? "[]")")
      }
      json.raw("}\n")
      return json.bytes
    }
  }

  /// `GET /basemap/{z}/{x}/{y}`.
  func basemapTile() throws -> AnswerPlan {
    guard let basemap = settings.basemap else { throw Problem.unknownPath }
    guard let address = tileAddress else { throw Problem.noTile }
    let acceptsGzip = Gzip.isAccepted(by: request.fields[.acceptEncoding])
    return AnswerPlan(at: .pool) { _ in
      guard let tile = try basemap.tile(address), !tile.bytes.isEmpty else {
        return AnswerPlan.Body(bytes: [], status: .noContent)
      }
      var body = AnswerPlan.Body(bytes: tile.bytes)
      body.type = basemap.info.format.mediaType
      if acceptsGzip { body.packed = basemap.info.format == .mvt ? tile.stored : tile.bytes }
      return body
    }
  }
}
