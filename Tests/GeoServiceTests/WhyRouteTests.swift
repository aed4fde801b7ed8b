import Foundation
import GeoIndex
import GeoQuery
import HTTPTypes
import Testing

@testable import GeoService

/// `/why/{id}` against the answers of the routes whose queries it explains.
struct WhyRouteTests {
  private let sample = SamplePlaces()

  @Test(
    arguments: [
      ("/nearest", "lat=32.95&lon=-96.82&count=20&category=thai"),
      ("/nearest", "lat=32.95&lon=-96.82&k=30&max=20km&sortby=-rating"),
      ("/radius", "lat=32.95&lon=-96.82&radius=3km&filter=rating%20%3E%3D%202"),
      ("/bbox", "bbox=-97,32,0,34&city=dallas"), ("/bbox", "bbox=170,-20,-170,20&q=place"),
      ("/collections/restaurants/items", "ids=place-1,place-2,place-3&limit=1000"),
      ("/collections/restaurants/items", "filter=closed%20%3D%20false&limit=10000&sortby=name"),
    ]
  )
  func `an explanation – of every restaurant – agrees with the route that answers the query`(
    _ path: String,
    _ query: String
  ) throws {
    let service = try SampleService(sample.places)
    let answer = service.get("\(path)?\(query)")
    #expect(answer.status == 200)
    for place in sample.places {
      let reply = service.get("/why/\(place.id)?\(query)")
      #expect(reply.status == 200, "\(reply.text)")
      let index = answer.ids.firstIndex(of: place.id)
      #expect(reply.json["rank"] as? Int == index.map { $0 + 1 }, "\(reply.text)")
      #expect(reply.json["included"] as? Bool == (index != nil))
      #expect(reply.json["total"] as? Int == answer.ids.count)
      let isKnown = (reply.json["fails"] == nil) == (index != nil)
      #expect(isKnown && (reply.json["remedy"] == nil) == (index != nil), "\(reply.text)")
    }
  }

  @Test func `a radius and a count that are named – asked for – have the restaurant`() throws {
    let service = try SampleService(sample.places)
    var asked = 0
    for place in sample.places {
      let point = "lat=32.95&lon=-96.82"
      let nearest = service.get("/why/\(place.id)?\(point)&count=5&max=1000")
      if let remedy = nearest.json["remedy"] as? [String: Any] {
        let count = remedy["count"] as? Int ?? 5
        let maximum = (remedy["max"] as? NSNumber)?.description ?? "1000"
        #expect(service.get("/nearest?\(point)&count=\(count)&max=\(maximum)").ids.last == place.id)
        asked += 1
      }
      let why = service.get("/why/\(place.id)?\(point)&radius=1000")
      guard let remedy = why.json["remedy"] as? [String: Any] else { continue }
      let text = why.text
      let start = try #require(text.range(of: "\"radius\":", options: .backwards))
      let radius = text[start.upperBound...].prefix { "0123456789.e-".contains($0) }
      // at a pole are several
      let found = service.get("/radius?\(point)&radius=\(radius)")
      #expect(found.ids.contains(place.id), "\(remedy)")
      #expect(found.distances.last == why.json["distance"] as? Double)
    }
    #expect(asked > 300)
  }

  @Test func `the links and the tag – of an explanation – are those of a read`() throws {
    let service = try SampleService(sample.places)
    let target = "/why/place-1?lat=1&lon=2&filter=rating%20%3E%203&open=2026-11-27T12:30"
    let reply = service.get(target)
    #expect(reply.type == "application/json" && reply.response.fields[.eTag] != nil)
    #expect(reply.response.fields[.cacheControl] == "no-cache")
    let links = reply.response.fields[.link] ?? ""
    #expect(links.contains("rel=\"self\"") && links.contains("/items/place-1>; rel=\"related\""))
    let own = String(links.dropFirst("<http://localhost".count).prefix { $0 != ">" })
    #expect(service.get(own).text == reply.text)
    var again = ServiceRequest(.get, target)
    again.fields[.ifNoneMatch] = reply.response.fields[.eTag]
    #expect(service.send(again).status == 304)
    let open = (reply.json["fails"] as? [[String: Any]])?.first { $0["part"] as? String == "open" }
    #expect(open?["state"] as? String == "unknown" && open?["at"] as? String == "2026-11-27T12:30")
  }

  @Test(
    arguments: [
      ("/why/nobody", 404, nil), ("/why/nobody?lat=1&lon=2", 404, nil), ("/why/", 404, nil),
      ("/why/place-1?lat=1", 400, "lon"), ("/why/place-1?lon=1&count=3", 400, "lat"),
      ("/why/place-1?count=3", 400, "count"), ("/why/place-1?max=3", 400, "max"),
      ("/why/place-1?radius=3", 400, "lat"),
      ("/why/place-1?lat=1&lon=2&radius=3&count=4", 400, "count"),
      ("/why/place-1?lat=1&lon=2&bbox=1,2,3,4", 400, "bbox"),
      ("/why/place-1?lat=1&lon=2&radius=3&bbox=1,2,3,4", 400, "bbox"),
      ("/why/place-1?sortby=distance", 400, "sortby"), ("/why/place-1?filter=x", 400, "filter"),
      ("/why/place-1?cursor=x", 400, "cursor"), ("/why/place-1?x=1", 400, "x"),
    ] as [(String, Int, String?)]
  )
  func `what is wrong – an unknown id, parameters that do not go together – is a problem`(
    _ target: String,
    _ status: Int,
    _ parameter: String?
  ) throws {
    let reply = try SampleService(sample.places).get(target)
    #expect(reply.status == status && reply.type == "application/problem+json", "\(reply.text)")
    #expect(reply.json["parameter"] as? String == parameter, "\(reply.text)")
  }

  @Test func `favorites – as a filter – are explained to who may read them`() throws {
    let favorites = MemoryFavorites()
    _ = try favorites.addFavorites(["place-1"])
    let service = try SampleService(sample.places, favorites: favorites)
    #expect(service.get("/why/place-1?favorite=true").json["included"] as? Bool == true)
    let other = service.get("/why/place-2?favorite=true")
    #expect((other.json["fails"] as? [[String: String]])?.first == ["part": "favorite"])
    #expect(other.response.fields[.cacheControl] == "private, no-cache")
  }
}
