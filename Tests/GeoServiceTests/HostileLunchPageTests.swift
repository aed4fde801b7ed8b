import GeoIndex
import GeoQuery
import HTTPTypes
import Testing

@testable import GeoService

/// Hostile texts in every field of a restaurant, on every screen of the lunch page: they stay texts.
struct HostileLunchPageTests {
  static let texts = [
    "<script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "'><svg onload=alert(1)>",
    "\"\u{301} onmouseover=alert(1) ", "<\u{301}b>", "javascript:alert(1)",
    "JAVASCRIPT://%0aalert(1)",
    "data:text/html,<script>alert(1)</script>", "</title><script>alert(1)</script>",
    "</textarea><script>", "--><script>alert(1)</script>", "]]><script>", "&lt;script&gt;",
    "&quot;",
    "\u{202E}txt.exe", "\u{2066}x\u{2069}", "a\u{0}b", "\u{1B}[31m", "\\\"", "`${alert(1)}`",
    "{{constructor}}", "http://a\" onclick=\"alert(1)", "https://a.example/'><script>",
    "//evil.example/",
    "<base href=//evil.example/>", "<meta http-equiv=refresh content=0>", "<iframe srcdoc=x>",
    "<form action=//evil.example>", "<a href=javascript:alert(1)>x</a>", "<style>*{}</style>",
    "</a></li></ul><h1>x", "<!--", "<![CDATA[", "<?xml", "%3Cscript%3E", "\u{FEFF}<script>",
    "\u{FF1C}script\u{FF1E}", "<scr\u{AD}ipt>", "+1 555<script>", "tel:1\" x=\"", "@<b>",
    "../../etc/passwd", "a/b?c=d&e=f#g", "?q=1&x=\"", "\n<script>\n", "\t\"\t", "\r\n\r\n<b>",
    "💥\"<",
    String(repeating: "e\u{301}", count: 200) + "\"<",
    String(repeating: "\u{301}", count: 400) + "\">",
  ]

  /// Every element and attribute of a page, without what the texts say.
  static func skeleton(_ page: String) -> [String] {
    // attributes stand between double quotes, and no value has a < or a " in it
    var parts: [String] = []
    var rest = page.unicodeScalars[...]
    while let start = rest.firstIndex(of: "<") {
      rest = rest[start...]
      guard let end = rest.firstIndex(of: ">") else { return parts + ["unclosed"] }
      var isQuoted = false
      var tag = ""
      for scalar in rest[...end] {
        if scalar == "\"" {
          isQuoted.toggle()
        } else if !isQuoted {
          tag.unicodeScalars.append(scalar)
        }
      }
      parts.append(isQuoted ? "quoted \(tag)" : tag)
      rest = rest[rest.index(after: end)...]
    }
    return parts
  }

  private func restaurant(_ text: String) throws -> Restaurant {
    let coordinate = try #require(Coordinate(latitude: 1, longitude: 2))
    var place = Restaurant(id: text, name: text, coordinate: coordinate, source: text)
    for field in RestaurantField.optionalTexts { _ = place.assign(.string(text), to: field) }
    place.address.formatted = [text, text]
    place.extra = [
      JSONMember(name: text, value: .string(text)),
      JSONMember(name: "description", value: .string(text)),
      JSONMember(name: "offers", value: .array([.string(text)])),
    ]
    return place
  }

  @Test func `every text in every field is shown as a text`() throws {
    #expect(Self.texts.count == 50)
    for text in Self.texts {
      let place = try restaurant(text)
      let id = PercentCoding.encoded(text)
      for favorites in [nil, MemoryFavorites(of: [place])] {
        _ = try favorites?.addFavorites([text])
        let service = try SampleService([place], favorites: favorites)
        var targets = [
          "/app/?q=\(id)&category=\(id)&at=\(id)", "/app/?near=\(id)", "/app/favorites?ids=\(id)",
          "/app/favorites?added=\(id)", "/app/internets?at=\(id)",
          "/app/map?q=\(id)&category=\(id)", "/app/map?radius=\(id)&bbox=\(id)&view=\(id)",
        ]
        // NUL stands in no address
        if !text.utf8.contains(0) { targets.append("/app/restaurants/\(id)") }
        for target in targets {
          var request = ServiceRequest(.get, target)
          if favorites != nil { request = .owners(.get, target) }
          let reply = service.send(request)
          if text.utf8.contains(0) && reply.status == 400 { continue }
          #expect(reply.status == 200, "\(target)")
          let tags = Self.skeleton(reply.text)
          for tag in tags {
            #expect(!tag.hasPrefix("quoted") && tag != "unclosed", "\(text) \(tag)")
            #expect(tag.matches(of: /\ on[a-z]+/).isEmpty, "\(text) \(tag)")
          }
          let allowed = tags.filter { $0.hasPrefix("<script") }
          #expect(Set(allowed) == ["<script type= src=>"], "\(text)")
          #expect(allowed.count == (reply.text.contains("class=\"map") ? 2 : 1), "\(text)")
          for address in reply.text.matches(of: /(?:href|src|action)="([^"]*)"/) {
            let isSafe = ["http://localhost/", "https://", "http://", "tel:", "geo:", "#"].contains
            {
              address.1.hasPrefix($0)
            }
            #expect(isSafe, "\(text) \(address.1)")
          }
        }
      }
    }
  }
}
