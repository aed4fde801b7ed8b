import GeoIndex
import GeoQuery
import HTTPTypes
import Testing

@testable import GeoService

/// What a feed writes stays text on a page, whatever its members are called.
struct HostilePageTests {
  private static let items = "/collections/restaurants/items"

  private func link(_ address: String) -> JSONValue {
    .object([
      JSONMember(name: "href", value: .string(address)),
      JSONMember(name: "rel", value: .string("next")),
      JSONMember(name: "type", value: .string("text/html")),
    ])
  }

  private func service(_ extra: [JSONMember], name: String = "A") throws -> SampleService {
    let coordinate = try #require(Coordinate(latitude: 1, longitude: 2))
    var place = Restaurant(id: "a", name: name, coordinate: coordinate, source: "s")
    place.extra = extra
    return try SampleService([place])
  }

  /// All addresses of a page's links.
  private func addresses(_ page: String) -> [String] {
    page.matches(of: /href="([^"]*)"/).map { String($0.1) }
  }

  @Test(arguments: ["javascript:alert(1)", "data:text/html,x", "/x", "//evil.example", "ftp://a/b"])
  func `a feed's own links and features are not the service's`(address: String) throws {
    let links = JSONValue.array([link(address), link("https://evil.example/")])
    let feature = JSONValue.object([
      JSONMember(name: "id", value: .string("x")),
      JSONMember(
        name: "properties",
        value: .object([JSONMember(name: "name", value: .string("N"))])
      ),
      JSONMember(name: "links", value: links),
    ])
    let extra = [
      JSONMember(name: "links", value: links),
      JSONMember(name: "features", value: .array([feature])),
      JSONMember(name: "collections", value: .array([feature])),
      JSONMember(name: "href", value: .string(address)),
    ]
    let service = try service(extra)
    for target in ["\(Self.items)?f=html", "\(Self.items)/a?f=html"] {
      let page = service.get(target).text
      let foreign = addresses(page).filter { !$0.hasPrefix("http://localhost/") }
      // a web address in a feed is a link like that of a website, and nothing else is one
      #expect(Set(foreign) == ["https://evil.example/"])
      #expect(!page.contains("rel=\"next\""))
      #expect(page.matches(of: /<h2>/).count == (target.contains("/a?") ? 0 : 1))
    }
  }

  @Test func `a page says itself what it may load, before anything else`() throws {
    let service = try service([])
    for path in ["/", "/conformance", "/collections", Self.items, "\(Self.items)/a", "/api"] {
      let page = service.get("\(path)?f=html").text
      let policy = try #require(
        page.firstMatch(of: /<meta http-equiv="Content-Security-Policy" content="([^"]*)">/)
      )
      #expect(policy.1.hasPrefix("default-src 'none';"))
      #expect(!policy.1.contains("unsafe"))
      let before = page[..<policy.range.lowerBound]
      #expect(before.hasSuffix("<head><meta charset=\"utf-8\">"))
    }
  }

  @Test func `control characters and directions of writing end with their text`() throws {
    let tricky: [Unicode.Scalar] = [
      "\u{0}", "\u{1}", "\u{8}", "\u{B}", "\u{1B}", "\u{7F}", "\u{80}", "\u{9B}", "\u{2028}",
      "\u{2029}", "\u{202A}", "\u{202B}", "\u{202C}", "\u{202D}", "\u{202E}", "\u{2066}",
      "\u{2067}", "\u{2068}", "\u{2069}",
    ]
    for scalar in tricky {
      let text = "a\(scalar)b"
      let service = try service([JSONMember(name: text, value: .string(text))], name: text)
      for target in ["\(Self.items)?f=html", "\(Self.items)/a?f=html"] {
        let page = service.get(target).text
        #expect(!page.unicodeScalars.contains(scalar), "\(scalar.value)")
        let shown = "a\\u{\(String(scalar.value, radix: 16))}b"
        #expect(
          page.contains("<th scope=\"row\"><bdi>\(shown)</bdi></th><td><bdi>\(shown)</bdi></td>")
        )
        let heading =
          target.contains("/a?") ? "<h1><bdi>\(shown)" : "\"><bdi>\(shown)</bdi></a></h2>"
        #expect(page.contains(heading))
        if target.contains("/a?") { #expect(page.contains("<title>\(shown)</title>")) }
      }
    }
    // what only shapes words stays: joiners of emoji, marks of direction
    let kept = "\u{200D}\u{200F}\u{61C}\u{301}"
    let page = try service([], name: "a\(kept)").get("\(Self.items)/a?f=html").text
    #expect(page.utf8.count > 0 && page.contains("<h1><bdi>a\(kept)</bdi></h1>"))
  }

  @Test(
    arguments: [
      ("http://a.example/", true), ("HTTPS://A.example/x?y=1", true), ("http:a", false),
      ("javascript://x", false), ("https:/a", false), ("http\u{3A}//a\u{202E}b", false),
      ("http://a b", false), ("http://a\nb", false), (" http://a", false), ("xhttp://a", false),
    ]
  )
  func `only a plain web address becomes a link`(text: String, isLink: Bool) throws {
    let page = try service([JSONMember(name: "x", value: .string(text))])
      .get("\(Self.items)/a?f=html").text
    #expect(addresses(page).contains(HTMLText.escaped(text)) == isLink)
    #expect(page.contains("<bdi>\(HTMLText.escaped(text))</bdi>"))
  }
}
