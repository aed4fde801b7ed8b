import GeoIndex
import GeoQuery
import HTTPTypes

/// What maps show under and over the restaurants: the basemap, the file of `geoq serve --tiles`; and their
/// density.
extension Endpoint {
  static let density = Endpoint(
    "density",
    "/density",
    summary: "The number of restaurants in each cell of a grid: a tile of a zoom is a cell.",
    parameters: [.box, .zoom] + Parameter.filters,
    schema: "density",
    get: .work { try $0.density() }
  )

  static let basemap = Endpoint(
    "basemap",
    "/basemap.json",
    summary: "The map under the restaurants, as TileJSON 3.0: the file of --tiles.",
    parameters: [.jsonFormat],
    needs: .basemap,
    get: .work { try $0.basemapJSON() }
  )

  static let basemapTile = Endpoint(
    "basemapTile",
    "/basemap/{z}/{x}/{y}",
    summary: "A tile of that map, in the file's own format.",
    path: [.zoom("z"), .column("x"), .row("y")],
    as: [.anyTile],
    needs: .basemap,
    get: .work { try $0.basemapTile() }
  )
}

extension RequestContext {
  fileprivate func density() throws -> Work {
    let filter = try query(in: parameters.region()).filter
    let box = try parameters.box() ?? snapshot.shownExtent ?? .world
    let zoom = parameters.text(.zoom).flatMap(DecimalText.integer)
    let cells =
      zoom.map { CellRange(box, zoom: $0) }
      ?? CellRange.fitting(box, atMost: ServiceLimits.chosenCells)
    guard cells.count <= ServiceLimits.cells else {
      throw Problem.invalid(
        "zoom",
        "the box touches \(cells.count) cells at zoom \(cells.zoom), and an answer has at most "
          + "\(ServiceLimits.cells); ask for a smaller zoom or box"
      )
    }
    let isLong = snapshot.count > ServiceLimits.restaurantsOfTile
    return Work(on: executor(for: filter, isLong: isLong)) { deadline in
      let found = try generation.engine.density(in: cells, matching: filter, until: deadline)
      let total = found.reduce(0) { $0 + $1.count }
      var json = JSONWriter()
      json.raw("{\"zoom\":\(cells.zoom),\"count\":\(total),\"cells\":")
      json.lines(found) { $0.raw("{\"x\":\($1.x),\"y\":\($1.y),\"count\":\($1.count)}") }
      return Work.Body(bytes: json.bytes, hits: total)
    }
  }

  /// `GET /basemap.json`: TileJSON 3.0.
  fileprivate func basemapJSON() throws -> Work {
    guard let basemap = settings.basemap else { throw Problem.unknownPath }
    return Work(on: .inline) { _ in
      let info = basemap.info
      return Work.Body([
        "tilejson": "3.0.0", "name": .string(info.name ?? "Map"),
        "attribution": basemap.attribution.map(JSONValue.string), "scheme": "xyz",
        "format": .string(info.format.rawValue),
        "tiles": [.string(links.address(.basemapTile))],
        "minzoom": .init(info.zooms.lowerBound), "maxzoom": .init(info.zooms.upperBound),
        "bounds": info.bounds.map(JSONValue.numbers),
        "vector_layers": info.format == .mvt ? JSONValue(text: info.vectorLayers ?? "[]") : nil,
      ])
    }
  }

  fileprivate func basemapTile() throws -> Work {
    guard let basemap = settings.basemap else { throw Problem.unknownPath }
    guard let address = tileAddress("z", "x", "y") else { throw Problem.noTile }
    let acceptsGzip = Gzip.isAccepted(by: request.fields[.acceptEncoding])
    return Work(on: .queries) { _ in
      guard let tile = try basemap.tile(address), !tile.bytes.isEmpty else {
        return Work.Body(bytes: [], status: .noContent)
      }
      var body = Work.Body(bytes: tile.bytes)
      body.type = basemap.info.format.mediaType
      if acceptsGzip { body.packed = basemap.info.format == .mvt ? tile.stored : tile.bytes }
      return body
    }
  }
}
