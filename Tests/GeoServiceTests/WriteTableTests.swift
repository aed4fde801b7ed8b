import HTTPTypes
import Testing

@testable import GeoService

/// Token and cookie × Origin × Sec-Fetch-Site × Host × method × Content-Type, on every write route: the
/// whole table, and what it says of each row by a rule written here once more.
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
  private static let tokens: [String?] = [nil, "Bearer \(secret)", "Bearer wrong"]
  private static let cookies = [nil, "geoq-8080=\(session)", "geoq-81=\(session)"]
  private static let time = 1_800_000_000
  /// The time, and SHA-256 of `geoq session`, the time and the secret, in lines, by another program.
  private static let session =
    "1800000000-8878fb3340ad01b5a01b7c6e99cce3e5bf5146f99ebd774ea56ecd03a58d22f9"
  private static let types: [String?] = [nil, "application/json", "text/plain"]

  private struct Row {
    let method: HTTPRequest.Method
    let host: String
    let origin: String?
    let site: String?
    let token: String?
    let cookie: String?
    let type: String?

    /// A body comes with a type, and none without.
    var request: ServiceRequest {
      var fields: HTTPFields = [:]
      fields[.origin] = origin
      fields[.fetchSite] = site
      fields[.authorization] = token
      fields[.cookie] = cookie
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
      if host == "evil.example" { return 421 }
      if ![.put, .delete].contains(method) { return 405 }
      if token != "Bearer \(WriteTableTests.secret)" {
        if cookie != "geoq-8080=\(WriteTableTests.session)" { return 401 }
        let isOwn = site == nil ? origin == "http://\(host.lowercased())" : site == "same-origin"
        if !isOwn { return 403 }
      }
      return type == "text/plain" ? 415 : method == .put ? 201 : 204
    }
  }

  private static func rows(_ method: HTTPRequest.Method) -> [Row] {
    hosts.flatMap { host in
      origins.flatMap { origin in
        sites.flatMap { site in
          tokens.flatMap { token in
            cookies.flatMap { cookie in
              types.map { type in
                Row(
                  method: method,
                  host: host,
                  origin: origin,
                  site: site,
                  token: token,
                  cookie: cookie,
                  type: type
                )
              }
            }
          }
        }
      }
    }
  }

  @Test(arguments: [true, false], ["PUT", "DELETE", "POST", "GET"])
  func `every row of the table is answered as it says`(isProtected: Bool, method: String) throws {
    let favorites = MemoryFavorites(of: SamplePlaces(count: 10).places)
    var settings = ServiceSettings()
    settings.access = AccessRule(
      token: Array(Self.secret.utf8),
      protectsReading: isProtected,
      now: { Self.time }
    )
    let service = try SampleService(
      SamplePlaces(count: 10).places,
      settings: settings,
      favorites: favorites
    )
    let method = try #require(HTTPRequest.Method(rawValue: method))
    var seen: Set<Int> = []
    for row in Self.rows(method) {
      // what a refused write would change
      if method == .delete { _ = try favorites.addFavorites(["place-1"]) }
      let status = service.send(row.request).status
      seen.insert(status)
      let line = "\(method) \(row.host) \(row.origin ?? "-") \(row.site ?? "-") \(row.token ?? "-")"
      if status != row.expected { Issue.record("\(line): \(status), not \(row.expected)") }
      let isChanged = favorites.ids.isEmpty == (method == .delete)
      if isChanged != (200..<300).contains(row.expected) { Issue.record("\(line): written or not") }
      _ = favorites.removeFavorites(["place-1"])
    }
    #expect(seen.contains(421) && seen.contains(400))
    let isWrite = method == .put || method == .delete
    #expect(!seen.isDisjoint(with: [201, 204]) == isWrite)
  }

  @Test func `the table has every write route`() {
    let writing = Endpoint.all.filter(\.isPrivate)
    // those of the pages are forms: LunchPageTests
    #expect(
      writing.filter { !$0.methods.allSatisfy { $0 == .get } }
        == [.favorite, .session, .favoritesPage, .pageSession, .pageSessionEnd]
    )
  }
}
