import Foundation
import GeoIndex
import GeoQuery
import HTTPTypes
import Testing

@testable import GeoService

/// Maps on pages, with the library and without it; what their files and addresses are.
struct MapTests {
  private func library() -> MapLibrary {
    let script = Gzip.compressed(Array("the library".utf8)) ?? []
    return MapLibrary(
      script: PageAsset(script, isCompressed: true),
      style: PageAsset(script, isCompressed: true),
      drawing: PageAsset(Array("the drawing".utf8)),
      land: PageAsset(Array("{}".utf8))
    )
  }

  private func service(
    _ places: [Restaurant] = SamplePlaces().places,
    library: MapLibrary?,
    basemap: BasemapTemplate? = nil,
    credits: Credits = .none
  ) throws -> SampleService {
    var settings = ServiceSettings.sample
    settings.maps.library = library
    settings.maps.basemap = basemap
    let office = try #require(Coordinate(latitude: 32.95, longitude: -96.82))
    settings.places = [NamedPlace(name: "Office", coordinate: office)]
    return try SampleService(places, settings: settings, credits: credits)
  }

  @Test func `map – of data with credits – has their text for its credit line`() throws {
    let credits = Credits([.openStreetMap, Credit(attribution: "a\"<b>")])
    let page = try service(library: library(), credits: credits).get("/app/map").text
    #expect(data("credit", of: page) == "© OpenStreetMap contributors, a&quot;&lt;b&gt;")
    #expect(data("credit", of: try service(library: library()).get("/app/map").text) == nil)
  }

  /// An attribute of the only map of a page, as a browser reads it.
  private func data(_ name: String, of page: String) -> String? {
    let parts = page.split(separator: " data-\(name)=\"", omittingEmptySubsequences: false)
    guard parts.count == 2 else { return nil }
    return String(parts[1].prefix { $0 != "\"" }).replacing("&amp;", with: "&")
      .replacing("http://localhost", with: "")
  }

  @Test func `without the library no page has a map, a button or a script for it`() throws {
    let service = try service(library: nil)
    for path in ["/app/", "/app/map", "/app/restaurants/place-7", "/app/favorites"] {
      let reply = service.get(path)
      #expect(reply.status == 200)
      #expect(!reply.text.contains("class=\"map") && !reply.text.contains("map.js"), "\(path)")
      #expect(!reply.text.contains("id=\"to-map\"") && !reply.text.contains("id=\"to-list\""))
      #expect(reply.text.matches(of: /<script/).count == 1)
      #expect(reply.text.contains("built without the map") == (path == "/app/map"))
    }
    let list = service.get("/app/map").text.matches(of: /<li class="card"/).count
    #expect(list == LunchPage.pageLength)
    for file in ["map.js", "land.geojson", "openlayers.js", "openlayers.css"] {
      #expect(service.get("/app/\(file)").status == 404)
    }
    #expect(service.get("/app/licenses").text.contains("built without the map library"))
  }

  @Test func `with the library the list and a restaurant have a map`() throws {
    let service = try service(library: library())
    for path in ["/app/", "/app/map", "/app/restaurants/place-7"] {
      let page = service.get(path).text
      #expect(page.matches(of: /class="map[ "]/).count == 1, "\(path)")
      #expect(page.matches(of: /<script type="module" src="[^"]*map\.js/).count == 1)
      #expect(!page.contains(" style=") && !page.contains(" onclick"))
    }
    #expect(service.get("/app/").text.contains("id=\"to-map\""))
    #expect(service.get("/app/map").text.contains("class=\"lunch on-map\""))
    #expect(!service.get("/app/favorites").text.contains("class=\"map"))
    #expect(service.get("/app/licenses").text.contains("Copyright 2005-present, OpenLayers"))
  }

  @Test
  func `files of the map are compressed as they are stored, and uncompressed for other clients`()
    throws
  {
    let library = library()
    let service = try service(library: library)
    let page = service.get("/app/").text
    for (name, asset) in [("library", library.script), ("library-style", library.style)] {
      let address = try #require(data(name, of: page))
      let plain = service.get(address)
      #expect(plain.status == 200 && plain.text == "the library")
      #expect(plain.response.fields[.contentEncoding] == nil)
      #expect(plain.response.fields[.cacheControl] == "public, max-age=31536000, immutable")
      var fields: HTTPFields = [:]
      fields[.acceptEncoding] = "gzip"
      let packed = service.get(address, fields)
      #expect(packed.response.body == asset.bytes)
      #expect(packed.response.fields[.contentEncoding] == "gzip")
      let tags = [plain, packed].map { $0.response.fields[.eTag] ?? "" }
      #expect(tags.allSatisfy { $0.hasPrefix("\"") } && tags[0] != tags[1])
      fields[.ifNoneMatch] = tags[1]
      #expect(service.get(address, fields).status == 304)
    }
    let land = try #require(data("land", of: page))
    #expect(service.get(land).type == "application/geo+json")
  }

  @Test func `what the program is built with is the library of the license page`() throws {
    guard let library = MapLibrary.embedded else { return }
    let script = try #require(Gzip.unpacked(library.script.bytes, 8 << 20))
    #expect(
      SHA256.hexDigest(of: script)
        == "2ff39803ff9fc9f13fb22697d1ca746ad6e0580147da6e72873defa5ff6231d6"
    )
    let land = try JSONSerialization.jsonObject(with: Data(library.land.bytes)) as? [String: Any]
    #expect(land?["type"] as? String == "Feature")
    let drawing = String(decoding: library.drawing.bytes, as: UTF8.self)
    for word in ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval("] {
      #expect(!drawing.contains(word))
    }
    #expect(
      !drawing.contains("http://")
        || !drawing.replacing("http://www.w3.org/", with: "")
          .contains("http")
    )
  }

  @Test func `images come from another host only if the operator's tiles do`() throws {
    let tiles = try #require(
      BasemapTemplate(
        template: "https://tiles.example:8443/a/{z}/{x}/{y}.png?key=1",
        attribution: "<b>\"Tiles\"</b> & Co"
      )
    )
    let plain = try service(library: library())
    let mapped = try service(library: library(), basemap: tiles)
    let policies = [plain, mapped].map {
      $0.get("/app/").response.fields[.contentSecurityPolicy] ?? ""
    }
    #expect(policies[0].contains("img-src 'self' data:;"))
    #expect(policies[1].contains("img-src 'self' data: https://tiles.example:8443;"))
    #expect(
      policies[1].replacing(" https://tiles.example:8443", with: "") == policies[0]
    )
    #expect(
      mapped.get("/api.html").response.fields[.contentSecurityPolicy]?.contains("tiles") == false
    )
    #expect(data("basemap", of: plain.get("/app/").text) == nil)
    let page = mapped.get("/app/").text
    #expect(data("basemap", of: page) == tiles.template)
    #expect(page.contains("data-attribution=\"&lt;b&gt;&quot;Tiles&quot;&lt;/b&gt; &amp; Co\""))
  }

  @Test(
    arguments: [
      "", "tiles", "ftp://tiles.example/{z}/{x}/{y}", "https:///{z}/{x}/{y}",
      "https://tiles.example/{z}/{x}", "https://tiles.example/{z}/{x}/{y}/{s}",
      "https://{z}.example/{x}/{y}", "https://user@tiles.example/{z}/{x}/{y}",
      "https://tiles.example;script-src/{z}/{x}/{y}", "https://tiles.example /{z}/{x}/{y}",
      "https://tiles.example:0/{z}/{x}/{y}", "https://tiles.example:99999/{z}/{x}/{y}",
      "https://tiles.example/{z}/{x}/{y}' 'unsafe-inline'", "https://tiles.example/{z}/{x}/{y}\"",
      "//tiles.example/{z}/{x}/{y}", "https://tiles.example*/{z}/{x}/{y}",
      "https://[::1/{z}/{x}/{y}",
      "javascript:/{z}/{x}/{y}", "https://tiles.example/{z}/{x}/{y}\r\nx: y",
    ]
  )
  func `an address that is not one of tiles is refused`(template: String) {
    #expect(BasemapTemplate(template: template, attribution: "Tiles") == nil)
  }

  @Test(
    arguments: [
      ("http://localhost:8080/{z}/{x}/{y}.png", "http://localhost:8080"),
      ("https://[::1]:81/{z}/{x}/{y}@2x.webp", "https://[::1]:81"),
      ("https://Tiles.example/q?x={x}&y={y}&z={z}", "https://Tiles.example"),
    ]
  )
  func `an address of tiles has an origin`(template: String, origin: String) {
    #expect(BasemapTemplate(template: template, attribution: "Tiles")?.origin == origin)
    #expect(BasemapTemplate(template: template, attribution: "") == nil)
    #expect(BasemapTemplate(template: template, attribution: "a\nb") == nil)
  }

  @Test(
    arguments: [
      "", "q=place%201", "category=Thai", "category=Thai&category=Burgers", "at=Office",
      "at=32.95,-96.82&radius=2km", "bbox=-96.9,32.9,-96.7,33", "near=place-3&radius=1mi&q=place",
      "category=Thai&bbox=-97,32,-96,33&at=Office",
    ]
  )
  func `the map gets the restaurants of the list from a public route`(query: String) throws {
    let service = try service(library: library())
    let page = service.get("/app/map?\(query)").text
    #expect(!page.contains("class=\"notice"))
    let total = try #require(page.firstMatch(of: /class="total">(\d+)/)).1
    var ids: [String] = []
    var next = data("places", of: page)
    while let address = next {
      let reply = service.get(address)
      #expect(reply.status == 200)
      ids += reply.features.compactMap { $0["id"] as? String }
      let links = reply.json["links"] as? [[String: Any]] ?? []
      next = links.first { $0["rel"] as? String == "next" }?["href"] as? String
      next = next?.replacing("http://localhost", with: "")
    }
    #expect("\(ids.count)" == total && Set(ids).count == ids.count && !ids.isEmpty)
    var listed: [String] = []
    var more: String? = "/app/map?\(query)"
    while let address = more {
      let text = service.get(address).text
      listed += text.matches(of: /<li class="card" data-id="([^"]*)"/).map { String($0.1) }
      let link = text.firstMatch(of: /id="more" href="http:\/\/localhost([^"]*)"/)
      more = link.map { String($0.1).replacing("&amp;", with: "&") }
    }
    #expect(Set(listed) == Set(ids))
  }

  @Test func `categories with commas are on the map too`() throws {
    var places = SamplePlaces().places
    let names = ["Bars, Pubs", " Thai", "Joe's, and \"Ann's\" and more"]
    for (index, name) in names.enumerated() { places[index].category = name }
    let service = try service(places, library: library())
    let query = names.map { "category=\(PercentCoding.encoded($0))" }.joined(separator: "&")
    let page = service.get("/app/?\(query)&category=Burgers").text
    let addresses = try #require(data("places", of: page)).split(separator: " ")
    #expect(addresses.count == 4)
    let ids = addresses.flatMap {
      service.get(String($0)).features.compactMap { $0["id"] as? String }
    }
    let total = try #require(page.firstMatch(of: /class="total">(\d+)/)).1
    #expect("\(ids.count)" == total && Set(ids).count == ids.count)
  }

  @Test func `many restaurants come as tiles with the same filters`() throws {
    let places = try (0..<2_001).map { index in
      let coordinate = try #require(
        Coordinate(latitude: 32 + Double(index) / 1_000, longitude: -97 + Double(index % 7) / 10)
      )
      var place = Restaurant(
        id: "many-\(index)",
        name: "Many \(index)",
        coordinate: coordinate,
        source: "many"
      )
      place.category = index == 0 ? "Thai" : "Pizza"
      return place
    }
    let service = try service(places, library: library())
    let all = service.get("/app/").text
    #expect(data("tiles", of: all) == "/tiles/{z}/{x}/{y}.mvt" && data("places", of: all) == nil)
    let pizza = service.get("/app/?category=Pizza&q=many").text
    #expect(data("places", of: pizza)?.contains("&q=many&category=Pizza") == true)
    let some = service.get("/app/?q=many").text
    #expect(data("tiles", of: some) == "/tiles/{z}/{x}/{y}.mvt?q=many")
    let description = try #require(data("bounds", of: some))
    #expect(service.get(description).status == 200)
    // bounds are those of what matches
    let bounds = service.get("/tiles.json?category=Thai").json["bounds"] as? [Double]
    #expect(bounds == [-97.000001, 31.999999, -96.999999, 32.000001])
    let everything = service.get("/tiles.json").json["bounds"] as? [Double] ?? []
    #expect(everything.count == 4 && everything[3] > 33.9)
  }

  @Test(arguments: ["-97,32,-96.45,34.5", "-96.85,31,-96.95,35", "-180,-90,180,90"])
  func `tiles of a part of the map have the restaurants in it`(box: String) throws {
    let places = try (0..<2_400).map { index in
      let coordinate = try #require(
        Coordinate(latitude: 32 + Double(index) / 1_000, longitude: -97 + Double(index % 7) / 10)
      )
      var place = Restaurant(
        id: "many-\(index)",
        name: "Many \(index)",
        coordinate: coordinate,
        source: "many"
      )
      // a category that needs a condition of its own
      place.category = "Bars, Joe's"
      return place
    }
    let service = try service(places, library: library())
    let count = try #require(service.get("/count/bbox?bbox=\(box)").json["count"] as? Int)
    #expect(count > ListScope.maximumFeatures)
    for query in ["bbox=\(box)", "bbox=\(box)&category=Bars%2C%20Joe%27s&q=many"] {
      let page = service.get("/app/map?\(query)").text
      let addresses = try #require(data("tiles", of: page)).split(separator: " ")
      let found = addresses.map { address in
        let filter = address.drop { $0 != "?" }
        let items = service.get("/collections/restaurants/items\(filter)&limit=1")
        return items.json["numberMatched"] as? Int ?? 0
      }
      #expect(found.reduce(0, +) == count, "\(query)")
    }
  }

  @Test func `what part of the map is shown is in the address`() throws {
    for text in ["32.95,-96.82,13.5", "0.0,0.0,0.0", "-90.0,180.0,22.0"] {
      #expect(MapViewport(text)?.text == text)
    }
    for text in ["", "1,2", "1,2,3,4", "91,0,3", "0,181,3", "0,0,23", "0,0,-1", "nan,0,1", "0,0,x"]
    {
      #expect(MapViewport(text) == nil, "\(text)")
    }
    let service = try service(library: library())
    let page = service.get("/app/map?view=32.95,-96.82,13&q=place").text
    // the list shows the same part again, a filter shows all that it finds
    #expect(page.contains("id=\"to-list\" href=\"http://localhost/app/?q=place&amp;view=32.95"))
    let chip = try #require(page.firstMatch(of: /class="chip" href="([^"]*)"/)).1
    #expect(!chip.contains("view="))
    for wrong in ["view=1,2", "bbox=1,2,3", "radius=far&at=Office"] {
      #expect(service.get("/app/map?\(wrong)").text.contains("notice fault"), "\(wrong)")
    }
  }
}
