import Foundation
import GeoIndex
import GeoQuery
import HTTPTypes
import Testing

@testable import GeoService

/// A requirement of OGC API - Features Part 1 (17-069r4), and a fault of a service that breaks it.
struct Requirement: Sendable, CustomStringConvertible {
  let id: String
  let harm: Harm
  let holds: @Sendable (SampleService) -> Bool

  init(_ id: String, _ harm: Harm, _ holds: @escaping @Sendable (SampleService) -> Bool) {
    self.id = id
    self.harm = harm
    self.holds = holds
  }

  var description: String { id }
}

/// Every requirement by its name: the service obeys it, and a service with a fault does not.
///
/// What can be broken by a request has its broken request here too.
struct RequirementsTests {
  static let all = core + metadata + features + encodings

  @Test(arguments: all)
  func `the service obeys`(_ requirement: Requirement) throws {
    var service = try SampleService(favorites: MemoryFavorites())
    #expect(requirement.holds(service))
    service.harm = requirement.harm
    #expect(!requirement.holds(service), "a service with a fault passes")
  }

  private static let items = "/collections/restaurants/items"

  private static let core = [
    Requirement("/req/core/root-op", .status(.internalServerError)) { $0.get("/").status == 200 },
    Requirement("/req/core/root-success", .text("service-desc", "x")) { service in
      let reply = service.get("/")
      return ["self", "alternate", "service-desc", "service-doc", "conformance", "data"]
        .allSatisfy { !reply.links($0).isEmpty }
        && reply.links.allSatisfy {
          ($0["href"] as? String)?.hasPrefix("http://localhost/") == true
        }
    },
    Requirement("/req/core/api-definition-op", .status(.notFound)) { service in
      ["service-desc", "service-doc"].allSatisfy { relation in
        service.get(service.get("/").target(relation) ?? "/nowhere").status == 200
      }
    },
    Requirement("/req/core/api-definition-success", .type("text/plain")) { service in
      let root = service.get("/")
      return ["service-desc", "service-doc"].allSatisfy { relation in
        let type = root.links(relation).first?["type"] as? String ?? "none"
        return service.get(root.target(relation) ?? "").type?.hasPrefix(type) == true
      }
    },
    Requirement("/req/core/conformance-op", .status(.notFound)) {
      $0.get("/conformance").status == 200
    },
    Requirement("/req/core/conformance-success", .text("/conf/core", "/conf/cor")) { service in
      let base = "http://www.opengis.net/spec/ogcapi-features-1/1.0/conf/"
      return service.get("/conformance").json["conformsTo"] as? [String]
        == ["core", "geojson", "html", "oas30"].map { base + $0 }
        + FilterExpression.cql2Conformance
        + ["queryables", "filter", "features-filter"].map {
          "http://www.opengis.net/spec/ogcapi-features-3/1.0/conf/" + $0
        }
        + ["core", "tileset", "tilesets-list", "geodata-tilesets", "mvt"].map {
          "http://www.opengis.net/spec/ogcapi-tiles-1/1.0/conf/" + $0
        }
    },
    Requirement("/req/core/http", .status(.ok)) { service in
      service.send(ServiceRequest(.delete, "/")).status == 405
        && service.send(ServiceRequest(.head, "/")).status == 200
        && service.get("/", [.accept: "image/png"]).status == 406
    },
    Requirement("/req/core/query-param-unknown", .status(.ok)) { service in
      service.service.endpoints.filter { $0.isOfAPI && $0.methods.contains(.get) }.allSatisfy {
        endpoint in
        let path = endpoint.path(id: "place-1")
        return service.get("\(path)?nonsense=1").status == 400
      }
    },
    Requirement("/req/core/query-param-invalid", .status(.ok)) { service in
      ["limit=text", "limit=0", "limit=-1", "limit=1.5", "bbox=1,2,3", "datetime=yesterday"]
        .allSatisfy { service.get("\(items)?\($0)").status == 400 }
    },
    Requirement("/req/core/crs84", .text("CRS84", "CRS83")) { service in
      service.get("/collections/restaurants").json["crs"] as? [String]
        == ["http://www.opengis.net/def/crs/OGC/1.3/CRS84"]
    },
  ]

  private static let metadata = [
    Requirement("/req/core/fc-md-op", .status(.notFound)) { $0.get("/collections").status == 200 },
    Requirement("/req/core/fc-md-links", .text("alternate", "x")) { service in
      let reply = service.get("/collections")
      return reply.links("self").count == 1 && reply.links("alternate").count == 1
        && reply.links.allSatisfy { $0["type"] is String }
    },
    Requirement("/req/core/fc-md-items", .text("\"id\":\"restaurants\"", "\"id\":\"r\"")) {
      service in
      let list = service.get("/collections").json["collections"] as? [[String: Any]]
      return list?.map { $0["id"] as? String } == ["restaurants"]
    },
    Requirement("/req/core/fc-md-items-links", .text("\"items\"", "\"x\"")) { service in
      let list = service.get("/collections").json["collections"] as? [[String: Any]] ?? []
      let links = list.first?["links"] as? [[String: Any]] ?? []
      let types = links.filter { $0["rel"] as? String == "items" }.map { $0["type"] as? String }
      return Set(types) == ["application/geo+json", "text/html", "text/csv"]
    },
    Requirement("/req/core/fc-md-extent", .text("\"bbox\":[", "\"bbox\":[[0,0,1,1],")) { service in
      let json = service.get("/collections/restaurants").json
      let spatial = (json["extent"] as? [String: Any])?["spatial"] as? [String: Any]
      guard let box = (spatial?["bbox"] as? [[Double]])?.first, box.count == 4 else { return false }
      let text = box.map(\.description).joined(separator: ",")
      return service.get("/count/bbox?bbox=\(text)").json["count"] as? Int == 400
    },
    Requirement("/req/core/sfc-md-op", .status(.ok)) { service in
      service.get("/collections/restaurants").status == 200
        && service.get("/collections/dUmmYColLection").status == 404
    },
    Requirement(
      "/req/core/sfc-md-success",
      .text("\"collections\":[{\"id\"", "\"collections\":[{\"no\"")
    ) { service in
      let list = service.get("/collections").json["collections"] as? [[String: Any]] ?? []
      let entry = list.first ?? [:]
      let own = service.get("/collections/restaurants").json
      let keys = ["id", "title", "description", "extent", "itemType"]
      return keys.allSatisfy { json(entry[$0] ?? 1) == json(own[$0] ?? 2) }
        && (entry["links"] as? [[String: Any]] ?? []).allSatisfy { link in
          (own["links"] as? [[String: Any]] ?? []).contains {
            same($0, link)
          }
        }
    },
  ]

  /// A value as JSON with its members in order.
  private static func json(_ value: Any) -> Data? {
    try? JSONSerialization.data(withJSONObject: [value], options: .sortedKeys)
  }

  private static func same(_ left: [String: Any], _ right: [String: Any]) -> Bool {
    ["href", "rel", "type"].allSatisfy { left[$0] as? String == right[$0] as? String }
  }

  private static let features = [
    Requirement("/req/core/fc-op", .status(.ok)) { service in
      service.get(items).status == 200
        && service.get("/collections/dUmmYColLection/items").status == 404
    },
    Requirement(
      "/req/core/fc-limit-definition",
      .text("\"numberReturned\":10,", "\"numberReturned\":9,")
    ) { service in
      service.get(items).returned == 10
    },
    Requirement(
      "/req/core/fc-limit-response-1",
      .text("\"numberReturned\":3,", "\"numberReturned\":4,")
    ) { service in
      service.get("\(items)?limit=3").returned == 3
        && service.get("\(items)?limit=10000000000000000000000").returned == 400
    },
    Requirement("/req/core/fc-bbox-definition", .status(.ok)) { service in
      ["1,2", "1,2,3,4,5", "a,2,3,4", "1,2,3,91", "1,-91,3,4", "0,5,1,4", "1,2,3,", "nan,0,1,1"]
        .allSatisfy { service.get("\(items)?bbox=\($0)").status == 400 }
    },
    Requirement("/req/core/fc-bbox-response", .text("\"id\":\"place-1", "\"id\":\"place-9")) {
      service in
      let boxes = [
        (-1.5, 50.0, 1.5, 53.0), (-80, -5, -70, 5), (177, 65, -177, 70), (-180, 85, 180, 90),
        (-180, -90, 180, -85), (177, -20, -177, 20), (180, -30, 180, 30), (-97, 32, -96, 33),
      ]
      return boxes.allSatisfy { box in
        let reply = service.get("\(items)?limit=400&bbox=\(box.0),\(box.1),\(box.2),\(box.3)")
        return reply.ids == SamplePlaces().inside(box.0, box.1, box.2, box.3)
          && reply.matched == reply.ids.count
      }
    },
    Requirement("/req/core/fc-bbox-response, heights ignored", .text("\"features\"", "\"x\"")) {
      service in
      let found = service.get("\(items)?bbox=-97,32,-5,-96,33,9000").ids
      return !found.isEmpty && found == service.get("\(items)?bbox=-97,32,-96,33").ids
    },
    Requirement("/req/core/fc-time-definition", .status(.ok)) { service in
      let good = [
        "2026-03-01T12:00:00Z", "2026-03-01", "2026-03-01T12:00:00.5Z/..",
        "../2026-03-01T12:00:00Z",
        "/2026-03-01T12:00:00Z", "2026-03-01T12:00:00Z/",
        "2026-03-01T12:00:00Z/2026-03-02T12:00:00%2B01:00", "2026-03-01T12:00:00+01:00",
        "2026-03-01T12:00:00Z/2026-03-01T12:00:00Z", "2026-03-01/2026-03-01T00:00:00.25Z",
        "2026-03-01T13:00:00+01:00/2026-03-01T12:00:00Z", "2024-02-29/2024-03-01",
        "2026-03-01T23:00:00-02:00/2026-03-02T01:00:00Z", "1999-12-31/2000-01-01",
      ]
      let bad = [
        "2026-13-01", "2026-02-29T00:00:00Z", "12:00", "2026-03-02/2026-03-01", "a/b/c", "../..",
        "/", "../", "/..", "2026-03-01T12:00:00Z/2026-03-01T11:00:00Z",
        "2026-03-01T12:00:00.5Z/2026-03-01T12:00:00.25Z",
        "2026-03-01T12:00:00Z/2026-03-01T12:30:00%2B01:00",
      ]
      return good.allSatisfy { service.get("\(items)?datetime=\($0)").status == 200 }
        && bad.allSatisfy { service.get("\(items)?datetime=\($0)").status == 400 }
    },
    Requirement(
      "/req/core/fc-time-response",
      .text("\"numberMatched\":400,", "\"numberMatched\":0,")
    ) { service in
      service.get("\(items)?datetime=1999-01-01T00:00:00Z").matched == 400
    },
    Requirement("/req/core/fc-links", .text("\"next\"", "\"x\"")) { service in
      let reply = service.get(items)
      return ["self": 1, "alternate": 2, "next": 1].allSatisfy { reply.links($0).count == $1 }
        && service.get("\(items)?limit=400").links("next").isEmpty
    },
    Requirement("/req/core/fc-rel-type", .text("\"type\":\"text/html\"", "\"x\":0")) { service in
      service.get(items).links.allSatisfy { $0["type"] is String }
    },
    Requirement(
      "/req/core/fc-numberMatched",
      .text("\"numberMatched\":400,", "\"numberMatched\":10,")
    ) { $0.get(items).matched == 400 },
    Requirement(
      "/req/core/fc-numberReturned",
      .text("\"numberReturned\":17,", "\"numberReturned\":400,")
    ) { service in
      let reply = service.get("\(items)?limit=17")
      return reply.returned == 17 && reply.ids.count == 17
    },
    Requirement("/req/core/f-op", .status(.ok)) { service in
      SamplePlaces().places.allSatisfy { service.get("\(items)/\($0.id)").status == 200 }
        && service.get("\(items)/nobody").status == 404
    },
    Requirement("/req/core/f-success", .text("\"id\":\"place-5\"", "\"id\":\"5\"")) { service in
      service.get("\(items)/place-5").json["id"] as? String == "place-5"
    },
    Requirement("/req/core/f-links", .text("\"collection\"", "\"x\"")) { service in
      let reply = service.get("\(items)/place-5")
      return ["self", "alternate", "collection"].allSatisfy { !reply.links($0).isEmpty }
        && reply.links.allSatisfy { $0["type"] is String }
    },
  ]

  private static let encodings = [
    Requirement("/req/geojson/definition", .type("application/json")) { service in
      [items, "\(items)/place-5", "/nearest?lat=0&lon=0", "/bbox?bbox=0,0,1,1"]
        .allSatisfy { service.get($0).type == "application/geo+json" }
        && ["/", "/collections", "/conformance"].allSatisfy {
          service.get($0).type == "application/json"
        }
    },
    Requirement("/req/geojson/content", .text("\"coordinates\":[", "\"coordinates\":[1")) {
      service in
      let place = service.get("\(items)/place-5")
      // strtod reads the numbers; they must be the feed's, bit for bit
      let text = place.text.components(separatedBy: "\"coordinates\":[").last ?? ""
      let numbers = text.prefix { $0 != "]" }.split(separator: ",").map { strtod(String($0), nil) }
      let expected = SamplePlaces().places.first { $0.id == "place-5" }?.coordinate
      return place.json["type"] as? String == "Feature"
        && numbers == expected.map { [$0.longitude, $0.latitude] }
    },
    Requirement("/req/html/definition", .type("text/plain")) { service in
      [
        "/", "/conformance", "/collections", "/collections/restaurants", items, "/api",
        "\(items)/place-5",
      ].allSatisfy { path in
        let reply = service.get(path, [.accept: "text/html,application/xhtml+xml,*/*;q=0.8"])
        return reply.status == 200 && reply.type == "text/html; charset=utf-8"
      }
    },
    Requirement("/req/html/content", .text("<a ", "<b ")) { service in
      let page = service.get("\(items)/place-5?f=html").text
      let plain = service.get("\(items)/place-5?f=html").text.contains("Place ")
      return plain && page.contains("<a href=\"http://localhost/collections/restaurants\"")
    },
    Requirement("/req/oas30/oas-definition-1", .text("\"3.0.", "\"3.1.")) { service in
      let reply = service.get("/api")
      return reply.type == "application/vnd.oai.openapi+json;version=3.0"
        && (reply.json["openapi"] as? String)?.hasPrefix("3.0.") == true
    },
  ]
}
