import Foundation
import GeoIndex
import GeoQuery
import HTTPTypes
import Testing

@testable import GeoService

/// Traversal, injection and script: nothing that a client or a feed writes is more than text.
struct InjectionTests {
  private static let steps = [
    "..", "%2e%2e", "%2E.", ".%2e", "..%2f", "..%5c", "%252e%252e", "..;", "....//", "%c0%ae%c0%ae",
    "..%00", "~", "file:", "%2fetc%2fpasswd", "C:%5cwindows", "/etc/passwd", "\\..\\",
  ]

  @Test(arguments: steps)
  func `no path leads out`(step: String) throws {
    let service = try SampleService()
    for folder in ["/", "/collections/", "/collections/restaurants/items/", "/api/", "/healthz/"] {
      for path in [
        "\(folder)\(step)", "\(folder)\(step)/\(step)/etc/passwd", "\(folder)\(step)/Package.swift",
      ] {
        let reply = service.get(path)
        #expect([400, 404].contains(reply.status), "\(path)")
        #expect(!reply.text.contains("root:"))
      }
    }
  }

  private static let payloads = [
    "' OR 1=1 --", "\"; DROP TABLE restaurants; --", "%", "_", "*", "place*", "\"place\"",
    "name:place", "place OR thai", "NEAR(place)", "{}", "[]", "\\", "'", "$(id)", "`id`", "${7*7}",
    "<script>alert(1)</script>", "\u{202E}ecalp", "a\u{300}", "\u{FEFF}", "^place", "place NOT x",
    "1) UNION SELECT 1", "place\n", "{{7*7}}", "(a+)+$",
  ]

  @Test(arguments: payloads)
  func `a text is matched as text`(payload: String) throws {
    let sample = SamplePlaces()
    let service = try SampleService(sample.places)
    let text = PercentCoding.encoded(payload)
    // the engine's own filter is the oracle for q; categories and cities are compared whole
    let words = FoldedWords(payload).words
    let found = service.get("/bbox?bbox=-180,-90,180,90&q=\(text)")
    #expect(found.status == 200)
    let expected = sample.places.filter { place in
      let texts = [place.name, place.category ?? "", place.address.city ?? ""]
      let own = texts.flatMap { FoldedWords($0).words }
      return !words.isEmpty && words.allSatisfy { word in own.contains { $0.starts(with: word) } }
    }
    #expect(found.ids == expected.map(\.id))
    for name in ["category", "city"] {
      #expect(service.get("/bbox?bbox=-180,-90,180,90&\(name)=\(text)").ids.isEmpty)
    }
    #expect(service.get("/collections/restaurants/items/\(text)").status == 404)
  }

  private static let hostile = [
    "<script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "'--><svg onload=alert(1)>",
    "</title><script>", "&lt;b&gt;", "javascript:alert(1)", "</script><!--", "\u{0}\u{1B}[2J",
  ]

  @Test(arguments: hostile)
  func `no text of a feed is more than text in a page`(text: String) throws {
    let coordinate = try #require(Coordinate(latitude: 1, longitude: 2))
    var place = Restaurant(id: "id \(text)", name: text, coordinate: coordinate, source: text)
    place.category = text
    place.address.city = text
    place.website = text
    place.extra = [JSONMember(name: text, value: .string(text))]
    let service = try SampleService([place])
    let path = "/collections/restaurants/items"
    for target in ["\(path)?f=html", "\(path)/\(PercentCoding.encoded(place.id))?f=html"] {
      let reply = service.get(target)
      if place.id.unicodeScalars.contains("\0"), !target.hasSuffix("items?f=html") { continue }
      #expect(reply.status == 200)
      for tag in ["<script", "<img", "<svg", "onerror=\"", "href=\"javascript"] {
        #expect(!reply.text.lowercased().contains(tag), "\(tag)")
      }
      #expect(reply.response.fields[.contentSecurityPolicy]?.contains("default-src 'none'") == true)
    }
    let json = service.get(path).features.first?["properties"] as? [String: Any]
    #expect(json?["name"] as? String == text)
  }

  @Test func `an error repeats no raw control characters and no markup as HTML`() throws {
    let reply = try SampleService().get("/nearest?lat=%1B%5B2J%E2%80%AE%3Cscript%3E&lon=0")
    #expect(reply.status == 400)
    #expect(reply.type == "application/problem+json")
    #expect(reply.response.fields[.xContentTypeOptions] == "nosniff")
    #expect(reply.response.body.allSatisfy { $0 >= 0x20 || $0 == 0x0A })
    #expect(!reply.text.unicodeScalars.contains("\u{202E}"))
  }

  @Test func `every answer has the security fields, errors too`() throws {
    let service = try SampleService()
    for target in ["/", "/?f=html", "/nowhere", "/nearest?lat=x&lon=0", "/metrics", "/%zz"] {
      let fields = service.get(target).response.fields
      #expect(fields[.xContentTypeOptions] == "nosniff")
      #expect(fields[.referrerPolicy] == "no-referrer")
      let framing = target == "/?f=html" ? "frame-ancestors 'self'" : "frame-ancestors 'none'"
      #expect(fields[.contentSecurityPolicy]?.contains(framing) == true)
      #expect(fields[.geoqGeneration] == "1")
      #expect(fields[.requestID] == "0")
      #expect(fields[.server] == nil)
    }
  }
}
