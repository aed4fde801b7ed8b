import HTTPTypes
import Testing

@testable import GeoService

/// The tab Internets: the frame at the site that the operator has named.
struct WebHomeTests {
  private func service(_ home: String?) throws -> SampleService {
    var settings = ServiceSettings.sample
    settings.webHome = try home.map { try #require(WebAddress($0)) }
    return try SampleService(settings: settings)
  }

  private func directive(_ name: String, _ reply: Reply) -> String? {
    let policy = reply.response.fields[.contentSecurityPolicy] ?? ""
    return policy.split(separator: "; ").last { $0.hasPrefix(name + " ") }.map(String.init)
  }

  private func sources(_ reply: Reply) -> String? { directive("frame-src", reply) }

  private func connections(_ reply: Reply) -> String? { directive("connect-src", reply) }

  @Test func `another site is framed by its origin, and by nothing more`() throws {
    let service = try service("https://Lunch.example:8443/today?a=1&b=2")
    let reply = service.get("/app/internets")
    #expect(sources(reply) == "frame-src https://lunch.example:8443")
    #expect(connections(reply) == "connect-src 'self' https://lunch.example:8443")
    #expect(service.get("/app/").text.contains(">Internets</a>"))
    let address = "https://lunch.example:8443/today?a=1&amp;b=2"
    #expect(reply.text.contains("src=\"\(address)\" referrerpolicy=\"no-referrer\" sandbox="))
    #expect(
      reply.text.contains(
        "href=\"\(address)\" target=\"_blank\" rel=\"noopener noreferrer nofollow\">Open in a new tab"
      )
    )
    // the pages of the API frame nothing
    #expect(sources(service.get("/?f=html")) == nil)
  }

  @Test func `without a site there is no tab, no frame, and a sentence that says so`() throws {
    let service = try service(nil)
    for path in ["/app/", "/app/internets"] {
      let reply = service.get(path)
      #expect(sources(reply) == nil && connections(reply) == "connect-src 'self'")
      #expect(!reply.text.contains(">Internets</a>") && !reply.text.contains("<iframe"))
    }
    let reply = service.get("/app/internets")
    #expect(reply.status == 200 && reply.text.contains("--web-home"))
  }
}
