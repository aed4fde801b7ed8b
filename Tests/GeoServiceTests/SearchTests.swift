import Foundation
import GeoIndex
import GeoQuery
import HTTPTypes
import Testing

@testable import GeoService
@testable import GeoStore

/// Saved areas as `within`, `POST /search`, and counts by any field and by areas.
struct SearchTests {
  private let sample = SamplePlaces()
  private let service: SampleService

  private static let box = (west: -96.95, south: 32.8, east: -96.85, north: 33.1)
  private static let outline = AreaOutline.oldTownOutline

  init() throws {
    service = try SampleService()
  }

  private var inside: [String] {
    sample.inside(Self.box.west, Self.box.south, Self.box.east, Self.box.north)
  }

  @Test func `within – the name of a saved area – filters every query like a box`() throws {
    let (within, inside) = ("within=Old%20Town", inside)
    #expect(inside.count > 10 && inside.count < 200)
    let items = service.get("/collections/restaurants/items?limit=400&\(within)")
    #expect(items.ids == inside)
    let near = service.get("/nearest?lat=32.95&lon=-96.85&count=400&\(within)")
    let center = try #require(Coordinate(latitude: 32.95, longitude: -96.85))
    #expect(near.ids == sample.nearest(to: center, count: 400).filter(inside.contains))
    let radius = service.get("/radius?lat=32.95&lon=-96.85&radius=5km&\(within)")
    let disc = sample.nearest(to: center, count: 400, within: 5_000).filter(inside.contains)
    #expect(radius.ids == disc && !disc.isEmpty && disc.count < inside.count)
    #expect(service.get("/bbox?bbox=-180,-90,180,90&\(within)").ids == inside)
    #expect(
      service.get("/count/radius?lat=32.95&lon=-96.85&radius=5km&\(within)").json["count"] as? Int
        == disc.count
    )
    #expect(
      service.get("/count/bbox?bbox=-180,-90,180,90&\(within)").json["count"] as? Int
        == inside.count
    )
    #expect(service.get("/facets?by=city&\(within)").json["count"] as? Int == inside.count)
    #expect(
      service.get("/density?bbox=-97,32,-96,34&\(within)").json["count"] as? Int == inside.count
    )
    let cover = service.get("/cover?lat=32.95&lon=-96.85&want=rating%3E%3D0&places=1&\(within)")
    let rated = sample.places.filter { $0.rating != nil }.map(\.id)
    let first = near.ids.first { rated.contains($0) }
    #expect(((cover.json["places"] as? [[String: Any]])?.first?["id"] as? String) == first)
    let meet = service.get("/meet?at=32.95,-96.85&at=32.96,-96.85&count=400&f=geojson&\(within)")
    #expect(Set(meet.ids) == Set(inside))
  }

  @Test func `within – an unknown name, or an outline – is an error with the names there are`() {
    for target in ["nearest?lat=1&lon=2&", "facets?by=city&", "collections/restaurants/items?"] {
      let reply = service.get("/\(target)within=old%20town")
      #expect(reply.status == 400 && reply.text.contains("did you mean"), "\(reply.text)")
    }
    let reply = service.get("/bbox?bbox=0,0,1,1&within=POLYGON((0%200))")
    #expect(reply.status == 400 && reply.text.contains("there are Old Town"), "\(reply.text)")
  }

  @Test(arguments: ["/bbox?bbox=0,0,1,1&", "/app/?", "/app/map?"])
  func `within – an outline that has not been read – is read where plans are made`(
    target: String
  ) throws {
    let request = ServiceRequest(.get, target + "within=Old%20Town")
    for isRead in [false, true] {
      guard case .work(let executor, _) = service.service.begin(request) else {
        Issue.record("it is not work")
        return
      }
      #expect((executor != .plans) == isRead)
      #expect(service.send(request).status == 200)
    }
    #expect(service.get("/app/?within=Nowhere").text.contains("There is no saved area"))
  }

  @Test func `within – another outline of the same name – has another tag and voids cursors`()
    throws
  {
    let target = "/collections/restaurants/items?limit=2&within=Old%20Town"
    let first = service.get(target)
    let tile = "/tiles/0/0/0.mvt?within=Old%20Town"
    let hits = try #require(service.get(tile).response.hits)
    let next = try #require(first.target("next"))
    #expect(service.get(next).status == 200)
    let other = Self.outline.replacing("-96.85", with: "-96.9")
    let saved = SavedArea(name: "Old Town", digest: "0b", vertexCount: 5, since: "")
    let live = service.service.live
    live.replace(with: ServedExtras(areas: [AreaOutline(saved, other)]))
    #expect(service.get(target).response.fields[.eTag] != first.response.fields[.eTag])
    #expect(service.get(next).status == 400)
    // a tile that was kept is of the outline before
    #expect(service.get(tile).response.hits == service.get(target).json["numberMatched"] as? Int)
    #expect(service.get(tile).response.hits != hits)
  }

  @Test func `search – members like parameters – answers as GET does`() throws {
    for (body, target) in [
      ("{}", "/collections/restaurants/items?"),
      (#"{"lat":32.95,"lon":-96.85,"count":7}"#, "/nearest?lat=32.95&lon=-96.85&count=7&limit=10"),
      (
        #"{"lat":32.95,"lon":-96.85,"radius":"5km","limit":400,"category":["Thai","Café"]}"#,
        "/radius?lat=32.95&lon=-96.85&radius=5000&category=Thai,Caf%C3%A9"
      ),
      (
        #"{"bbox":[170,-20,-170,10],"sortby":["-rating","name"],"limit":5}"#,
        "/bbox?bbox=170,-20,-170,10&sortby=-rating,name&limit=5"
      ),
      (
        #"{"filter":"rating >= 4 or priceLevel = 1","ids":["place-1","place-2","place-3"]}"#,
        "/collections/restaurants/items?filter=rating%20%3E%3D%204%20or%20priceLevel%20%3D%201"
          + "&ids=place-1,place-2,place-3"
      ),
      (
        #"{"filter":{"op":">","args":[{"property":"rating"},4]}}"#,
        "/collections/restaurants/items?filter-lang=cql2-text&filter=rating%20%3E%204"
      ),
      (
        #"{"within":"Old Town","q":"place 1"}"#,
        "/bbox?bbox=-180,-90,180,90&q=place%201&within=Old%20Town&limit=10"
      ),
      (#"{"within":\#(Self.outline),"limit":400}"#, "/bbox?bbox=-96.95,32.8,-96.85,33.1"),
    ] {
      let (posted, got) = (service.post("/search", body), service.get(target))
      #expect(posted.status == 200 && posted.ids == got.ids, "\(body) \(posted.text.prefix(300))")
      #expect(posted.matched == got.matched && !got.ids.isEmpty, "\(body)")
    }
  }

  @Test func `search – is GeoJSON, for clients that accept nothing else too`() {
    for accept in ["application/geo+json", "application/json", "*/*"] {
      let reply = service.send(
        ServiceRequest(
          .post,
          "/search",
          fields: [.contentType: "application/json", .accept: accept],
          body: Array("{}".utf8)
        )
      )
      #expect(reply.status == 200 && reply.type == "application/geo+json", "\(accept)")
    }
  }

  @Test func `search – a query that the library encodes – is answered as the engine answers it`()
    throws
  {
    let center = try #require(Coordinate(latitude: 32.95, longitude: -96.85))
    let box = try #require(BoundingBox(west: -97, south: 32, east: -96, north: 33))
    let area = try AreaList(parsing: Array(Self.outline.utf8)).joined()
    let queries = [
      Query(.nearest(to: center, count: 7, within: 9_000), limit: 5, offset: 1),
      Query(.radius(5_000, of: center), matching: Filter(categories: ["Thai", "Café"]), limit: 9),
      Query(.box(box), in: Order(by: .rating, descending: true), limit: 20),
      Query(.everywhere, matching: Filter(text: "place 1", area: area), limit: 20),
      Query(
        .everywhere,
        matching: Filter(
          where: try FilterExpression("rating > 4 AND name LIKE 'P%'", in: .cql2Text),
          ids: (1...50).map { "place-\($0)" }
        ),
        limit: 20
      ),
    ]
    for query in queries {
      let body = String(decoding: try JSONEncoder().encode(query), as: UTF8.self)
      let expected = try service.service.live.current.engine.page(query).matches.map(\.id)
      let reply = service.post("/search", body)
      #expect(reply.status == 200 && reply.ids == expected, "\(body) \(reply.text.prefix(300))")
    }
  }

  @Test func `search – the link next – leads through all pages by its body`() throws {
    var body: [String: Any] = ["within": ["type": "Polygon", "coordinates": []], "limit": 7]
    body["within"] = try JSONSerialization.jsonObject(with: Data(Self.outline.utf8))
    var ids: [String] = []
    for _ in 0..<100 {
      let text = String(decoding: try JSONSerialization.data(withJSONObject: body), as: UTF8.self)
      let reply = service.post("/search", text)
      ids += reply.ids
      guard let link = reply.links("next").first else { break }
      #expect(link["method"] as? String == "POST" && link["merge"] as? Bool == true)
      let more = try #require(link["body"] as? [String: Any])
      body.merge(more) { _, new in new }
    }
    #expect(ids == inside)
  }

  @Test func `search – texts of an array – may have commas, and are taken as they are`() throws {
    var places = sample.places
    places[3].category = "Bars, Pubs"
    places[5].category = "Bars"
    places[7].id = "a,b"
    let service = try SampleService(places)
    let pubs = service.post("/search", #"{"category":["Bars, Pubs"]}"#)
    #expect(pubs.ids == [places[3].id])
    let both = service.post("/search", #"{"category":["Bars, Pubs","Bars"],"sortby":["name"]}"#)
    #expect(Set(both.ids) == [places[3].id, places[5].id])
    #expect(service.post("/search", #"{"ids":["a,b"]}"#).ids == ["a,b"])
    #expect(service.post("/search", #"{"ids":["a","b"]}"#).ids.isEmpty)
    #expect(service.post("/search", #"{"ids":"a,b"}"#).ids.isEmpty)
    #expect(service.post("/search", #"{"ids":[]}"#).ids.isEmpty)
    let list = Array(repeating: "", count: 40).joined(separator: ",")
    #expect(service.post("/search", #"{"category":["\#(list)"]}"#).status == 200)
  }

  @Test func `search – facets – are those of /facets`() throws {
    let body = #"{"within":"Old Town","facets":["category","area","name"],"limit":1}"#
    let facets = try #require(service.post("/search", body).json["facets"] as? [String: Any])
    for by in ["category", "area", "name"] {
      let reply = service.get("/facets?by=\(by)&within=Old%20Town").json["facets"]
      #expect(facets[by] as? NSArray == reply as? NSArray)
    }
  }

  @Test(
    arguments: [
      "[]", "{", #"{"lat":91,"lon":0}"#, #"{"lat":1}"#, #"{"radius":5}"#, #"{"count":3}"#,
      #"{"bbox":[1,2,3]}"#, #"{"bbox":[1,2,3,"4"]}"#, #"{"lat":1,"lon":2,"bbox":[1,2,3,4]}"#,
      #"{"filter":"rating"}"#, #"{"filter":{"op":"="}}"#, #"{"within":{"type":"Point"}}"#,
      #"{"within":"nowhere"}"#, #"{"within":{"type":"Polygon","coordinates":[[[0,0],[1e400,0]]]}}"#,
      #"{"facets":["city","city"]}"#, #"{"facets":"category"}"#, #"{"facets":["nothing"]}"#,
      #"{"facets":[1,2]}"#, #"{"limit":0}"#,
      #"{"favorite":true}"#, #"{"mark":"favorite"}"#, #"{"f":"csv"}"#, #"{"x":1}"#,
      #"{"cursor":"x"}"#,
      #"{"open":"noon"}"#, #"{"open-unknown":"true"}"#, #"{"sortby":["nothing"]}"#,
      #"{"facets":["city","city","city","city","city","city","city","city","city"]}"#,
    ]
  )
  func `search – a wrong body – is an error with a sentence`(_ body: String) {
    let reply = service.post("/search", body)
    #expect(reply.status == 400 && reply.json["detail"] is String, "\(body) \(reply.text)")
  }

  @Test func `facets – by area – count a restaurant in each of its areas, and those in none`()
    throws
  {
    let reply = service.get("/facets?by=area")
    let facets = try #require(reply.json["facets"] as? [[String: Any]])
    #expect(facets.map { $0["value"] as? String } == ["Old Town", nil])
    #expect(
      facets.map { $0["count"] as? Int } == [inside.count, sample.places.count - inside.count]
    )
    #expect(
      service.get("/facets?by=area&f=csv").text.hasPrefix(
        "area,count\r\nOld Town,\(inside.count)\r\n"
      )
    )
    // the same outline under another name is another answer
    let saved = SavedArea(name: "New Town", digest: "0a", vertexCount: 5, since: "")
    service.service.live.replace(with: ServedExtras(areas: [AreaOutline(saved, Self.outline)]))
    let renamed = service.get("/facets?by=area")
    #expect(renamed.text.contains("New Town"))
    #expect(renamed.response.fields[.eTag] != reply.response.fields[.eTag])
    let names = service.get("/facets?by=Name&limit=3")
    #expect(names.json["by"] as? String == "name" && names.json["values"] as? Int == 400)
    #expect((names.json["facets"] as? [Any])?.count == 3)
    #expect(service.get("/facets?by=extra").status == 400)
    #expect(service.get("/facets?by=prize").text.contains("there is no field"))
  }

  @Test func `search – GET – is not there`() {
    let reply = service.get("/search")
    #expect(
      reply.status == 405 && reply.response.fields[.allow] == "POST, OPTIONS",
      "\(reply.status)"
    )
  }
}
