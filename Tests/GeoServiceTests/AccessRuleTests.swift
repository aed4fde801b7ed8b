import Foundation
import HTTPTypes
import Testing

@testable import GeoService

/// Token, cookie, Origin and Sec-Fetch-Site: who may write, and who may read what is private.
struct AccessRuleTests {
  private static let origins: [String?] = [
    nil, "http://localhost:8080", "HTTP://LOCALHOST:8080", "http://localhost:81",
    "http://localhost",
    "https://evil.example", "null", "", "file://", "http://localhost:8080@evil.example",
    "http://localhost:8080/", "http://localhost:8080.evil.example",
  ]
  private static let sites: [String?] = [nil, "same-origin", "same-site", "cross-site", "none", ""]

  private let rule = AccessRule(token: Array("secret".utf8), protectsReading: true)

  /// A request with these header fields, to port 8080.
  private func request(
    authorization: String? = nil,
    cookie: String? = nil,
    origin: String? = nil,
    fetchSite: String? = "same-origin"
  ) -> ServiceRequest {
    var fields: HTTPFields = [:]
    fields[.authorization] = authorization
    fields[.cookie] = cookie
    fields[.origin] = origin
    fields[.fetchSite] = fetchSite
    return ServiceRequest(.get, "/", fields: fields, port: 8_080)
  }

  private func status(_ check: () throws -> Void) -> Int {
    do {
      try check()
      return 200
    } catch {
      return Problem(error)?.status.code ?? 500
    }
  }

  private func cookie(_ rule: AccessRule, port: Int = 8_080) throws -> String {
    let text = try rule.cookie(for: Array("secret".utf8), port: port, isSecure: false)
    return String(text.prefix { $0 != ";" })
  }

  @Test(
    arguments: [
      (nil, 401), ("", 401), ("Bearer", 401), ("Bearer ", 401), ("Bearer secre", 401),
      ("Bearer secrets", 401), ("Bearer SECRET", 401), ("Basic secret", 401), ("secret", 401),
      ("Bearer secretsecret", 401), ("Bearer secret", 200), ("bearer secret", 200),
    ] as [(String?, Int)]
  )
  func `a program needs the token, wherever it comes from`(text: String?, expected: Int) {
    for origin in Self.origins {
      for site in Self.sites {
        let request = request(authorization: text, origin: origin, fetchSite: site)
        #expect(status { try rule.check(.owner, request, host: "localhost:8080") } == expected)
        #expect(status { try rule.check(.readers, request, host: "localhost:8080") } == expected)
      }
    }
  }

  @Test func `a cookie writes from an own page only, and reads from anywhere`() throws {
    for origin in Self.origins {
      for site in Self.sites {
        let isOwn = origin?.lowercased() == "http://localhost:8080"
        let expected = site == "same-origin" || (site == nil && isOwn) ? 200 : 403
        let cookie = "a=b; \(try cookie(rule)); c=d"
        let request = request(cookie: cookie, origin: origin, fetchSite: site)
        let line = "\(origin ?? "-") \(site ?? "-")"
        #expect(
          status { try rule.check(.owner, request, host: "localhost:8080") } == expected,
          "\(line)"
        )
        #expect(status { try rule.check(.readers, request, host: "localhost:8080") } == 200)
      }
    }
  }

  @Test(arguments: [
    (0, 200), (1, 200), (2_591_999, 200), (2_592_000, 401), (90_000_000, 401), (-60, 200),
    (-86_400, 401),
  ])
  func `a cookie is taken for thirty days`(age: Int, expected: Int) throws {
    let secret = Array("secret".utf8)
    let old = AccessRule(token: secret, protectsReading: true) { 1_800_000_000 }
    let rule = AccessRule(token: secret, protectsReading: true) { 1_800_000_000 + age }
    let cookie = try cookie(old)
    #expect(
      status { try rule.check(.owner, request(cookie: cookie), host: "localhost:8080") } == expected
    )
    #expect(
      status { try rule.check(.readers, request(cookie: cookie), host: "localhost:8080") }
        == expected
    )
    // its time cannot be changed
    let time = try #require(cookie.firstMatch(of: /180000000[0-9]/))
    let younger = cookie.replacing(time.0, with: "\(1_800_000_000 + age)")
    #expect(
      status { try rule.check(.owner, request(cookie: younger), host: "localhost:8080") }
        == (age == 0 ? 200 : 401)
    )
  }

  @Test func `a cookie of another port, token or form is none`() throws {
    let other = AccessRule(token: Array("another".utf8), protectsReading: true)
    let foreign = try other.cookie(for: Array("another".utf8), port: 8_080, isSecure: false)
    let own = try cookie(rule)
    let wrong = [
      try cookie(rule, port: 81), foreign, "", "geoq-8080", "geoq-8080=", "x" + own, own + "0",
      String(own.dropLast()), "geoq-8080=secret",
    ]
    for cookie in wrong {
      let request = request(cookie: cookie)
      #expect(
        status { try rule.check(.owner, request, host: "localhost:8080") } == 401,
        "\(cookie)"
      )
      #expect(
        status { try rule.check(.readers, request, host: "localhost:8080") } == 401,
        "\(cookie)"
      )
    }
  }

  @Test func `a cookie is for the token, says nothing of it, and outlives a restart`() throws {
    for given in ["", "secre", "secrets", "SECRET"] {
      #expect(throws: Problem.unauthorized) {
        try rule.cookie(for: Array(given.utf8), port: 1, isSecure: false)
      }
    }
    let text = try rule.cookie(for: Array("secret".utf8), port: 8_080, isSecure: true)
    #expect(text.hasPrefix("geoq-8080=") && !text.contains("secret"))
    for attribute in ["Path=/", "HttpOnly", "SameSite=Strict", "Secure"] {
      #expect(text.components(separatedBy: "; ").contains(attribute))
    }
    let again = AccessRule(token: Array("secret".utf8), protectsReading: false)
    #expect(try cookie(again) == cookie(rule))
  }

  @Test func `an empty token admits no request`() {
    let rule = AccessRule(token: [], protectsReading: true)
    for text in ["Bearer ", "Bearer x"] {
      let request = request(authorization: text)
      #expect(status { try rule.check(.owner, request, host: "localhost:8080") } == 401)
    }
    #expect(throws: Problem.self) { try rule.cookie(for: [], port: 1, isSecure: false) }
  }

  @Test func `what is not private is read by anybody`() {
    let rule = AccessRule(token: Array("secret".utf8), protectsReading: false)
    #expect(status { try rule.check(.readers, request(), host: "localhost:8080") } == 200)
  }

  @Test func `two tokens that are made are two`() {
    let tokens = Set((0..<100).map { _ in AccessRule.randomToken() })
    #expect(tokens.count == 100)
    #expect(tokens.allSatisfy { $0.count == 32 })
  }

  @Test func `nothing but a favorite can be written, by any method on any route`() throws {
    let service = try SampleService(settings: .everything(), favorites: MemoryFavorites())
    let methods = ["PUT", "DELETE", "PATCH", "TRACE", "CONNECT", "MKCOL", "get"]
    for endpoint in service.service.endpoints where endpoint != .favorite {
      for method in methods.compactMap({ HTTPRequest.Method(rawValue: $0) }) {
        let path = endpoint.path(id: "a")
        let reply = service.send(.owners(method, path))
        #expect(reply.status == 405, "\(method) \(endpoint.path)")
        #expect(reply.response.fields[.allow] == endpoint.allow)
      }
    }
  }
}
