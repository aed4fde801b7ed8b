import HTTPTypes
import Testing

@testable import GeoService

/// Origin × Sec-Fetch-Site × Host × method × token × Content-Type, on every write route: the whole
/// table, and what it says of each row by a rule written here once more.
struct WriteTableTests {
  private static let secret = "correct-horse-battery"
  private static let hosts = [
    "localhost:8080", "LOCALHOST:8080", "[::1]:8080", "localhost", "evil.example",
    "localhost:81", "",
  ]
  private static let origins: [String?] = [
    nil, "http://localhost:8080", "http://127.0.0.1:8080", "http://[::1]:8080", "http://localhost",
    "http://localhost:81", "https://evil.example", "null", "", "http://localhost:8080, http://a",
  ]
  private static let sites: [String?] = [nil, "same-origin", "same-site", "cross-site", "none"]
  private static let tokens: [String?] = [
    nil, "Bearer \(secret)", "Bearer wrong", "Basic \(secret)",
  ]
  private static let types: [String?] = [nil, "application/json", "text/plain"]

  private struct Row {
    let rule: WriteRule
    let method: HTTPRequest.Method
    let host: String
    let origin: String?
    let site: String?
    let token: String?
    let type: String?

    /// A body comes with a type, and none without.
    var request: ServiceRequest {
      var fields: HTTPFields = [:]
      fields[.origin] = origin
      fields[.fetchSite] = site
      fields[.authorization] = token
      fields[.contentType] = type
      return ServiceRequest(
        method,
        "/favorites/place-1",
        host: host,
        fields: fields,
        body: type == nil ? [] : Array("{}".utf8),
        port: 8_080
      )
    }

    var expected: Int {
      if host.isEmpty { return 400 }
      if ["evil.example", "localhost:81"].contains(host) { return 421 }
      if ![.put, .delete].contains(method) { return 405 }
      if rule.token != nil {
        if token != "Bearer \(WriteTableTests.secret)" { return 401 }
      } else {
        let isOwn = origin == nil || origin == "http://\(host.lowercased())"
        let isSame = site == nil || site == "same-origin"
        if !rule.isLoopback || !isOwn || !isSame { return 403 }
      }
      return type == "text/plain" ? 415 : 204
    }
  }

  private static let rules = [
    WriteRule(token: nil, isLoopback: true), WriteRule(token: nil, isLoopback: false),
    WriteRule(token: Array(secret.utf8), isLoopback: true),
    WriteRule(token: Array(secret.utf8), isLoopback: false),
  ]

  private static func rows(_ rule: WriteRule, _ method: HTTPRequest.Method) -> [Row] {
    hosts.flatMap { host in
      origins.flatMap { origin in
        sites.flatMap { site in
          tokens.flatMap { token in
            types.map { type in
              Row(
                rule: rule,
                method: method,
                host: host,
                origin: origin,
                site: site,
                token: token,
                type: type
              )
            }
          }
        }
      }
    }
  }

  @Test(arguments: rules.indices, ["PUT", "DELETE", "POST", "GET"])
  func `every row of the table is answered as it says`(rule: Int, method: String) throws {
    let favorites = MemoryFavorites(of: SamplePlaces(count: 10).places)
    var settings = ServiceSettings()
    settings.writes = Self.rules[rule]
    let service = try SampleService(
      SamplePlaces(count: 10).places,
      settings: settings,
      favorites: favorites
    )
    let method = try #require(HTTPRequest.Method(rawValue: method))
    var seen: Set<Int> = []
    for row in Self.rows(Self.rules[rule], method) {
      // what a refused write would change
      if method == .delete { try favorites.addFavorites(["place-1"]) }
      let status = service.send(row.request).status
      seen.insert(status)
      let line = "\(method) \(row.host) \(row.origin ?? "-") \(row.site ?? "-") \(row.token ?? "-")"
      if status != row.expected { Issue.record("\(line): \(status), not \(row.expected)") }
      let isChanged = favorites.ids.isEmpty == (method == .delete)
      if isChanged != (row.expected == 204) { Issue.record("\(line): written or not") }
      _ = favorites.removeFavorites(["place-1"])
    }
    #expect(seen.contains(421) && seen.contains(400))
    let isWrite = method == .put || method == .delete
    #expect(seen.contains(204) == (isWrite && rule != 1))
  }

  @Test func `the table has every write route`() {
    let writing = Route.allCases.filter { $0.methods != $0.readingMethods }
    #expect(writing == [.favorite])
  }
}
