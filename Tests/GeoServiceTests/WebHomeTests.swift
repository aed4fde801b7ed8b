import HTTPTypes
import Testing

@testable import GeoService

/// The frame of the page, at the service's own pages or at another site.
struct WebHomeTests {
  private func service(_ home: String?) throws -> SampleService {
    var settings = ServiceSettings.sample
    settings.webHome = try home.map { try #require(WebAddress($0)) }
    return try SampleService(settings: settings)
  }

  private func sources(_ reply: Reply) -> String? {
    let policy = reply.response.fields[.contentSecurityPolicy] ?? ""
    return policy.split(separator: "; ").last { $0.hasPrefix("frame-src ") }.map(String.init)
  }

  @Test func `another site is framed by its origin, and by nothing more`() throws {
    let service = try service("https://Lunch.example:8443/today?a=1&b=2")
    let reply = service.get("/app/internets")
    #expect(sources(reply) == "frame-src 'self' https://lunch.example:8443")
    let address = "https://lunch.example:8443/today?a=1&amp;b=2"
    #expect(reply.text.contains("src=\"\(address)\" referrerpolicy=\"no-referrer\" sandbox="))
    #expect(
      reply.text.contains(
        "href=\"\(address)\" target=\"_blank\" rel=\"noopener noreferrer\">Open in a new tab"
      )
    )
    // the pages of the API frame nothing
    #expect(sources(service.get("/?f=html")) == nil)
  }

  @Test func `without one the frame shows the service`() throws {
    let reply = try service(nil).get("/app/internets")
    #expect(sources(reply) == "frame-src 'self'")
    #expect(reply.text.contains("src=\"http://localhost/collections/restaurants/items?f=html\""))
    #expect(!reply.text.contains("sandbox="))
  }
}
