import GeoIndex
import GeoQuery
import HTTPTypes
import Testing

@testable import GeoService

/// The pages for people.
struct PageTests {
  private static let items = "/collections/restaurants/items"

  @Test func `a restaurant's page is called by its name, others by what they are`() throws {
    let service = try SampleService([try place("a/b", "Café <Fish & Chips>")])
    let pages = [
      ("/", "geoq"), ("/conformance", "Conformance"), ("/collections", "Collections"),
      ("/collections/restaurants", "Restaurants"), (Self.items, "Restaurants"), ("/api", "API"),
      ("\(Self.items)/a%2Fb", "Café &lt;Fish &amp; Chips&gt;"),
    ]
    for (path, title) in pages {
      let page = service.get(path + "?f=html").text
      #expect(page.contains("<title>\(title)</title>"), "\(path)")
      #expect(page.contains("<h1><bdi>\(title)</bdi></h1>"), "\(path)")
    }
  }

  @Test func `a list leads to each restaurant's own page`() throws {
    let service = try SampleService([try place("a/b?c", "One"), try place("é", "Two")])
    let page = service.get("\(Self.items)?f=html").text
    for (id, name) in [("a%2Fb%3Fc", "One"), ("%C3%A9", "Two")] {
      let address = "http://localhost\(Self.items)/\(id)?f=html"
      #expect(page.contains("<h2><a href=\"\(address)\"><bdi>\(name)</bdi></a></h2>"))
      #expect(service.get(String(address.dropFirst("http://localhost".count))).status == 200)
    }
  }

  @Test func `behind a proxy all links of a page lead through it`() throws {
    var settings = ServiceSettings()
    settings.isBehindProxy = true
    let service = try SampleService([try place("a", "One")], settings: settings)
    for path in ["/?f=html", "\(Self.items)?f=html", "\(Self.items)/a?f=html", "/api.html"] {
      var request = ServiceRequest(.get, path)
      request.fields[.forwardedPrefix] = "/lunch"
      let addresses = service.send(request).text.split(separator: "href=\"").dropFirst()
      #expect(addresses.count > 3)
      for address in addresses { #expect(address.hasPrefix("http://localhost/lunch/"), "\(path)") }
    }
  }

  private func place(_ id: String, _ name: String) throws -> Restaurant {
    let coordinate = try #require(Coordinate(latitude: 1, longitude: 2))
    return Restaurant(id: id, name: name, coordinate: coordinate, source: "test")
  }
}
