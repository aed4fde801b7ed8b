import Foundation
import GeoIndex
import GeoQuery
import GeoStore
import HTTPTypes
import Testing

@testable import GeoService

/// The map of others that the restaurants can lie on.
@Suite struct BasemapTests {
  enum Kind: CaseIterable {
    case pmtiles
    case mbtiles
  }

  private func place() -> String {
    FileManager.default.temporaryDirectory.path + "/geoq-\(UUID().uuidString)"
  }

  /// The bytes of a file with the tiles of the sample, zooms 0 to 6.
  private func file(_ kind: Kind) throws -> [UInt8] {
    let path = place()
    defer { try? FileManager.default.removeItem(atPath: path) }
    let engine = try SampleService().service.live.current.engine
    var wanted = TilesToFile()
    wanted.maxZoom = 6
    func gzip(_ bytes: [UInt8]) throws -> [UInt8] { try #require(Gzip.compressed(bytes)) }
    switch kind {
    case .pmtiles:
      var bytes: [UInt8] = []
      _ = try engine.writePMTiles(wanted, beside: path, compress: gzip) { bytes += $0 }
      return bytes
    case .mbtiles:
      _ = try MBTilesWriter(path: path).write { add in
        try engine.makeTiles(wanted) { try add($0, gzip($1)) }
      }
      return Array(try Data(contentsOf: URL(fileURLWithPath: path)))
    }
  }

  /// A service with a map of some bytes.
  private func service(_ bytes: [UInt8]) throws -> SampleService {
    let path = place()
    defer { try? FileManager.default.removeItem(atPath: path) }
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    var settings = ServiceSettings.sample
    settings.basemap = try Basemap(path: path)
    return try SampleService(settings: settings)
  }

  @Test(arguments: [
    ("© Tiles", "© Tiles"), ("&copy; A &amp; B", "&copy; A &amp; B"),
    ("A & B < C > D", "A &amp; B &lt; C &gt; D"),
    (
      "<a href=\"https://a.example/b?c=1&amp;d=2\" target=_blank onclick='x()'>A</a>, <b>B</b>",
      "<a href=\"https://a.example/b?c=1&amp;d=2\" rel=\"noopener noreferrer\">A</a>, B"
    ),
    (
      "<A HREF='http://a.example'>A",
      "<a href=\"http://a.example/\" rel=\"noopener noreferrer\">A</a>"
    ),
    ("<a href=\"javascript:alert(1)\">A</a>", "A"),
    ("<a href=\"&#106;avascript:alert(1)\">A</a>", "A"),
    ("<a href=\"//a.example\">A</a></a>", "A"), ("<img src=x onerror=alert(1)>A", "A"),
    ("<script>alert(1)</script>", "alert(1)"),
    ("<img src=x onerror=alert(1)", "&lt;img src=x onerror=alert(1)"),
    ("<!-- a -->A<svg/onload=x>", "A"), ("a<br/>b", "a b"),
    (
      "<a href=\"https://a.example/\"><b>",
      "<a href=\"https://a.example/\" rel=\"noopener noreferrer\"></a>"
    ),
    ("<<script>script>A", "&lt;script&gt;A"), ("&#x202e;A", "\\u{202e}A"),
  ])
  func `a file's credit is text and links to the web`(given: String, expected: String) throws {
    let metadata = try JSONSerialization.data(withJSONObject: ["attribution": given])
    var bytes: [UInt8] = []
    _ = try SampleService([]).service.live.current.engine.writePMTiles(
      TilesToFile(),
      beside: place(),
      compress: {
        try #require(Gzip.compressed($0.first == UInt8(ascii: "{") ? Array(metadata) : $0))
      },
      to: { bytes += $0 }
    )
    let service = try service(bytes)
    #expect(service.get("/basemap.json").json["attribution"] as? String == expected)
    let page = service.get("/app/map", [.accept: "text/html"]).text
    // without the map library there is no map
    let escaped = HTMLText.escaped(expected)
    #expect(page.contains(" data-attribution=\"\(escaped)\"") || !page.contains("data-attribution"))
  }

  @Test(arguments: Kind.allCases)
  func `tiles are those of the file, with gzip for clients that take it`(kind: Kind) throws {
    let service = try service(file(kind))
    var found = 0
    for zoom in 0...7 {
      for (x, y) in (0..<1 << (2 * min(zoom, 3))).map({
        ($0 >> min(zoom, 3), $0 % (1 << min(zoom, 3)))
      }) {
        let plain = service.get("/tiles/\(zoom)/\(x)/\(y).mvt")
        let reply = service.get("/basemap/\(zoom)/\(x)/\(y)")
        #expect(reply.status == (zoom > 6 ? 204 : plain.status), "\(zoom)/\(x)/\(y)")
        #expect(zoom > 6 || reply.response.body == plain.response.body)
        #expect(reply.response.fields[.eTag] != nil)
        guard reply.status == 200 else { continue }
        found += 1
        #expect(reply.type == "application/vnd.mapbox-vector-tile")
        let packed = service.get("/basemap/\(zoom)/\(x)/\(y)", [.acceptEncoding: "gzip"]).response
        #expect(packed.fields[.contentEncoding] == "gzip")
        #expect(Gzip.unpacked(packed.body, 1 << 20) == plain.response.body)
        #expect(packed.fields[.eTag] != reply.response.fields[.eTag])
      }
    }
    #expect(found > 20)
    let tag = try #require(service.get("/basemap/0/0/0").response.fields[.eTag])
    #expect(service.get("/basemap/0/0/0", [.ifNoneMatch: tag]).status == 304)
    let other = try self.service(file(kind))
    #expect(other.get("/basemap/0/0/0").response.fields[.eTag] != tag)
    for path in [
      "/basemap/0/0/1", "/basemap/23/0/0", "/basemap/0/0", "/basemap/-1/0/0",
      "/basemap/9223372036854775808/0/0", "/basemap/0/0/0.mvt", "/basemap/a/b/c", "/basemap/",
    ] {
      #expect(service.get(path).status == 404, "\(path)")
    }
    #expect(service.get("/basemap/0/0/0?q=a").status == 400)
  }

  @Test(arguments: Kind.allCases)
  func `TileJSON leads to the tiles`(kind: Kind) throws {
    let json = try service(file(kind)).get("/basemap.json").json
    #expect(json["tilejson"] as? String == "3.0.0" && json["format"] as? String == "pbf")
    #expect(json["tiles"] as? [String] == ["http://localhost/basemap/{z}/{x}/{y}"])
    #expect(json["minzoom"] as? Int == 0 && json["maxzoom"] as? Int == 6)
    #expect((json["bounds"] as? [Double])?.count == 4 && json["name"] as? String == "Restaurants")
    let layers = try #require(json["vector_layers"] as? [[String: Any]])
    #expect(layers.map { $0["id"] as? String } == ["restaurants", "clusters"])
  }

  @Test func `without a file there is no map`() throws {
    let service = try SampleService()
    #expect(service.get("/basemap.json").status == 404)
    #expect(service.get("/basemap/0/0/0").status == 404)
    let paths = try #require(service.get("/api").json["paths"] as? [String: Any])
    #expect(paths["/basemap.json"] == nil && paths["/tiles.json"] != nil)
  }

  @Test func `few bytes that are many when unpacked are refused`() throws {
    let bomb = try #require(Gzip.compressed([UInt8](repeating: 0, count: 50_000_000)))
    #expect(bomb.count < 1_000_000)
    #expect(Gzip.unpacked(bomb, 1 << 22) == nil)
    #expect(Gzip.unpacked(bomb, 50_000_000)?.count == 50_000_000)
    #expect(Gzip.unpacked(bomb, 49_999_999) == nil)
    #expect(Gzip.unpacked([], 1) == nil && Gzip.unpacked(Array(bomb.dropLast()), 1 << 27) == nil)
    let path = place()
    defer { try? FileManager.default.removeItem(atPath: path) }
    let address = try #require(TileAddress(zoom: 0, x: 0, y: 0))
    _ = try MBTilesWriter(path: path).write { add in
      try add(address, bomb)
      return try SampleService().service.live.current.engine.makeTiles(TilesToFile()) { _, _ in }
    }
    let service = try service(Array(Data(contentsOf: URL(fileURLWithPath: path))))
    let reply = service.get("/basemap/0/0/0")
    #expect(reply.status == 500 && !reply.text.contains(path))
  }

  @Test(arguments: Kind.allCases)
  func `damaged files give answers or errors, and the service goes on`(kind: Kind) throws {
    let sound = try file(kind)
    var random = SplitMix(state: 20_261_123)
    func below(_ bound: Int) -> Int { Int(random.unit() * Double(bound)) }
    var wrong = 0
    for _ in 0..<100 {
      var bytes = sound
      for _ in 0...below(4) { bytes[below(bytes.count)] ^= UInt8(1 + below(255)) }
      if below(4) == 0 { bytes.removeLast(below(bytes.count)) }
      guard let service = try? service(bytes) else {
        wrong += 1
        continue
      }
      for zoom in 0...6 {
        let reply = service.get("/basemap/\(zoom)/0/\(below(1 << zoom))")
        #expect([200, 204, 500].contains(reply.status))
        wrong += reply.status == 500 ? 1 : 0
      }
      #expect(service.get("/healthz").status == 200)
    }
    #expect(wrong > 10)
  }

  @Test func `a tile that was asked for is not read again`() throws {
    let path = place()
    defer { try? FileManager.default.removeItem(atPath: path) }
    try Data(file(.pmtiles)).write(to: URL(fileURLWithPath: path))
    var settings = ServiceSettings.sample
    settings.basemap = try Basemap(path: path)
    let service = try SampleService(settings: settings)
    let gzip: HTTPFields = [.acceptEncoding: "gzip"]
    let first = service.get("/basemap/0/0/0", gzip).response
    #expect(first.status == .ok)
    #expect(truncate(path, 0) == 0)
    let again = service.get("/basemap/0/0/0", gzip).response
    #expect(again.body == first.body && again.fields == first.fields)
    #expect(service.get("/basemap/0/0/0").status == 500)
  }

  @Test func `a file without tiles is refused`() throws {
    for bytes in [[], Array("PMTiles".utf8), Array("SQLite format 3\0".utf8), Array("<svg>".utf8)] {
      #expect(throws: TileFileError.self) { try service(bytes) }
    }
    #expect(throws: TileFileError.self) { try Basemap(path: "/nowhere/x.pmtiles") }
  }
}
