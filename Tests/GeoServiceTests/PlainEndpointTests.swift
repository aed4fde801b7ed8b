import Foundation
import GeoIndex
import GeoQuery
import GeoStore
import HTTPTypes
import Testing

@testable import GeoService

/// `/nearest`, `/radius`, `/bbox` and their counts against plain counting over all places.
struct PlainEndpointTests {
  private let sample = SamplePlaces()
  private let points: [(Double, Double)] = [
    (32.95, -96.82), (0, 180), (0, -180), (90, 0), (-90, 45), (0, 0), (51.5, -0.1), (-0.0, 0),
  ]

  @Test func `the nearest are the nearest, in order, with their distances`() throws {
    let service = try SampleService(sample.places)
    for (latitude, longitude) in points {
      let center = try #require(Coordinate(latitude: latitude, longitude: longitude))
      for count in [1, 10, 399, 400] {
        let reply = service.get("/nearest?lat=\(latitude)&lon=\(longitude)&count=\(count)")
        #expect(reply.ids == sample.nearest(to: center, count: count))
        #expect(reply.distances.count == count)
        #expect(reply.distances == reply.distances.sorted())
        #expect(reply.matched == count && reply.returned == count)
      }
      let near = service.get("/nearest?lat=\(latitude)&lon=\(longitude)&max=500000&count=1000")
      #expect(near.ids == sample.nearest(to: center, count: 1_000, within: 500_000))
    }
  }

  @Test func `a radius takes what is on its edge and nothing beyond`() throws {
    let service = try SampleService(sample.places)
    let center = try #require(Coordinate(latitude: 32.95, longitude: -96.82))
    let edge = sample.places[0].coordinate.distance(to: center)
    for radius in [0, edge, edge.nextDown, 5_000, 20_003_931.4586, 20_037_508] {
      let query = "lat=32.95&lon=-96.82&radius=\(radius)"
      let expected = sample.nearest(to: center, count: .max, within: radius)
      #expect(service.get("/radius?\(query)").ids == expected)
      #expect(service.get("/count/radius?\(query)").json["count"] as? Int == expected.count)
    }
  }

  @Test func `a box is closed and crosses the antimeridian where west is above east`() throws {
    let service = try SampleService(sample.places)
    let boxes = [
      (-180.0, -90.0, 180.0, 90.0), (177, -20, -177, 20), (180, -30, -180, 30), (0, 0, 0, 6),
      (-97, 32.9, -96.8, 33), (-180, 90, 180, 90),
    ]
    for box in boxes {
      let text = "\(box.0),\(box.1),\(box.2),\(box.3)"
      let expected = sample.inside(box.0, box.1, box.2, box.3)
      #expect(service.get("/bbox?bbox=\(text)").ids == expected, "\(text)")
      #expect(service.get("/count/bbox?bbox=\(text)").json["count"] as? Int == expected.count)
      #expect(service.get("/bbox?bbox=\(text)").distances.isEmpty)
    }
  }

  @Test func `what a limit skips is said and linked`() throws {
    let service = try SampleService(sample.places)
    for path in ["/radius?lat=0&lon=0&radius=20037508", "/bbox?bbox=-180,-90,180,90"] {
      var ids: [String] = []
      var next: String? = path + "&limit=150"
      while let target = next {
        let reply = service.get(target)
        #expect(reply.matched == 400)
        ids += reply.ids
        next = reply.target("next")
      }
      #expect(ids == service.get(path).ids)
      #expect(ids.count == 400)
    }
  }

  @Test func `a text that is too long is refused before it is read, in a body too`() throws {
    let service = try SampleService(sample.places)
    func answer(_ question: String) -> Reply {
      var request = ServiceRequest(
        .post,
        "/nearest",
        body: Array("{\"points\":[{\"lat\":1,\"lon\":2}],\"count\":5,\(question)}".utf8)
      )
      request.fields[.contentType] = "application/json"
      return service.send(request)
    }
    let longest = String(repeating: "é", count: 128)
    for name in ["q", "city", "category"] {
      #expect(answer("\"\(name)\":\"\(longest)\"").status == 200)
      #expect(answer("\"\(name)\":\"\(longest)a\"").status == 400)
    }
    #expect(answer("\"category\":[\"Thai\",\"\(longest)\"]").status == 200)
    #expect(answer("\"category\":[\"Thai\",\"\(longest)a\"]").status == 400)
    #expect(answer("\"q\":\"\(String(repeating: "place ", count: 20_000))\"").status == 400)
    let categories = [String](repeating: "\"a\"", count: 33).joined(separator: ",")
    #expect(answer("\"category\":[\(categories)]").status == 400)
  }

  @Test func `filters count inside the search`() throws {
    let service = try SampleService(sample.places)
    let thai = sample.places.filter { $0.category == "Thai" }
    let both = sample.places.filter { ["Thai", "Café"].contains($0.category) }
    #expect(
      service.get("/count/bbox?bbox=-180,-90,180,90&category=thai").json["count"] as? Int
        == thai.count
    )
    let query = "/bbox?bbox=-180,-90,180,90&category=THAI,cafe"
    #expect(service.get(query).ids == both.map(\.id))
    let city = sample.places.filter { $0.address.city == "Zürich" }.map(\.id)
    #expect(service.get("/bbox?bbox=-180,-90,180,90&city=zurich").ids == city)
    let text = sample.places.filter { $0.name.hasPrefix("Place 3") && $0.address.city == "Dallas" }
    #expect(service.get("/bbox?bbox=-180,-90,180,90&q=place+3%20dall").ids == text.map(\.id))
    #expect(service.get("/nearest?lat=0&lon=0&count=1000&city=nowhere").ids.isEmpty)
    #expect(service.get("/nearest?lat=0&lon=0&q=%2A%25").ids.isEmpty)
  }

  @Test func `a batch answers each point as if it were alone`() throws {
    let service = try SampleService(sample.places)
    let list = points.map { #"{"lat":\#($0.0),"lon":\#($0.1)}"# }.joined(separator: ",")
    let reply = service.post("/nearest", #"{"points":[\#(list)],"count":7,"category":["Thai"]}"#)
    #expect(reply.status == 200)
    let answers = reply.json["answers"] as? [[String: Any]] ?? []
    #expect(answers.count == points.count)
    for (point, answer) in zip(points, answers) {
      let alone = service.get("/nearest?lat=\(point.0)&lon=\(point.1)&count=7&category=Thai")
      let ids = (answer["features"] as? [[String: Any]])?.map { $0["id"] as? String }
      #expect(ids == alone.ids)
    }
  }

  @Test func `a batch has the filters of a search`() throws {
    let service = try SampleService(sample.places)
    let outline = AreaOutline.oldTownOutline
    let old = service.get("/nearest?lat=32.95&lon=-96.85&count=9&within=Old%20Town").ids
    let rated = service.get("/nearest?lat=32.95&lon=-96.85&count=9&filter=rating%3E4").ids
    let cql = #"{"op":">","args":[{"property":"rating"},4]}"#
    for (member, expected) in [
      (#""within":"Old Town""#, old), (#""within":\#(outline)"#, old),
      (#""filter":"rating > 4""#, rated), (#""filter":\#(cql),"filter-lang":"cql2-json""#, rated),
    ] {
      let body = #"{"points":[{"lat":32.95,"lon":-96.85}],"count":9,\#(member)}"#
      let reply = service.post("/nearest", body)
      let answer = (reply.json["answers"] as? [[String: Any]])?.first
      let ids = (answer?["features"] as? [[String: Any]])?.map { $0["id"] as? String }
      #expect(ids == expected && !expected.isEmpty, "\(member) \(reply.text.prefix(200))")
    }
    for member in [#""lat":1"#, #""limit":3"#, #""favorite":true"#, #""sortby":["name"]"#] {
      let body = #"{"points":[{"lat":32.95,"lon":-96.85}],\#(member)}"#
      #expect(service.post("/nearest", body).status == 400)
    }
  }

  @Test(
    arguments: [
      "", "[]", "{}", #"{"points":[]}"#, #"{"points":[{"lat":1}]}"#, #"{"points":[[1,2]]}"#,
      #"{"points":[{"lat":91,"lon":0}]}"#, #"{"points":[{"lat":"1","lon":0}]}"#,
      #"{"points":[{"lat":1,"lon":0}],"count":0}"#, #"{"points":[{"lat":1,"lon":0}],"cuont":1}"#,
      #"{"points":[{"lat":1,"lon":0}],"count":1001}"#, #"{"points":[{"lat":1e999,"lon":0}]}"#,
      #"{"points":[{"lat":1,"lon":0}],"count":1.5}"#, #"{"points":[{"lat":NaN,"lon":0}]}"#,
      #"{"points":[{"lat":1,"lon":0}],"points":[]}"#, String(repeating: "[", count: 100_000),
      #"{"points":[{"lat":1,"lon":0}],"category":""}"#, #"{"points":[{"lat":1,"lon":0}]} x"#,
    ]
  )
  func `a batch that is wrong is refused`(body: String) throws {
    let reply = try SampleService().post("/nearest", body)
    #expect(reply.status == 400)
    #expect(reply.type == "application/problem+json")
  }

  @Test func `a batch has limits`() throws {
    let service = try SampleService()
    let point = #"{"lat":1,"lon":0}"#
    let many = { (count: Int) in Array(repeating: point, count: count).joined(separator: ",") }
    #expect(service.post("/nearest", #"{"points":[\#(many(1_000))],"count":10}"#).status == 200)
    #expect(service.post("/nearest", #"{"points":[\#(many(1_001))],"count":1}"#).status == 400)
    #expect(service.post("/nearest", #"{"points":[\#(many(1_000))],"count":11}"#).status == 400)
    #expect(service.post("/nearest", String(repeating: " ", count: 1 << 20) + "{}").status == 413)
    #expect(service.post("/nearest", #"{"points":[\#(point)]}"#, type: "text/plain").status == 415)
    #expect(service.post("/nearest", #"{"points":[\#(point)]}"#, type: nil).status == 415)
    #expect(service.post("/radius", "{}").status == 405)
  }

  @Test func `a distance may have a unit, and k stands for count`() throws {
    let service = try SampleService(sample.places)
    let at = "lat=32.95&lon=-96.85"
    for (short, long) in [
      ("1.5km", "1500"), ("2%20mi", "3218.688"), ("300ft", "91.44"), ("9m", "9"),
    ] {
      #expect(
        service.get("/radius?\(at)&radius=\(short)").ids
          == service.get("/radius?\(at)&radius=\(long)").ids
      )
      #expect(
        service.get("/nearest?\(at)&max=\(short)").ids
          == service.get("/nearest?\(at)&max=\(long)").ids
      )
    }
    #expect(service.get("/nearest?\(at)&k=3").ids == service.get("/nearest?\(at)&count=3").ids)
    #expect(service.get("/nearest?\(at)&k=3").ids.count == 3)
    #expect(service.get("/nearest?\(at)&k=3&count=3").status == 400)
    for wrong in ["km", "-1km", "1%20km%20", "1yd", "1kmm", "nankm", "20038km"] {
      #expect(service.get("/radius?\(at)&radius=\(wrong)").status == 400, "\(wrong)")
    }
  }
}
