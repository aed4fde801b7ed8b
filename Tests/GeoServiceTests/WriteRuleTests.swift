import HTTPTypes
import Testing

@testable import GeoService

/// Origin × Sec-Fetch-Site × token × listener: who may write.
struct WriteRuleTests {
  private static let origins: [String?] = [
    nil, "http://localhost:8080", "HTTP://LOCALHOST:8080", "http://localhost:81",
    "http://localhost",
    "https://evil.example", "null", "", "file://", "http://localhost:8080@evil.example",
    "http://localhost:8080/", "http://localhost:8080.evil.example",
  ]
  private static let sites: [String?] = [nil, "same-origin", "same-site", "cross-site", "none", ""]

  private func status(_ rule: WriteRule, _ evidence: WriteRule.Evidence) -> Int {
    do {
      try rule.check(evidence)
      return 200
    } catch {
      return Problem(error)?.status.code ?? 500
    }
  }

  @Test func `without a token a loopback listener takes its own pages and no page at all`() {
    let rule = WriteRule(token: nil, isLoopback: true)
    for origin in Self.origins {
      for site in Self.sites {
        let own = origin == nil || origin?.lowercased() == "http://localhost:8080"
        let expected = own && (site == nil || site == "same-origin") ? 200 : 403
        let evidence = WriteRule.Evidence(origin: origin, fetchSite: site, host: "localhost:8080")
        #expect(status(rule, evidence) == expected, "\(origin ?? "-") \(site ?? "-")")
      }
    }
  }

  @Test func `without a token a public listener is read-only`() {
    let rule = WriteRule(token: nil, isLoopback: false)
    for origin in Self.origins {
      for site in Self.sites {
        let evidence = WriteRule.Evidence(
          authorization: "Bearer anything",
          origin: origin,
          fetchSite: site,
          host: "localhost:8080"
        )
        #expect(status(rule, evidence) == 403)
      }
    }
  }

  @Test(
    arguments: [
      (nil, 401), ("", 401), ("Bearer", 401), ("Bearer ", 401), ("Bearer secre", 401),
      ("Bearer secrets", 401), ("Bearer SECRET", 401), ("Basic secret", 401), ("secret", 401),
      ("Bearer secretsecret", 401), ("Bearer secret", 200), ("bearer secret", 200),
    ] as [(String?, Int)]
  )
  func `with a token only the token counts`(authorization: String?, expected: Int) {
    for isLoopback in [true, false] {
      let rule = WriteRule(token: Array("secret".utf8), isLoopback: isLoopback)
      for origin in Self.origins {
        let evidence = WriteRule.Evidence(
          authorization: authorization,
          origin: origin,
          fetchSite: "cross-site",
          host: "localhost:8080"
        )
        #expect(status(rule, evidence) == expected)
      }
    }
  }

  @Test func `an empty token lets nobody in`() {
    let rule = WriteRule(token: [], isLoopback: true)
    for text in ["Bearer ", "Bearer x"] {
      #expect(status(rule, WriteRule.Evidence(authorization: text, host: "localhost")) == 401)
    }
  }

  @Test func `nothing but a favourite can be written, by any method on any route`() throws {
    let service = try SampleService(favorites: MemoryFavorites())
    let methods = ["PUT", "DELETE", "PATCH", "TRACE", "CONNECT", "MKCOL", "get"]
    for route in Route.allCases where route != .favorite {
      for method in methods.compactMap({ HTTPRequest.Method(rawValue: $0) }) {
        let reply = service.send(ServiceRequest(method, route.path.replacing("{id}", with: "a")))
        #expect(reply.status == 405, "\(method) \(route.path)")
        #expect(reply.response.fields[.allow] == route.allow)
      }
    }
  }
}
