import Foundation
import GeoQuery
import HTTPTypes
import Testing

@testable import GeoService

/// The document and the routes, compared in both directions.
struct OpenAPITests {
  /// What a service without images has: those are declared if there are any.
  private static let endpoints = Endpoint.all.filter { $0.isOfAPI && $0.feature != .images }

  private func paths() throws -> [String: [String: Any]] {
    try #require(
      try SampleService(settings: .everything(), favorites: MemoryFavorites()).get("/api").json[
        "paths"
      ]
        as? [String: [String: Any]]
    )
  }

  @Test func `every route is declared, and everything declared is a route`() throws {
    let paths = try paths()
    #expect(Set(paths.keys) == Set(Self.endpoints.map(\.path)))
    for endpoint in Self.endpoints {
      let methods = Set(endpoint.methods.map { $0.rawValue.lowercased() })
      let operations = try #require(paths[endpoint.path])
      #expect(Set(operations.keys).subtracting(["parameters"]) == methods)
    }
  }

  @Test func `every declared parameter is taken`() throws {
    let service = try SampleService(settings: .everything(), favorites: MemoryFavorites())
    let values = [
      "lat": "1", "lon": "2", "count": "3", "max": "4", "radius": "5", "limit": "6", "offset": "0",
      "bbox": "1,2,3,4", "datetime": "2026-03-01", "category": "Thai", "city": "Dallas", "q": "p",
      "sortby": "name", "f": "json", "token": ServiceSettings.token,
      "filter": "closed%20=%20true", "filter-lang": "cql2-text", "filter-crs": "CRS84",
      "within": "Old%20Town", "open": "12:30", "open-unknown": "true", "ids": "place-1",
      "favorite": "true",
      "mark": "favorite",
      "want": "Thai", "at": "1,2&at=3,4", "places": "2", "prefer": "count", "rank": "3",
      "frontier": "true", "on": "2026-12-01", "expired": "true", "chain": "7", "zoom": "3",
      "crs": "CRS84", "bbox-crs": "CRS84",
    ]
    let by = ["/facets": "city", "/cover": "walk", "/meet": "max"]
    for (path, operations) in try paths() where operations["get"] != nil {
      let get = try #require(operations["get"] as? [String: Any])
      let declared = (get["parameters"] as? [[String: Any]] ?? []).filter {
        $0["in"] as? String == "query"
      }
      let names = declared.compactMap { $0["name"] as? String }
      let endpoint = try #require(Endpoint.all.first { $0.path == path })
      #expect(names == endpoint.parameters.map(\.name))
      // a circle and a box do not go together
      // nor do a group of places and single ones
      let left =
        [
          "/facets": ["bbox"], "/cover": ["rank", "frontier"],
          // nor do all regions
          "/why/{id}": ["bbox", "radius", "cursor"],
        ][path] ?? ["cursor"]
      let query = names.filter { !left.contains($0) }
        .map { "\($0)=\(values[$0] ?? by[path] ?? "?")" }
      let target = endpoint.path(id: "place-1") + "?" + query.joined(separator: "&")
      // a right token opens a session and leads to the same page without it
      let expected = names.contains("token") ? 303 : endpoint.isTile ? 204 : 200
      #expect(service.get(target).status == expected, "\(target)")
    }
  }

  @Test func `the bbox schema is the one that the official suite looks for`() throws {
    let get = try #require(try paths()["/collections/restaurants/items"]?["get"] as? [String: Any])
    let parameters = try #require(get["parameters"] as? [[String: Any]])
    let box = try #require(parameters.first { $0["name"] as? String == "bbox" })
    let schema = try #require(box["schema"] as? [String: Any])
    #expect(schema["type"] as? String == "array")
    #expect(schema["minItems"] as? Int == 4 && schema["maxItems"] as? Int == 6)
    #expect((schema["items"] as? [String: String]) == ["type": "number"])
    #expect(box["style"] as? String == "form" && box["explode"] as? Bool == false)
    let limit = try #require(parameters.first { $0["name"] as? String == "limit" })
    let range = try #require(limit["schema"] as? [String: Any])
    #expect(range["minimum"] as? Int == 1 && range["maximum"] as? Int == 10_000)
    #expect(range["default"] as? Int == 10 && range["type"] as? String == "integer")
  }

  @Test func `every reference leads somewhere, and every schema is referred to`() throws {
    let document = try SampleService(settings: .everything(), favorites: MemoryFavorites())
      .get("/api")
    let (text, json) = (document.text, document.json)
    let schemas = (json["components"] as? [String: Any])?["schemas"] as? [String: Any] ?? [:]
    let names = text.components(separatedBy: "#/components/schemas/").dropFirst()
      .map { String($0.prefix { $0 != "\"" }) }
    #expect(!names.isEmpty)
    #expect(Set(names).symmetricDifference(schemas.keys).isEmpty)
  }

  @Test func `the limits in schemas are those that the service keeps`() {
    let schemas = Schema.all
    func number(_ path: String) -> Double? {
      let value = path.split(separator: ".").reduce(schemas as JSONValue?) { value, name in
        if case .array(let items)? = value { return Int(name).map { items[$0] } }
        return value?[name: String(name)]
      }
      guard case .number(let token)? = value else { return nil }
      return Double(token)
    }
    let (batch, cover) = ("nearestBatch.properties", "coverQuestion.properties")
    let limits: [(String, Double)] = [
      ("\(batch).points.maxItems", Double(ServiceLimits.points)),
      ("\(batch).count.maximum", Double(ServiceLimits.count)),
      ("\(batch).max.oneOf.0.maximum", Double(ServiceLimits.radius)),
      ("\(batch).category.oneOf.1.maxItems", Double(ServiceLimits.listEntries)),
      ("\(batch).category.oneOf.1.items.maxLength", Double(ServiceLimits.textLength)),
      ("\(batch).city.maxLength", Double(ServiceLimits.textLength)),
      ("\(batch).q.maxLength", Double(ServiceLimits.textLength)),
      ("\(cover).want.maxItems", Double(CoverQuery.maximumWants)),
      ("\(cover).want.items.maxLength", Double(ServiceLimits.textLength)),
      ("\(cover).places.maximum", Double(CoverQuery.maximumPlaces)),
      ("\(cover).places.default", Double(CoverQuery.defaultPlaces)),
      ("\(cover).max.oneOf.0.maximum", Double(ServiceLimits.radius)),
      ("\(cover).rank.maximum", Double(ServiceLimits.count)),
      ("density.properties.zoom.maximum", Double(TileAddress.maximumZoom)),
    ]
    for (path, limit) in limits { #expect(number(path) == limit, "\(path)") }
  }

  @Test func `the page for people names every route and parameter`() throws {
    let page = try SampleService(settings: .everything(), favorites: MemoryFavorites()).get(
      "/api.html"
    ).text
    for words in [
      "-priceLevel", "json, html", "1 to 10000, more counts as that", "-90 to 90", "1 to 1000",
      "<code>max</code>", "Bearer TOKEN", "<td>503</td>", "Other statuses: 304, 400",
    ] {
      #expect(page.contains(words), "\(words)")
    }
    for endpoint in Self.endpoints {
      #expect(page.contains(HTMLText.escaped(endpoint.path)))
      for parameter in endpoint.parameters {
        #expect(page.contains("<code>\(parameter.name)</code>"))
      }
    }
  }
}
