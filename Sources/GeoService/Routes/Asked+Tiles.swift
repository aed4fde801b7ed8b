import GeoIndex
import GeoQuery
import HTTPTypes

/// Tiles for map viewers, and their descriptions: TileJSON 3.0 and a MapLibre style.
extension Asked {
  /// `GET /tiles/{z}/{x}/{y}.mvt`, and the same tile in the tile set.
  func tile() throws -> AnswerPlan {
    guard let address = tileAddress else { throw Problem.noTile }
    let filter = try query().filter
    @Sendable func make(_ deadline: Deadline) throws -> AnswerPlan.Body {
      let tile = try generation.engine.tile(address, matching: filter, until: deadline)
      guard tile.count > 0 else { return AnswerPlan.Body(bytes: [], hits: 0, status: .noContent) }
      return AnswerPlan.Body(bytes: tile.bytes, hits: tile.count)
    }
    return AnswerPlan(
      at: place(for: filter),
      outcome: { deadline in
        let isLong = generation.engine.count(in: address) > ServiceLimits.restaurantsOfTile
        return isLong ? .next(AnswerPlan(at: .longPool, make: make)) : .body(try make(deadline))
      }
    )
  }

  /// The address of the tile; nil if it is not valid.
  var tileAddress: TileAddress? {
    let numbers = (id ?? "").split(separator: "/").compactMap { part in
      // the largest numbers, at zoom 22, have seven digits
      part.utf8.count < 10 && part.utf8.allSatisfy { (0x30...0x39).contains($0) }
        ? Int(part) : nil
    }
    guard numbers.count == 3 else { return nil }
    return TileAddress(zoom: numbers[0], x: numbers[1], y: numbers[2])
  }

  /// `GET /tiles.json`: TileJSON 3.0 of the tiles with the filters of the request.
  func tileJSON() throws -> AnswerPlan {
    let query = try query()
    if query.filter.takesAll { return .light { tileJSON(around: snapshot.shownExtent) } }
    // the box around all matches is not remembered: 190 ms for a million
    let place = place(for: query.filter)
    let isLong = place == .pool && snapshot.count > ServiceLimits.features
    return AnswerPlan(at: isLong ? .longPool : place) { deadline in
      var query = query
      query.deadline = deadline
      return AnswerPlan.Body(bytes: tileJSON(around: try generation.engine.page(query).extent))
    }
  }

  /// The document for tiles whose contents are in a box.
  private func tileJSON(around box: BoundingBox?) -> [UInt8] {
    let bounds = box.map { Self.bounds($0) }
    var json = JSONWriter()
    json.raw("{\"tilejson\":\"3.0.0\",\"name\":\"Restaurants\",\"scheme\":\"xyz\",\"tiles\":[")
    json.string(links.address(Route.tile.path, pairs))
    json.raw("],\"minzoom\":0,\"maxzoom\":\(TileAddress.maximumZoom),")
    if let bounds {
      json.raw("\"bounds\":[\(bounds.map(\.description).joined(separator: ","))],")
      let center = [(bounds[0] + bounds[2]) / 2, (bounds[1] + bounds[3]) / 2]
      json.raw("\"center\":[\(center[0]),\(center[1]),\(zoom(showing: bounds))],")
    }
    json.raw("\"vector_layers\":\(TileLayer.vectorLayers)}\n")
    return json.bytes
  }

  /// West, south, east and north of a box; -180 to 180 across the antimeridian.
  private static func bounds(_ box: BoundingBox) -> [Double] {
    let sides = box.readableSides
    return sides[0] <= sides[2] ? sides : [-180, sides[1], 180, sides[3]]
  }

  /// The greatest zoom at which a box is still about as wide as a tile.
  private func zoom(showing bounds: [Double]) -> Int {
    let width = max(bounds[2] - bounds[0], bounds[3] - bounds[1])
    return (0...14).last { 360 / Double(1 << $0) >= width } ?? 0
  }

  /// `GET /style.json`: a MapLibre style for the tiles, which needs no fonts and no sprites.
  func style() throws -> AnswerPlan {
    _ = try query()
    return AnswerPlan.light {
      var json = JSONWriter()
      json.raw("{\"version\":8,\"name\":\"Restaurants\",")
      json.raw("\"sources\":{\"restaurants\":{\"type\":\"vector\",\"promoteId\":")
      json.raw("{\"restaurants\":\"id\"},\"url\":")
      json.string(links.address(Route.tileJSON.path, pairs))
      json.raw("}},\"layers\":[\(Self.styleLayers)]}\n")
      return json.bytes
    }
  }

  private static let styleLayers = """
    {"id":"background","type":"background","paint":{"background-color":"#f4f1ea"}},\
    {"id":"clusters","type":"circle","source":"restaurants","source-layer":"clusters","paint":{\
    "circle-color":"#b5482f","circle-opacity":0.75,"circle-radius":["interpolate",["linear"],\
    ["ln",["get","point_count"]],0.7,4,14,16]}},\
    {"id":"restaurants","type":"circle","source":"restaurants","source-layer":"restaurants","paint":{\
    "circle-color":"#1f6f8b","circle-radius":["interpolate",["linear"],["zoom"],4,2,16,6],\
    "circle-stroke-color":"#ffffff","circle-stroke-width":0.5}}
    """
}
