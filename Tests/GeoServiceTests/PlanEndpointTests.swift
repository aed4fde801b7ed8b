import Foundation
import GeoIndex
import GeoQuery
import HTTPTypes
import Testing

@testable import GeoService

/// `/cover` and `/meet`.
struct PlanEndpointTests {
  private static let cover = "/cover?lat=32.95&lon=-96.85"

  @Test(
    arguments: [
      ("/cover?lat=1&want=a", "lon"), ("/cover?lat=1&lon=2", "want"),
      ("/cover?lat=nan&lon=2&want=a", "lat"), ("\(cover)&want=", "want"),
      ("\(cover)&want=%20", "want"), ("\(cover)&want=text:", "want"),
      ("\(cover)&want=ratng%20>=%204", "want"), ("\(cover)&want=rating%20>=%20x", "want"),
      ("\(cover)&want=a&want=offer:7533", "want"),
      (cover + String(repeating: "&want=a", count: 65), "want"),
      ("\(cover)&want=" + String(repeating: "a", count: 257), "want"),
      ("\(cover)&want=a&places=0", "places"), ("\(cover)&want=a&places=6", "places"),
      ("\(cover)&want=a&places=2&places=2", "places"), ("\(cover)&want=a&lat=1", "lat"),
      ("\(cover)&want=a&by=sum", "by"), ("\(cover)&want=a&prefer=all", "prefer"),
      ("\(cover)&want=a&max=-1", "max"), ("\(cover)&want=a&rank=0", "rank"),
      ("\(cover)&want=a&rank=1001", "rank"), ("\(cover)&want=a&rank=1&places=2", "rank"),
      ("\(cover)&want=a&frontier=true&by=walk", "frontier"),
      ("\(cover)&want=a&frontier=yes", "frontier"), ("\(cover)&want=a&f=csv", "f"),
      ("\(cover)&want=a&bbox=1,2,3,4", "bbox"), ("\(cover)&want=a&k=2", "k"),
      ("/meet", "at"), ("/meet?at=1,1", "at"), ("/meet?at=1,1&at=1", "at"),
      ("/meet?at=1,1&at=91,1", "at"), ("/meet?at=1,1&at=nan,1", "at"),
      ("/meet?at=1,1&at=1,1,1", "at"), ("/meet?at=1,1&at=", "at"),
      ("/meet?at=" + Array(repeating: "1,1", count: 65).joined(separator: "&at="), "at"),
      ("/meet?at=1,1&at=2,2&k=2&count=2", "count"), ("/meet?at=1,1&at=2,2&k=0", "k"),
      ("/meet?at=1,1&at=2,2&by=walk", "by"), ("/meet?at=1,1&at=2,2&by=sum&by=sum", "by"),
      ("/meet?at=1,1&at=2,2&filter=x%20=%201", "filter"), ("/meet?at=1,1&at=2,2&lat=1", "lat"),
    ]
  )
  func `a question that is wrong is refused with a sentence`(target: String, name: String) throws {
    let reply = try SampleService().get(target)
    #expect(reply.status == 400)
    let parameter = reply.json["parameter"] as? String
    // k is another name for count
    #expect(parameter == name || (name == "k" && parameter == "count"), "\(reply.text)")
    #expect((reply.json["detail"] as? String)?.isEmpty == false)
  }

  @Test func `as many wants and points as there may be are answered`() throws {
    let service = try SampleService()
    let wants = service.get(Self.cover + String(repeating: "&want=Thai", count: 64))
    #expect(wants.status == 200 && wants.json["met"] as? Int == 64)
    let points = Array(repeating: "1,1", count: 64).joined(separator: "&at=")
    #expect(service.get("/meet?at=\(points)&k=1000").json["count"] as? Int == 400)
  }

  @Test func `a body asks what parameters ask`() throws {
    let service = try SampleService()
    let pairs = [
      (
        "&want=Thai&want=rating%20>=%204&want=text:place&max=9km&by=walk&places=2",
        #""want":["Thai","rating >= 4","text:place"],"max":9000,"by":"walk","places":2"#
      ),
      ("&want=Thai&want=Pub&rank=5", #""want":["Thai","Pub"],"rank":5,"frontier":false"#),
      (
        "&want=Thai&want=name%20~%201&frontier=true&prefer=count",
        #""want":["Thai","name ~ 1"],"frontier":true,"prefer":"count""#
      ),
      ("&want=caf%C3%A9&max=20000", #""want":["caf\u00e9"],"max":2e4"#),
    ]
    for (query, members) in pairs {
      let asked = service.get(Self.cover + query)
      let sent = service.post("/cover", #"{"lat":32.95,"lon":-96.85,\#(members)}"#)
      #expect(asked.status == 200 && sent.status == 200, "\(sent.text)")
      #expect(asked.text == sent.text)
      #expect(sent.response.fields[.eTag] == nil)
    }
  }

  @Test(
    arguments: [
      "", "[]", "{}", #"{"lat":1,"lon":2}"#, #"{"lat":1,"lon":2,"want":[]}"#,
      #"{"lat":1,"lon":2,"want":"a"}"#, #"{"lat":1,"lon":2,"want":[1]}"#,
      #"{"lat":1,"lon":2,"want":[""]}"#, #"{"lat":"1","lon":2,"want":["a"]}"#,
      #"{"lat":91,"lon":2,"want":["a"]}"#, #"{"lat":NaN,"lon":2,"want":["a"]}"#,
      #"{"lat":1,"lon":2,"want":["a"],"places":0}"#, #"{"lat":1,"lon":2,"want":["a"],"places":6}"#,
      #"{"lat":1,"lon":2,"want":["a"],"places":1.5}"#,
      #"{"lat":1,"lon":2,"want":["a"],"max":"9 inches"}"#,
      #"{"lat":1,"lon":2,"want":["a"],"frontier":"true"}"#,
      #"{"lat":1,"lon":2,"want":["a"],"cuont":1}"#, #"{"lat":1,"lon":2,"want":["a"],"f":"json"}"#,
      #"{"lat":1,"lon":2,"want":["a"],"want":["b"]}"#, #"{"lat":1,"lat":1,"lon":2,"want":["a"]}"#,
      #"{"lat":1,"lon":2,"want":["offer:7"]}"#, #"{"lat":1,"lon":2,"want":["ratng > 4"]}"#,
      #"{"lat":1,"lon":2,"want":["a"],"by":null}"#, #"{"lat":1,"lon":2,"want":["a"]} x"#,
      String(repeating: "[", count: 100_000),
      #"{"want":"# + String(repeating: "[", count: 100_000),
      #"{"lat":1,"lon":2,"want":["# + Array(repeating: "\"a\"", count: 65).joined(separator: ",")
        + "]}",
    ]
  )
  func `a body that is wrong is refused`(body: String) throws {
    let reply = try SampleService().post("/cover", body)
    #expect(reply.status == 400, "\(reply.text)")
    #expect(reply.type == "application/problem+json")
  }

  @Test func `a body has a limit and a type`() throws {
    let service = try SampleService()
    let body = #"{"lat":1,"lon":2,"want":["a"]}"#
    #expect(service.post("/cover", body).status == 200)
    #expect(service.post("/cover", String(repeating: " ", count: 1 << 20) + body).status == 413)
    #expect(service.post("/cover", body, type: "text/plain").status == 415)
    #expect(service.post("/meet", body).status == 405)
  }

  @Test func `answers come as JSON, GeoJSON and a page`() throws {
    let service = try SampleService()
    for target in [Self.cover + "&want=Thai&want=Burgers", "/meet?at=1,1&at=2,2&k=2"] {
      let json = service.get(target)
      #expect(json.type == "application/json" && json.json["schema"] is String)
      #expect(service.get(target + "&f=json").text == json.text)
      let collection = service.get(target, [.accept: "application/geo+json"])
      #expect(collection.type == "application/geo+json" && !collection.features.isEmpty)
      #expect(service.get(target + "&f=geojson").text == collection.text)
      let list = json.json["places"] ?? json.json["items"]
      #expect((list as? [[String: Any]])?.map { $0["id"] as? String } == collection.ids)
      let page = service.get(target + "&f=html")
      #expect(page.type == "text/html; charset=utf-8" && page.text.contains("<h2><a href="))
      let links = json.response.fields[.link] ?? ""
      #expect(links.contains("f=geojson>; rel=\"alternate\"") && links.contains("f=html>"))
    }
    let landing = service.get("/").links("related").compactMap { $0["href"] as? String }
    #expect(landing.contains { $0.hasSuffix("/api.html#cover") })
    #expect(service.get("/api.html").text.contains("<h2 id=\"meet\">"))
  }

  @Test func `a tag belongs to a question and a generation`() throws {
    let places = SamplePlaces().places
    let service = try SampleService(places)
    for target in [Self.cover + "&want=Thai", "/meet?at=1,1&at=2,2"] {
      let tag = try #require(service.get(target).response.fields[.eTag])
      #expect(service.get(target, [.ifNoneMatch: tag]).status == 304)
      #expect(service.get(target + "&f=geojson", [.ifNoneMatch: tag]).status == 200)
    }
    let target = Self.cover + "&want=Thai"
    let tag = try #require(service.get(target).response.fields[.eTag])
    service.service.live.replace(with: try TemporarySnapshot.make(of: places, generation: 2))
    #expect(service.get(target, [.ifNoneMatch: tag]).status == 200)
  }

  /// Places with one in nine of 64 words each: a group of five has more combinations than there is time.
  private func wordPlaces() -> [Restaurant] {
    var random = SplitMix(state: 64)
    return (10_000..<20_000).compactMap { number in
      guard let at = Coordinate(latitude: 32 + random.unit(), longitude: -97 + random.unit()) else {
        return nil
      }
      let words = (10..<74).filter { _ in random.unit() < 0.11 }.map { "w\($0)" }
      return Restaurant(
        id: "\(number)",
        name: "place " + words.joined(separator: " "),
        coordinate: at,
        source: "words"
      )
    }
  }

  @Test func `what the time limit ends has bounds, and neither a tag nor a place in caches`() throws
  {
    var settings = ServiceSettings.sample
    settings.queryTime = .seconds(1)
    let service = try SampleService(wordPlaces(), settings: settings)
    let wants = (10..<74).map { "&want=text:w\($0)" }.joined()
    let reply = service.get("/cover?lat=32.5&lon=-96.5&places=5\(wants)")
    #expect(reply.status == 200)
    #expect(reply.json["optimal"] as? Bool == false)
    let bounds = try #require(reply.json["bounds"] as? [String: Any])
    let met = reply.json["met"] as? Int ?? 0
    #expect(met > 20 && bounds["met"] as? Int ?? 0 >= met)
    #expect(reply.response.fields[.eTag] == nil)
    #expect(reply.response.fields[.cacheControl] == "no-store")
    settings.queryTime = .zero
    let late = try SampleService(wordPlaces(), settings: settings)
    #expect(late.get("/cover?lat=1&lon=2&want=a").status == 503)
  }

  @Test func `favorites as a want – which would need their access rule – are refused`() throws {
    let service = try SampleService(favorites: MemoryFavorites())
    let target = "/cover?lat=1&lon=2&want=favorite%20%3D%20true"
    for reply in [
      service.get(target), service.send(.owners(.get, target)),
      service.post("/cover", #"{"lat":1,"lon":2,"wants":["favorite = true"]}"#),
      service.post("/cover", #"{"lat":1,"lon":2,"want":["favorite = true"]}"#),
    ] {
      #expect(reply.status == 400, "\(reply.text)")
    }
    let page = service.get("/app/wants?want=favorite%20%3D%20true")
    #expect(page.text.contains("favorite is not a field of wants here"))
  }

  @Test func `favorites filter a meeting for requests that may read them`() throws {
    let favorites = MemoryFavorites()
    _ = try favorites.addFavorites(["place-3"])
    let service = try SampleService(favorites: favorites)
    let reply = service.send(.owners(.get, "/meet?at=1,1&at=2,2&favorite=true"))
    let items = reply.json["items"] as? [[String: Any]] ?? []
    #expect(items.map { $0["id"] as? String } == ["place-3"])
  }

  @Test func `spread – without max – looks within 50 km, and the answer says so`() throws {
    // the closest pair of a and b is 400 km away
    let places = [("a", 1.0), ("b", 1.1), ("a", 4.0), ("b", 4.001)].enumerated().compactMap {
      index,
      place in
      Coordinate(latitude: place.1, longitude: 2).map {
        var restaurant = Restaurant(id: "p\(index)", name: "P", coordinate: $0, source: "sample")
        restaurant.category = place.0
        return restaurant
      }
    }
    let service = try SampleService(places)
    func answer(_ more: String) throws -> (ids: [String], max: Double?) {
      let json = service.get("/cover?lat=1&lon=2&want=a&want=b&by=spread" + more).json
      let places = json["places"] as? [[String: Any]] ?? []
      return (places.compactMap { $0["id"] as? String }, json["max"] as? Double)
    }
    #expect(try answer("").ids == ["p0", "p1"])
    #expect(try answer("").max == 50_000)
    #expect(try answer("&max=1000km").ids == ["p2", "p3"])
    #expect(try answer("&max=1000km").max == 1_000_000)
  }

  @Test func `plans are made off the event loop`() throws {
    let service = try SampleService()
    for target in [Self.cover + "&want=a", "/meet?at=1,1&at=2,2"] {
      guard case .work(let place, _) = service.service.begin(ServiceRequest(.get, target)) else {
        Issue.record("\(target) is not work")
        continue
      }
      if case .inline = place { Issue.record("\(target) is made on the event loop") }
    }
  }
}
