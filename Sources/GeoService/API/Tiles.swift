import GeoIndex
import GeoQuery
import HTTPTypes
import NIOConcurrencyHelpers

/// Tiles for map viewers, and their descriptions: TileJSON 3.0, a MapLibre style, and OGC API – Tiles Part 1
/// (20-057).
extension Endpoint {
  private static let summaryOfTile =
    "A tile of a map as a Mapbox Vector Tile: restaurants, or clusters of them with exact counts."

  private static let filters = Parameter.filters + [.ids]

  static let tile = Endpoint(
    "tile",
    "/tiles/{z}/{x}/{y}.mvt",
    summary: summaryOfTile,
    path: [.zoom("z"), .column("x"), .row("y")],
    parameters: filters,
    as: [.tile],
    get: .work { try $0.tile($0.tileAddress("z", "x", "y")) }
  )

  static let tileJSON = Endpoint(
    "tileJSON",
    "/tiles.json",
    summary: "The addresses and contents of the tiles, as TileJSON 3.0.",
    parameters: filters + [.jsonFormat],
    get: .work { try $0.tileJSON() }
  )

  static let style = Endpoint(
    "style",
    "/style.json",
    summary: "A MapLibre style of the tiles.",
    parameters: filters + [.jsonFormat],
    get: .work { try $0.style() }
  )

  static let tileSets = Endpoint(
    "tileSets",
    "/collections/restaurants/tiles",
    summary: "The tile sets of the collection; there is only one.",
    parameters: filters + [.jsonFormat],
    conformsTo: ["core", "tileset", "tilesets-list", "geodata-tilesets", "mvt"].map {
      "http://www.opengis.net/spec/ogcapi-tiles-1/1.0/conf/" + $0
    },
    get: .work { try $0.tileSets() }
  )

  static let tileSet = Endpoint(
    "tileSet",
    "/collections/restaurants/tiles/WebMercatorQuad",
    summary: "The tiles of the collection in WebMercatorQuad.",
    parameters: filters + [.jsonFormat],
    get: .work { try $0.tileSet() }
  )

  static let tileOfSet = Endpoint(
    "tileOfSet",
    "/collections/restaurants/tiles/WebMercatorQuad/{tileMatrix}/{tileRow}/{tileCol}",
    summary: summaryOfTile,
    path: [.zoom("tileMatrix"), .row("tileRow"), .column("tileCol")],
    parameters: filters,
    as: [.tile],
    get: .work { try $0.tile($0.tileAddress("tileMatrix", "tileCol", "tileRow")) }
  )
}

extension PathParameter {
  static func zoom(_ name: String) -> PathParameter {
    PathParameter(name: name, summary: "The zoom.", maximum: TileAddress.maximumZoom)
  }

  static func column(_ name: String) -> PathParameter {
    PathParameter(name: name, summary: "The column, from the west.", maximum: greatest)
  }

  static func row(_ name: String) -> PathParameter {
    PathParameter(name: name, summary: "The row, from the north.", maximum: greatest)
  }

  private static let greatest = 1 << TileAddress.maximumZoom - 1
}

extension RequestContext {
  /// `GET /tiles/{z}/{x}/{y}.mvt`, and the same tile in the tile set.
  fileprivate func tile(_ address: TileAddress?) throws -> Work {
    guard let address else { throw Problem.noTile }
    let filter = try query(in: .everywhere).filter
    @Sendable func make(_ deadline: Deadline) throws -> Work.Body {
      let tile = try generation.engine.tile(address, matching: filter, until: deadline)
      guard tile.count > 0 else { return Work.Body(bytes: [], hits: 0, status: .noContent) }
      return Work.Body(bytes: tile.bytes, hits: tile.count)
    }
    return Work(startingOn: executor(for: filter)) { deadline in
      let isLong = generation.engine.count(in: address) > ServiceLimits.restaurantsOfTile
      return isLong ? .next(Work(on: .longQueries, make: make)) : .body(try make(deadline))
    }
  }

  /// The address of the tile with these names in the path; nil if it is not valid.
  func tileAddress(_ zoom: String, _ x: String, _ y: String) -> TileAddress? {
    // the largest numbers, at zoom 22, have seven digits
    guard let zoom = number(zoom), let x = number(x), let y = number(y) else { return nil }
    return TileAddress(zoom: zoom, x: x, y: y)
  }

  /// `GET /tiles.json`: TileJSON 3.0 of the tiles with the filters of the request.
  fileprivate func tileJSON() throws -> Work {
    let query = try query(in: .everywhere)
    if query.filter.takesAll {
      return Work(on: .inline) { _ in tileJSON(around: snapshot.shownExtent) }
    }
    // the box around all matches is not remembered: 190 ms for a million
    let isLong = snapshot.count > ServiceLimits.features
    return Work(on: executor(for: query.filter, isLong: isLong)) { deadline in
      tileJSON(around: try generation.engine.page(query.until(deadline)).extent)
    }
  }

  /// The document for tiles whose contents are in a box.
  private func tileJSON(around box: BoundingBox?) -> Work.Body {
    let sides = box.map { Self.sides($0) }
    let center = sides.map { sides -> JSONValue in
      let middle = [(sides[0] + sides[2]) / 2, (sides[1] + sides[3]) / 2]
      return .array(
        middle.map { .number("\($0)") } + [JSONValue(zoom(showing: sides))]
      )
    }
    return Work.Body([
      "tilejson": "3.0.0", "name": "Restaurants",
      "attribution": generation.credits.html.map(JSONValue.string), "scheme": "xyz",
      "tiles": [.string(links.address(.tile, pairs))], "minzoom": 0,
      "maxzoom": .init(TileAddress.maximumZoom),
      "bounds": sides.map { .numbers(Self.widened($0)) }, "center": center,
      "vector_layers": JSONValue(text: TileLayer.vectorLayers),
    ])
  }

  /// West, south, east and north of a box; -180 to 180 across the antimeridian.
  private static func sides(_ box: BoundingBox) -> [Double] {
    let sides = box.readableSides
    return sides[0] <= sides[2] ? sides : [-180, sides[1], 180, sides[3]]
  }

  /// The same, farther out by one to two millionths of a degree (0.2 m).
  ///
  /// MapLibre skips a tile that its bounds only touch (`TileBounds`), and with it a restaurant on the
  /// edge of the outermost tile.
  private static func widened(_ sides: [Double]) -> [Double] {
    zip(sides, [-180, -90, 180, 90]).enumerated().map { index, pair in
      let (side, limit) = pair
      return index < 2
        ? max(limit, ((side * 1e6).rounded(.down) - 1) / 1e6)
        : min(limit, ((side * 1e6).rounded(.up) + 1) / 1e6)
    }
  }

  /// The greatest zoom at which a box is still about as wide as a tile.
  private func zoom(showing sides: [Double]) -> Int {
    let width = max(sides[2] - sides[0], sides[3] - sides[1])
    return (0...14).last { 360 / Double(1 << $0) >= width } ?? 0
  }

  /// `GET /style.json`: a MapLibre style for the tiles, which needs no fonts and no sprites.
  fileprivate func style() throws -> Work {
    _ = try query(in: .everywhere)
    return Work(on: .inline) { _ in
      Work.Body([
        "version": 8, "name": "Restaurants",
        "sources": [
          "restaurants": [
            "type": "vector", "promoteId": ["restaurants": "id"],
            "url": .string(links.address(.tileJSON, pairs)),
          ]
        ],
        "layers": JSONValue(text: Self.styleLayers),
      ])
    }
  }

  private static let styleLayers = """
    [{"id":"background","type":"background","paint":{"background-color":"#f4f1ea"}},\
    {"id":"clusters","type":"circle","source":"restaurants","source-layer":"clusters","paint":{\
    "circle-color":"#b5482f","circle-opacity":0.75,"circle-radius":["interpolate",["linear"],\
    ["ln",["get","point_count"]],0.7,4,14,16]}},\
    {"id":"restaurants","type":"circle","source":"restaurants","source-layer":"restaurants","paint":{\
    "circle-color":"#1f6f8b","circle-radius":["interpolate",["linear"],["zoom"],4,2,16,6],\
    "circle-stroke-color":"#ffffff","circle-stroke-width":0.5}}]
    """
}

// MARK: OGC API – Tiles

extension RequestContext {
  private static let scheme = "http://www.opengis.net/def/tilematrixset/OGC/1.0/WebMercatorQuad"
  private static let relations = "http://www.opengis.net/def/rel/ogc/1.0/"

  /// The link from the collection to its tile sets (/req/geodata-tilesets).
  static func tileSetsLink(_ links: LinkBase) -> Link {
    Link(
      relations + "tilesets-vector",
      links.address(.tileSets),
      title: "The restaurants as vector tiles"
    )
  }

  /// `GET /collections/restaurants/tiles` (/req/tilesets-list): there is one tile set.
  fileprivate func tileSets() throws -> Work {
    _ = try query(in: .everywhere)
    return Work(on: .inline) { _ in
      let own = [ownTileLink(endpoint)]
      let sets =
        tileSetMembers + [
          JSONMember(name: "links", value: .links([ownTileLink(.tileSet), schemeLink]))
        ]
      return Work.Body(["tilesets": [.object(sets)], "links": .links(own)], links: own)
    }
  }

  /// `GET /collections/restaurants/tiles/WebMercatorQuad` (/req/tileset).
  fileprivate func tileSet() throws -> Work {
    _ = try query(in: .everywhere)
    return Work(on: .inline) { _ in
      let layers = TileLayer.all.map { layer -> JSONValue in
        let fields = layer.fields.map { field in
          JSONMember(name: field.name, value: ["type": .string(field.type.lowercased())])
        }
        return [
          "id": .string(layer.name), "description": .string(layer.summary), "dataType": "vector",
          "geometryDimension": 0,
          "propertiesSchema": ["type": "object", "properties": .object(fields)],
        ]
      }
      let own = [ownTileLink(endpoint), schemeLink]
      let tiles = Link(
        "item",
        links.address(.tileOfSet, pairs),
        Representation.tile.plainType,
        title: "The tiles",
        isTemplate: true
      )
      var members = tileSetMembers
      members.add("layers", JSONValue.array(layers))
      members.add("links", JSONValue.links(own + [tiles]))
      return Work.Body(.object(members), links: own)
    }
  }

  private var tileSetMembers: [JSONMember] {
    var members: [JSONMember] = []
    members.add("title", "Restaurants")
    members.add("dataType", "vector")
    members += generation.credits.members
    members.add("crs", "http://www.opengis.net/def/crs/EPSG/0/3857")
    members.add("tileMatrixSetURI", Self.scheme)
    return members
  }

  private func ownTileLink(_ target: Endpoint) -> Link {
    Link("self", links.address(target.path, pairs))
  }

  /// The link to the definition of the tiling scheme, in the OGC's register.
  private var schemeLink: Link {
    Link(Self.relations + "tiling-scheme", Self.scheme, title: "WebMercatorQuad")
  }
}

/// The tiles that were asked for last, as they were sent.
///
/// Two generations: new entries go to the young one; when it is full it becomes the old one. Entries of the old
/// one are dropped then, unless clients have asked for them since.
final class TileCache: Sendable {
  /// What decides the bytes of a tile.
  struct Key: Hashable, Sendable {
    /// Which data the tile is of.
    let generation: Int
    let edition: UInt64

    /// The request target and what it is resolved to: bytes, which are compared and hashed in linear time.
    let target: [UInt8]

    /// Whether the client takes gzip.
    let isGzip: Bool
  }

  private struct State {
    var young: [Key: Work.Body] = [:]
    var old: [Key: Work.Body] = [:]
    var youngBytes = 0
  }

  /// Bytes of an entry in addition to those of its key and its tile.
  private static let overhead = 256

  private let limit: Int
  private let state = NIOLockedValueBox(State())

  init(limit: Int = ServiceLimits.keptTileBytes) {
    self.limit = limit
  }

  /// A tile; nil if it is not kept.
  func tile(_ key: Key) -> Work.Body? {
    let found = state.withLockedValue { (young: $0.young[key], old: $0.old[key]) }
    guard found.young == nil, let old = found.old else { return found.young }
    keep(old, for: key)
    return old
  }

  /// Keeps the answer to a request for a tile, unless it is an error or larger than an eighth of the limit.
  func keep(_ response: ServiceResponse, for key: Key) {
    guard response.status == .ok || response.status == .noContent else { return }
    let body = Work.Body(
      bytes: response.body,
      hits: response.hits,
      status: response.status,
      type: response.fields[.contentType],
      packed: key.isGzip ? response.body : nil
    )
    keep(body, for: key)
  }

  private func keep(_ body: Work.Body, for key: Key) {
    let size = body.bytes.count + key.target.count + Self.overhead
    guard size <= limit / 8 else { return }
    let dropped: [Key: Work.Body] = state.withLockedValue { state in
      guard state.young.updateValue(body, forKey: key) == nil else { return [:] }
      state.youngBytes += size
      guard state.youngBytes > limit / 2 else { return [:] }
      let dropped = state.old
      state.old = state.young
      state.young = [:]
      state.youngBytes = 0
      return dropped
    }
    // freeing many takes time: other requests do not wait for it here
    withExtendedLifetime(dropped) {}
  }
}

extension TileCache.Key {
  /// The key of a request; nil if it is not for a tile, or for one that depends on the favorites.
  init?(_ context: RequestContext, isGzip: Bool) {
    guard context.endpoint.isTile, !context.usesFavorites else { return nil }
    self.init(
      generation: context.generation.number,
      edition: context.generation.edition,
      target: Array(([context.request.target] + context.resolved).joined(separator: " ").utf8),
      isGzip: isGzip
    )
  }
}
