import Foundation
import GeoIndex
import GeoQuery
import HTTPTypes
import Testing

@testable import GeoService

/// Tiles over HTTP: the engine's bytes, by either path, and what describes them.
struct TileRouteTests {
  private let sample = SamplePlaces()

  private func tile(
    _ service: SampleService,
    _ zoom: Int,
    _ x: Int,
    _ y: Int,
    _ filter: Filter = .all
  ) throws -> VectorTile {
    let address = try #require(TileAddress(zoom: zoom, x: x, y: y))
    return try service.service.live.current.engine.tile(address, matching: filter)
  }

  @Test func `both paths of a tile give the engine's bytes, or none`() throws {
    let service = try SampleService(sample.places)
    var shown = 0
    for zoom in 0...3 {
      for (x, y) in (0..<1 << (2 * zoom)).map({ ($0 >> zoom, $0 & ((1 << zoom) - 1)) }) {
        let expected = try tile(service, zoom, x, y)
        shown += expected.count
        for path in [
          "/tiles/\(zoom)/\(x)/\(y).mvt",
          "/collections/restaurants/tiles/WebMercatorQuad/\(zoom)/\(y)/\(x)",
        ] {
          let reply = service.get(path)
          #expect(reply.response.body == expected.bytes, "\(path)")
          #expect(reply.status == (expected.count == 0 ? 204 : 200))
          #expect(reply.response.fields[.eTag]?.hasPrefix("\"") == true)
          #expect(reply.response.fields[.cacheControl] == "no-cache")
          #expect(reply.response.hits == expected.count)
          if expected.count > 0 {
            #expect(reply.type == "application/vnd.mapbox-vector-tile")
          } else {
            #expect(reply.type == nil)
          }
        }
      }
    }
    #expect(shown == 4 * sample.places.count)
  }

  @Test func `a tile takes the filters of items`() throws {
    let service = try SampleService(sample.places, favorites: MemoryFavorites())
    let thai = try tile(service, 0, 0, 0, Filter(categories: ["thai"]))
    #expect(thai.count == 100)
    #expect(service.get("/tiles/0/0/0.mvt?category=thai").response.body == thai.bytes)
    let conditions = try [Condition("rating >= 3"), Condition("city = dallas")]
    let good = try tile(service, 0, 0, 0, Filter(text: "place", conditions: conditions))
    #expect(
      service.get("/tiles/0/0/0.mvt?q=place&city=Dallas&filter=rating%20%3E=%203").response.hits
        == good.count
    )
    let ids = try tile(service, 0, 0, 0, Filter(ids: ["place-1", "place-2"]))
    #expect(service.get("/tiles/0/0/0.mvt?ids=place-1,place-2").response.body == ids.bytes)
    #expect(service.get("/tiles/0/0/0.mvt?category=none").status == 204)
    let none = service.get("/tiles/0/0/0.mvt?favorite=true")
    #expect(none.status == 204)
    #expect(none.response.fields[.cacheControl] == "private, no-cache")
    for text in ["limit=1", "bbox=1,2,3,4", "category=", "sortby=name", "f=json", "mark=favorite"] {
      #expect(service.get("/tiles/0/0/0.mvt?\(text)").status == 400, "\(text)")
    }
    let long = String(repeating: "e%CC%81", count: 100)
    #expect(service.get("/tiles/0/0/0.mvt?category=\(long)").status == 400)
  }

  @Test func `what is not a tile is not found`() throws {
    let service = try SampleService(sample.places)
    let huge = "9223372036854775808"
    for numbers in [
      ["23", "0", "0"], ["1", "2", "0"], ["1", "0", "2"], ["-1", "0", "0"], ["0", "-1", "0"],
      ["0", "0", "-1"], [huge, "0", "0"], ["0", huge, "0"], ["0", "0", huge], ["1.0", "0", "0"],
      ["+1", "0", "0"], ["", "0", "0"], ["0", "", "0"], ["0", "0", ""], ["a", "b", "c"],
      ["%30", "0", "0"], ["0", "0", "0%2F0"], ["22", "4194304", "0"], ["1e0", "0", "0"],
      [String(repeating: "0", count: 4_000), "0", "0"], ["0", "0", "%ff"],
    ] {
      let reply = service.get("/tiles/\(numbers.joined(separator: "/")).mvt")
      #expect(reply.status == 404, "\(numbers)")
      let path = "/collections/restaurants/tiles/WebMercatorQuad/"
      #expect(service.get(path + numbers.joined(separator: "/")).status == 404, "\(numbers)")
    }
    for path in [
      "/tiles/0/0.mvt", "/tiles/0/0/0/0.mvt", "/tiles/0/0/0", "/tiles/0/0/0.png", "/tiles/",
      "/tiles", "/tiles.mvt", "/tiles/.mvt", "/collections/restaurants/tiles/WorldCRS84Quad/0/0/0",
      "/collections/restaurants/tiles/WebMercatorQuad/0/0", "/tiles//0/0/0.mvt",
    ] {
      #expect(service.get(path).status == 404, "\(path)")
    }
    #expect(service.get("/tiles/22/4194303/4194303.mvt").status != 404)
  }

  @Test func `a tile that has not changed is not sent again, an empty one neither`() throws {
    let service = try SampleService(sample.places)
    for target in ["/tiles/0/0/0.mvt", "/tiles/0/0/0.mvt?category=none"] {
      let reply = service.get(target)
      let tag = try #require(reply.response.fields[.eTag])
      let again = service.get(target, [.ifNoneMatch: tag])
      #expect(again.status == 304 && again.response.body.isEmpty)
    }
    let newer = try SampleService(sample.places, generation: 2)
    #expect(
      newer.get("/tiles/0/0/0.mvt").response.fields[.eTag]
        != service.get("/tiles/0/0/0.mvt").response.fields[.eTag]
    )
  }

  @Test func `a tile that is asked for again is the same, and one of new data is not`() throws {
    let service = try SampleService(sample.places, favorites: MemoryFavorites())
    for target in [
      "/tiles/0/0/0.mvt", "/tiles/0/0/0.mvt?category=thai", "/tiles/0/0/0.mvt?category=none",
      "/collections/restaurants/tiles/WebMercatorQuad/0/0/0", "/tiles/0/0/0.mvt?favorite=true",
    ] {
      for fields: HTTPFields in [[:], [.acceptEncoding: "gzip"]] {
        let first = service.get(target, fields).response
        let again = service.get(target, fields).response
        #expect(again.status == first.status && again.body == first.body)
        #expect(again.hits == first.hits && again.fields == first.fields, "\(target)")
      }
    }
    let before = service.get("/tiles/0/0/0.mvt").response.hits
    let fewer = Array(sample.places.dropLast())
    try service.service.live.replace(
      with: TemporarySnapshot.make(of: fewer, generation: 2)
    )
    #expect(before == sample.places.count)
    #expect(service.get("/tiles/0/0/0.mvt").response.hits == fewer.count)
    // a favorite changes without a generation
    let id = fewer[0].id
    #expect(service.get("/tiles/0/0/0.mvt?favorite=true").status == 204)
    #expect(service.send(.owners(.put, "/favorites/\(id)")).status < 300)
    #expect(service.get("/tiles/0/0/0.mvt?favorite=true").response.hits == 1)
  }

  @Test func `a client that takes gzip gets it`() throws {
    let service = try SampleService(sample.places)
    let plain = service.get("/tiles/0/0/0.mvt").response
    let packed = service.get("/tiles/0/0/0.mvt", [.acceptEncoding: "gzip"]).response
    #expect(plain.fields[.contentEncoding] == nil)
    #expect(packed.fields[.contentEncoding] == "gzip")
    #expect(packed.body.count < plain.body.count && packed.body.prefix(2) == [0x1F, 0x8B])
    #expect(packed.fields[.eTag] != plain.fields[.eTag])
  }

  @Test func `TileJSON, style and tile set lead to the tiles, with the request's filters`() throws {
    let service = try SampleService(sample.places)
    let tiles = service.get("/tiles.json?category=Thai,Caf%C3%A9&q=place").json
    #expect(tiles["tilejson"] as? String == "3.0.0")
    let template = try #require((tiles["tiles"] as? [String])?.first)
    #expect(
      template == "http://localhost/tiles/{z}/{x}/{y}.mvt?category=Thai,Caf%C3%A9&q=place"
    )
    let target = template.replacing("http://localhost", with: "").replacing("{z}", with: "0")
      .replacing("{x}", with: "0").replacing("{y}", with: "0")
    #expect(service.get(target).response.hits == 200)
    let bounds = try #require(tiles["bounds"] as? [Double])
    #expect(bounds.count == 4 && bounds[0] <= bounds[2] && bounds[1] <= bounds[3])
    let layers = try #require(tiles["vector_layers"] as? [[String: Any]])
    #expect(layers.map { $0["id"] as? String } == ["restaurants", "clusters"])

    let style = service.get("/style.json?category=Thai").json
    #expect(style["version"] as? Int == 8)
    #expect(style["glyphs"] == nil && style["sprite"] == nil)
    let source = (style["sources"] as? [String: [String: Any]])?["restaurants"]
    #expect(source?["url"] as? String == "http://localhost/tiles.json?category=Thai")

    let list = service.get("/collections/restaurants").links
      .first { ($0["rel"] as? String)?.hasSuffix("/tilesets-vector") == true }
    #expect(list?["href"] as? String == "http://localhost/collections/restaurants/tiles")
    let sets = service.get("/collections/restaurants/tiles").json["tilesets"] as? [[String: Any]]
    let own = (sets?.first?["links"] as? [[String: Any]])?.first { $0["rel"] as? String == "self" }
    let path = "/collections/restaurants/tiles/WebMercatorQuad"
    #expect(own?["href"] as? String == "http://localhost" + path)
    let item = try #require(service.get(path).links("item").first)
    #expect(item["templated"] as? Bool == true)
    #expect(item["href"] as? String == "http://localhost\(path)/{tileMatrix}/{tileRow}/{tileCol}")
  }

  @Test(
    arguments: [
      (0.0, 51.4779), (-90, 0), (180, 0), (-180, 85), (22.5, 66.51326), (-0.0, 90), (0, -90),
    ]
  )
  func `bounds – a restaurant on the edge of a tile – hold its tile by MapLibre's rule`(
    longitude: Double,
    latitude: Double
  ) throws {
    var place = SamplePlaces(count: 1).places[0]
    place.coordinate = try #require(Coordinate(latitude: latitude, longitude: longitude))
    var other = place
    (other.id, other.coordinate) = (
      "other", try #require(Coordinate(latitude: 51, longitude: -0.5))
    )
    let service = try SampleService([place, other])
    let bounds = try #require(service.get("/tiles.json").json["bounds"] as? [Double])
    #expect(bounds[0] >= -180 && bounds[1] >= -90 && bounds[2] <= 180 && bounds[3] <= 90)
    // MapLibre GL JS, src/tile/tile_bounds.ts: the first tile, and the one after the last
    func mercator(_ latitude: Double) -> Double {
      let sine = sin(latitude * .pi / 180)
      return 0.5 - log((1 + sine) / (1 - sine)) / (4 * .pi)
    }
    for zoom in 0...14 {
      let world = Double(1 << zoom)
      let first = ((bounds[0] + 180) / 360 * world).rounded(.down)
      let last = ((bounds[2] + 180) / 360 * world).rounded(.up)
      // ±180 is one meridian
      let x = longitude == 180 ? 0 : ((longitude + 180) / 360 * world).rounded(.down)
      #expect(x >= first && x < last, "\(zoom)")
      guard abs(latitude) < 85 else { continue }
      let top = (mercator(min(85.05, bounds[3])) * world).rounded(.down)
      let bottom = (mercator(max(-85.05, bounds[1])) * world).rounded(.up)
      let y = (mercator(latitude) * world).rounded(.down)
      #expect(y >= top && y < bottom, "\(zoom)")
    }
  }

  @Test func `TileJSON of no restaurants has no bounds`() throws {
    let tiles = try SampleService([]).get("/tiles.json").json
    #expect(tiles["bounds"] == nil && tiles["tiles"] != nil)
    #expect(try SampleService([]).get("/tiles/0/0/0.mvt").status == 204)
  }
}
