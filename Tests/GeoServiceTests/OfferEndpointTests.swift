import Foundation
import GeoIndex
import GeoQuery
import HTTPTypes
import Testing

@testable import GeoService

/// `/offers` and `/offers/{id}`.
struct OfferEndpointTests {
  private func offers(_ reply: Reply) -> [[String: Any]] {
    reply.json["offers"] as? [[String: Any]] ?? []
  }

  @Test func `offers are sorted by id and have their places`() throws {
    let service = try SampleService()
    let reply = service.get("/offers")
    #expect(reply.status == 200 && reply.type == "application/json")
    #expect(reply.json["numberMatched"] as? Int == 2)
    #expect(offers(reply).map { $0["id"] as? String } == ["b/ö", "place-1"])
    let places = offers(reply).map { $0["where"] as? [String: Any] }
    #expect(places.map { $0?["places"] as? Int } == [0, 2])
    #expect(places.first??["chains"] as? [String] == ["Wendy's®", "Chuy's"])
    #expect(places.allSatisfy { $0?["nearest"] == nil })
  }

  @Test func `from a point the nearest place is exact, and what is too far is skipped`() throws {
    let service = try SampleService()
    let all = SamplePlaces().places
    let center = try #require(Coordinate(latitude: 32.9, longitude: -96.8))
    let nearest = all.filter { ["place-1", "place-5"].contains($0.id) }
      .map { center.distance(to: $0.coordinate) }.min()
    let reply = service.get("/offers?lat=32.9&lon=-96.8")
    #expect(offers(reply).map { $0["id"] as? String } == ["place-1", "b/ö"])
    let place = offers(reply).first?["where"] as? [String: Any]
    let found = place?["nearest"] as? [String: Any]
    let distance = try #require(found?["distance"] as? Double)
    #expect(abs(distance - (nearest ?? 0)) < 1e-8)
    let reached = service.get("/offers?lat=32.9&lon=-96.8&max=\((nearest ?? 0).rounded(.up))")
    #expect(offers(reached).map { $0["id"] as? String } == ["place-1"])
    let one = service.get("/offers/place-1?lat=32.9&lon=-96.8")
    #expect(
      (one.json["where"] as? [String: Any])?["nearest"] as? NSDictionary == found as NSDictionary?
    )
  }

  @Test func `one offer is found by its id, another is not`() throws {
    let service = try SampleService()
    let reply = service.get("/offers/b%2F%C3%B6")
    #expect(reply.status == 200 && reply.json["name"] as? String == "<b>Nowhere</b>")
    #expect(reply.json["description"] as? String == "a\r\nb\u{202E}")
    let unknown = service.get("/offers/nobody")
    #expect(unknown.status == 404 && unknown.type == "application/problem+json")
    #expect(service.get("/offers/").status == 404)
    #expect(service.get("/offers/" + String(repeating: "e%CC%81", count: 900)).status == 404)
  }

  @Test(
    arguments: [
      "q=nothing", "category=Dinner", "chain=Nobody", "q=!", "lat=0&lon=0&max=1",
    ]
  )
  func `what nothing fits is an empty list`(_ query: String) throws {
    let reply = try SampleService().get("/offers?" + query)
    #expect(reply.status == 200 && offers(reply).isEmpty)
    #expect(reply.json["numberMatched"] as? Int == 0)
  }

  @Test(
    arguments: [
      ("q=WING", "place-1"), ("category=lunch", "place-1"), ("chain=wendys", "b/ö"),
      ("chain=7", "b/ö"), ("q=nowh", "b/ö"),
    ]
  )
  func `words, category and chain choose`(_ query: String, _ id: String) throws {
    let reply = try SampleService().get("/offers?" + query)
    #expect(offers(reply).map { $0["id"] as? String } == [id])
  }

  @Test(
    arguments: [
      ("lat=1", "lon"), ("lon=1", "lat"), ("max=5", "max"), ("lat=91&lon=1", "lat"),
      ("lat=1&lon=2&max=-1", "max"), ("limit=0", "limit"), ("offset=-1", "offset"),
      ("q=" + String(repeating: "x", count: 257), "q"), ("chain=a&chain=b", "chain"),
      ("chain=", "chain"), ("color=red", "color"),
      ("category=" + Array(repeating: "a", count: 33).joined(separator: ","), "category"),
      ("on=2026-02-30", "on"), ("on=12/1/2026", "on"), ("on=", "on"), ("expired=yes", "expired"),
    ]
  )
  func `a wrong parameter is named`(_ query: String, _ parameter: String) throws {
    let reply = try SampleService().get("/offers?" + query)
    #expect(reply.status == 400)
    #expect(reply.json["parameter"] as? String == parameter, "\(reply.json)")
  }

  @Test func `pages join to the whole list, forwards and back`() throws {
    let list = (0..<25).map { Offer(id: "o\($0)", name: "Offer \($0)", source: "s") }
    let service = try SampleService(book: OfferBook(revision: 1, offers: list, chains: []))
    for start in ["/offers?limit=4", "/offers?limit=4&lat=1&lon=2"] {
      var target = start
      var ids: [String] = []
      while true {
        let reply = service.get(target)
        ids += offers(reply).compactMap { $0["id"] as? String }
        guard let next = reply.target("next") else { break }
        target = next
      }
      #expect(ids == list.map(\.id).sorted())
      let last = service.get(target)
      let previous = try #require(last.target("prev"))
      #expect(offers(service.get(previous)).count == 4)
    }
  }

  @Test func `the tag changes with the offers, and only that of answers that depend on them`()
    throws
  {
    let service = try SampleService()
    let targets = [
      "/offers", "/offers/place-1", "/cover?lat=1&lon=2&want=Thai", "/bbox?bbox=1,2,3,4",
    ]
    let before = targets.map { service.get($0).response.fields[.eTag] }
    #expect(before.allSatisfy { $0 != nil })
    var fields: HTTPFields = [:]
    fields[.ifNoneMatch] = before[0]
    #expect(service.get("/offers", fields).status == 304)
    let same = OfferBook.sample
    let book = OfferBook(revision: 4, offers: same.offers, chains: same.chains)
    service.service.live.replace(with: ServedExtras(book: book, areas: [.oldTown]))
    let after = targets.map { service.get($0).response.fields[.eTag] }
    #expect(zip(before, after).map { $0 == $1 } == [false, false, false, true])
    #expect(service.get("/offers", fields).status == 200)
  }

  @Test func `a page for people has every text escaped, and links to each offer`() throws {
    let service = try SampleService()
    let page = service.get("/offers?f=html")
    #expect(page.type == "text/html; charset=utf-8")
    #expect(page.text.contains("&lt;b&gt;Nowhere") && !page.text.contains("<b>Nowhere"))
    #expect(page.text.contains("/offers/b%2F%C3%B6?f=html"))
    #expect(service.get("/offers/place-1?f=html").status == 200)
  }

  /// A book of two offers, one of which ends on 2026-11-30.
  private func ending() throws -> SampleService {
    var offers = ["a", "b"].map { Offer(id: $0, name: "Offer \($0)", source: "s") }
    for index in offers.indices { offers[index].restaurants = ["place-\(1 + index)"] }
    offers[0].expiration = "2026-11-30T12:00:00Z"
    return try SampleService(book: OfferBook(revision: 1, offers: offers, chains: []))
  }

  @Test func `an offer that has ended is listed only if it is asked for, and says so`() throws {
    let service = try ending()
    for (query, ids, expired) in [
      ("on=2026-11-30", ["a", "b"], [nil, nil]), ("on=2026-12-01", ["b"], [nil]),
      ("on=2026-12-01&expired=true", ["a", "b"], [true, nil]),
      ("on=2026-12-01&lat=32.9&lon=-96.8", ["b"], [nil]),
    ] as [(String, [String], [Bool?])] {
      let reply = service.get("/offers?\(query)")
      #expect(Set(offers(reply).compactMap { $0["id"] as? String }) == Set(ids), "\(query)")
      #expect(reply.json["numberMatched"] as? Int == ids.count)
      let sorted = offers(reply).sorted { "\($0["id"] ?? "")" < "\($1["id"] ?? "")" }
      #expect(sorted.map { $0["expired"] as? Bool } == expired)
      #expect(sorted.first?["expires"] as? String == (ids.count == 2 ? "2026-11-30" : nil))
    }
    let one = service.get("/offers/a?on=2026-12-01")
    #expect(one.status == 200 && one.json["expired"] as? Bool == true)
    #expect(service.get("/offers/a?on=2026-11-30").json["expired"] == nil)
    let csv = service.get("/offers?f=csv&on=2026-12-01&expired=true").text
    #expect(csv.contains(",2026-11-30T12:00:00Z,2026-11-30,s,"))
    // the pages of a list are of the same day
    let first = service.get("/offers?on=2026-11-30&limit=1")
    #expect(offers(service.get(try #require(first.target("next")))).first?["id"] as? String == "b")
  }

  @Test func `an offer that has ended is not met, unless it counts`() throws {
    let service = try ending()
    let ask = "/cover?lat=32.9&lon=-96.8&want=offer:a&want=offer:b"
    for (query, met) in [
      ("&on=2026-11-30", 2), ("&on=2026-12-01", 1), ("&on=2026-12-01&expired=true", 2),
    ] {
      let reply = service.get(ask + query)
      #expect(reply.json["met"] as? Int == met, "\(query)")
      let wants = reply.json["wants"] as? [[String: Any]] ?? []
      #expect(wants.map { $0["unmet"] as? String } == [met == 1 ? "expired" : nil, nil])
    }
    let body = #"{"lat":32.9,"lon":-96.8,"want":["offer:a"],"on":"2026-12-01","expired":"#
    #expect(service.post("/cover", body + "true}").json["met"] as? Int == 1)
    #expect(service.post("/cover", body + "false}").json["met"] as? Int == 0)
  }

  @Test func `the tag of offers is another one on another day`() throws {
    let service = try ending()
    let today = service.get("/offers").response.fields[.eTag]
    #expect(service.get("/offers").response.fields[.eTag] == today)
    let tags = ["2026-11-30", "2026-12-01"].map {
      service.get("/offers?on=\($0)").response.fields[.eTag]
    }
    #expect(tags[0] != tags[1] && tags[0] != nil)
  }

  @Test func `an offer is a want of cover`() throws {
    let service = try SampleService()
    let reply = service.get("/cover?lat=32.9&lon=-96.8&want=offer:place-1")
    #expect(reply.json["met"] as? Int == 1)
    let unknown = service.get("/cover?lat=1&lon=2&want=offer:nobody")
    #expect(unknown.status == 400 && unknown.json["parameter"] as? String == "want")
  }
}
