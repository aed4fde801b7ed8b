import Foundation
import GeoIndex
import GeoQuery
import HTTPTypes
import Testing

@testable import GeoService

/// Conditions, ids, orders and counts over HTTP.
struct FilterTests {
  private let places = SamplePlaces().places
  private static let items = "/collections/restaurants/items"

  private func encoded(_ text: String) -> String { PercentCoding.encoded(text) }

  /// The ids of all pages.
  private func pages(_ start: String, of service: SampleService) -> [String] {
    var ids: [String] = []
    var target: String? = start
    var count = 0
    while let next = target, count < 500 {
      let reply = service.get(next)
      ids += reply.ids
      target = reply.target("next")
      count += 1
    }
    return ids
  }

  @Test func `a filter does not tell what is a favorite, and names the parameter that does`() throws
  {
    let service = try SampleService()
    let everywhere = "bbox=-180,-90,180,90"
    for (language, filter) in [
      ("geoq", "favorite = true"), ("geoq", "not (city = x or favorite is null)"),
      ("cql2-text", "favorite = TRUE"),
      ("cql2-json", #"{"op":"isNull","args":[{"property":"favorite"}]}"#),
    ] {
      for path in [
        "\(Self.items)?", "/bbox?\(everywhere)&", "/nearest?lat=0&lon=0&", "/facets?by=city&",
      ] {
        let reply = service.get("\(path)filter-lang=\(language)&filter=\(encoded(filter))")
        #expect(reply.response.status == .badRequest, "\(path) \(filter)")
        #expect(
          (reply.json["detail"] as? String)?.contains("use favorite=true") == true,
          "\(path) \(filter): \(reply.json)"
        )
      }
    }
  }

  @Test func `conditions hold on every data route`() throws {
    let service = try SampleService()
    let filter = encoded("rating >= 4 and city = zurich")
    let expected = places.filter { ($0.rating ?? 0) >= 4 && $0.address.city == "Zürich" }.map(\.id)
    #expect(!expected.isEmpty)
    let everywhere = "bbox=-180,-90,180,90"
    let circle = "lat=0&lon=0&radius=20037508"
    #expect(service.get("\(Self.items)?limit=1000&filter=\(filter)").ids == expected)
    #expect(service.get("/bbox?\(everywhere)&filter=\(filter)").ids == expected)
    #expect(service.get("/radius?\(circle)&filter=\(filter)").ids.sorted() == expected.sorted())
    let nearest = service.get("/nearest?lat=0&lon=0&count=1000&filter=\(filter)")
    #expect(nearest.ids.sorted() == expected.sorted())
    for path in ["/count/bbox?\(everywhere)", "/count/radius?\(circle)"] {
      #expect(service.get("\(path)&filter=\(filter)").json["count"] as? Int == expected.count)
    }
    let facets = service.get("/facets?by=city&filter=\(filter)").json
    #expect(facets["count"] as? Int == expected.count)
    let batch = service.post(
      "/nearest",
      #"{"points":[{"lat":0,"lon":0}],"count":3,"filter":"rating >= 4 and city = zurich"}"#
    )
    let answers = batch.json["answers"] as? [[String: Any]]
    let found = (answers?.first?["features"] as? [[String: Any]])?.compactMap {
      $0["id"] as? String
    }
    #expect(found == Array(nearest.ids.prefix(3)))
  }

  @Test(arguments: [
    "rating", "rating >= x", "stars >= 4", "rating ~ 4", "name = 'a", "closed = true and",
    "open = true",
    Array(repeating: "closed = true", count: 9).joined(separator: " and "),
    "name = " + String(repeating: "x", count: 257), "x\u{202E}\u{1B} = 3",
  ])
  func `a wrong condition names its parameter`(filter: String) throws {
    let reply = try SampleService().get("/count/bbox?bbox=0,0,1,1&filter=\(encoded(filter))")
    #expect(reply.status == 400)
    #expect(reply.json["parameter"] as? String == "filter")
    let detail = reply.json["detail"] as? String ?? ""
    #expect(detail.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x202E })
  }

  @Test func `filter – CQL2 – finds what the short grammar finds`() throws {
    let service = try SampleService()
    let short = service.get(
      "\(Self.items)?limit=1000&filter=\(encoded("rating >= 4 and (city = zurich or phone is null)"))"
    )
    let texts = [
      "cql2-text": "rating >= 4 AND (city = 'Zürich' OR phone IS NULL)",
      "cql-text": "rating >= 4 AND (city = 'Zürich' OR phone IS NULL)",
      "cql2-json":
        #"{"op":"and","args":[{"op":">=","args":[{"property":"rating"},4]},{"op":"or","args":["#
        + #"{"op":"=","args":[{"property":"city"},"Zürich"]},{"op":"isNull","args":[{"property":"phone"}]}]}]}"#,
    ]
    #expect(!short.ids.isEmpty)
    for (language, text) in texts {
      let reply = service.get(
        "\(Self.items)?limit=1000&filter-lang=\(language)&filter=\(encoded(text))"
      )
      #expect(reply.ids == short.ids, "\(language)")
    }
    let wrong = service.get("\(Self.items)?filter-lang=cql2-text&filter=\(encoded("rating >> 4"))")
    #expect(wrong.status == 400 && (wrong.json["detail"] as? String)?.contains("column") == true)
    #expect(service.get("\(Self.items)?filter-lang=sql&filter=x").status == 400)
  }

  @Test func `queryables – every property – can be in a filter`() throws {
    let service = try SampleService()
    let reply = service.get("/collections/restaurants/queryables")
    #expect(reply.status == 200)
    let properties = reply.json["properties"] as? [String: Any] ?? [:]
    #expect(properties.count > 20)
    for name in properties.keys where name != "geometry" {
      let filter = encoded("\(name) IS NULL OR \(name) IS NOT NULL")
      let found = service.get("\(Self.items)?limit=1&filter-lang=cql2-text&filter=\(filter)")
      #expect(found.matched == places.count, "\(name)")
    }
    let classes = service.get("/conformance").json["conformsTo"] as? [String] ?? []
    #expect(classes.contains("http://www.opengis.net/spec/cql2/1.0/conf/cql2-text"))
  }

  @Test func `open – now – is resolved once: links have the time`() throws {
    let service = try SampleService()
    let reply = service.get("\(Self.items)?limit=1&open=now&open-unknown=true")
    #expect(reply.matched == places.count { !$0.closed })
    let next = try #require(reply.target("next"))
    #expect(next.contains("open=20") && !next.contains("open=now"), "\(next)")
    #expect(service.get(next).status == 200)
    #expect(service.get("\(Self.items)?open=now").matched == 0)
    #expect(service.get("\(Self.items)?open=25:00").status == 400)
    let (first, second) = ("\(Self.items)?open=12:30", "\(Self.items)?open=12:31")
    #expect(service.get(first).response.fields[.eTag] != service.get(second).response.fields[.eTag])
  }

  @Test func `several ids in one request`() throws {
    let service = try SampleService()
    let reply = service.get("\(Self.items)?ids=place-7,nobody,place-3,place-7")
    #expect(reply.ids == ["place-3", "place-7"])
    #expect(reply.matched == 2)
    let many = (0..<101).map { "place-\($0)" }.joined(separator: ",")
    for ids in [many, "place-3,,place-7"] {
      let refused = service.get("\(Self.items)?ids=\(ids)")
      #expect(refused.status == 400)
      #expect(refused.json["parameter"] as? String == "ids")
    }
    #expect(service.get("/bbox?bbox=0,0,1,1&ids=place-3").status == 400)
  }

  @Test(
    arguments: [
      "name", "-name", "rating", "-rating", "priceLevel", "distance", "-distance",
      "-rating,distance",
      "priceLevel,-name,rating",
    ]
  )
  func `orders and pages hold for nearest, radius and bbox`(order: String) throws {
    let service = try SampleService()
    var targets = [
      "/nearest?lat=32.95&lon=-96.85&count=50&sortby=\(order)",
      "/radius?lat=32.95&lon=-96.85&radius=2000000&sortby=\(order)",
    ]
    let hasDistance = order.hasSuffix("distance")
    let box = "/bbox?bbox=-180,-90,180,90&sortby=\(order)"
    if hasDistance { #expect(service.get(box).status == 400) } else { targets.append(box) }
    for target in targets {
      let whole = service.get(target)
      #expect(whole.ids.count > 20)
      #expect(pages(target + "&limit=7", of: service) == whole.ids)
      #expect(service.get(target + "&limit=7&offset=3").ids == Array(whole.ids[3..<10]))
      let first = service.get(target + "&limit=7")
      #expect(first.matched == whole.ids.count)
      let second = service.get(try #require(first.target("next")))
      #expect(service.get(try #require(second.target("prev"))).ids == first.ids)
      if !order.contains(","), hasDistance {
        let sorted = whole.distances.sorted()
        #expect(whole.distances == (order == "distance" ? sorted : sorted.reversed()))
      }
    }
    let chosen = service.get("/nearest?lat=32.95&lon=-96.85&count=50").ids
    #expect(Set(service.get(targets[0]).ids) == Set(chosen))
  }

  @Test func `a cursor of another query is refused before anything is searched`() throws {
    let service = try SampleService()
    let next = service.get("/radius?lat=0&lon=0&radius=9000000&limit=3").target("next")
    let cursor = try #require(next?.split(separator: "cursor=").last)
    for target in ["/radius?lat=0&lon=0&radius=8000000", "/nearest?lat=0&lon=0", "/radius?lat=1"] {
      let reply = service.get("\(target)&cursor=\(cursor)")
      #expect(reply.status == 400)
    }
    var request = ServiceRequest(.get, "/nearest?lat=0&lon=0&cursor=x")
    request.fields[.ifNoneMatch] = "*"
    #expect(service.send(request).status == 400)
  }

  @Test func `facets count the values under the filters`() throws {
    let service = try SampleService()
    let reply = service.get("/facets?by=category&city=Dallas")
    #expect(reply.status == 200)
    let expected = Dictionary(
      grouping: places.filter { $0.address.city == "Dallas" },
      by: { $0.category ?? "" }
    ).mapValues(\.count)
    let facets = reply.json["facets"] as? [[String: Any]] ?? []
    var found: [String: Int] = [:]
    for facet in facets { found[facet["value"] as? String ?? ""] = facet["count"] as? Int }
    #expect(found == expected)
    #expect(facets.contains { $0["value"] is NSNull })
    #expect(reply.json["by"] as? String == "category")
    #expect(reply.json["count"] as? Int == expected.values.reduce(0, +))
    let inside = Set(SamplePlaces().inside(-97, 32, -96, 34))
    #expect(
      service.get("/facets?by=city&bbox=-97,32,-96,34").json["count"] as? Int == inside.count
    )
    let near = service.get("/count/radius?lat=33&lon=-97&radius=50000").json["count"] as? Int
    #expect(
      service.get("/facets?by=city&lat=33&lon=-97&radius=50000").json["count"] as? Int == near
    )
    for target in [
      "/facets", "/facets?by=names", "/facets?by=city&lat=1", "/facets?by=city&lat=1&lon=2",
      "/facets?by=city&lat=1&lon=2&radius=3&bbox=1,2,3,4",
    ] { #expect(service.get(target).status == 400, "\(target)") }
  }
}
