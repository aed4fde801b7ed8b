import Foundation
import HTTPTypes
import Testing

@testable import GeoService

/// Pages of other origins read only if they were allowed to.
struct CrossOriginRuleTests {
  private func reply(
    allowing origins: [String],
    _ method: HTTPRequest.Method = .get,
    _ target: String = "/nearest?lat=0&lon=0",
    origin: String?
  ) throws -> HTTPFields {
    var settings = ServiceSettings()
    settings.crossOrigin = CrossOriginRule(origins: origins)
    var request = ServiceRequest(method, target)
    request.fields[.origin] = origin
    return try SampleService(settings: settings).send(request).response.fields
  }

  @Test func `it is off unless asked for`() throws {
    let fields = try reply(allowing: [], origin: "https://maps.example")
    #expect(fields[.accessControlAllowOrigin] == nil)
    let preflight = try reply(allowing: [], .options, origin: "https://maps.example")
    #expect(preflight[.accessControlAllowMethods] == nil)
  }

  @Test func `one origin is allowed and others are not`() throws {
    let allowed = ["https://maps.example"]
    let own = try reply(allowing: allowed, origin: "https://maps.example")
    #expect(own[.accessControlAllowOrigin] == "https://maps.example")
    #expect(own[values: .vary].contains("Origin"))
    for other in ["https://evil.example", "https://maps.example.evil", "null", nil] {
      let fields = try reply(allowing: allowed, origin: other)
      #expect(fields[.accessControlAllowOrigin] == nil)
      #expect(fields[values: .vary].contains("Origin"))
    }
    let missing = try reply(allowing: allowed, .get, "/nowhere", origin: "https://maps.example")
    #expect(missing[.accessControlAllowOrigin] == "https://maps.example")
  }

  @Test func `pages and images are for pages of this origin, and data for those that are allowed`()
    throws
  {
    let html: HTTPFields = [.accept: "text/html"]
    let folder = FileManager.default.temporaryDirectory.appending(path: "geoq-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try Data(SampleImages.png(5, 5)).write(to: folder.appending(path: "place-7.png"))
    for origins in [[], ["https://maps.example"]] {
      var settings = ServiceSettings.sample
      settings.crossOrigin = CrossOriginRule(origins: origins)
      settings.images = RestaurantImages(folder: try #require(ImageFolder(folder.path)))
      let service = try SampleService(settings: settings)
      func fields(_ target: String, _ fields: HTTPFields = [:]) -> (String?, String?) {
        let found = service.get(target, fields).response.fields
        return (
          found[HTTPField.Name("Cross-Origin-Resource-Policy")!],
          found[HTTPField.Name("Cross-Origin-Opener-Policy")!]
        )
      }
      for target in ["/app/", "/app/nowhere", "/app/favorites", "/", "/collections"] {
        #expect(fields(target, html) == ("same-origin", "same-origin"), "\(target)")
      }
      for target in [
        "/", "/collections", "/tiles/0/0/0.mvt", "/tiles.json", "/nearest?lat=1&lon=2",
      ] {
        #expect(fields(target) == (nil, nil), "\(target)")
      }
      #expect(fields("/images/place-7/0").0 == (origins.isEmpty ? "same-origin" : nil))
    }
  }

  @Test(
    arguments: [
      ("localhost", nil, true), ("127.0.0.1", nil, true), ("lunch.example", nil, false),
      ("lunch.example", "https", true), ("lunch.example", "http", false),
    ] as [(String, String?, Bool)]
  )
  func `the policy for windows is sent to addresses on which browsers heed it`(
    host: String,
    scheme: String?,
    isSent: Bool
  ) throws {
    var settings = ServiceSettings.sample
    settings.hosts = HostRule(allowing: ["lunch.example"])
    settings.isBehindProxy = scheme != nil
    var request = ServiceRequest(.get, "/app/", host: host)
    if let scheme {
      request.fields[.forwardedProto] = scheme
      request.fields[.forwardedHost] = host
    }
    let found = try SampleService(settings: settings).send(request).response
    #expect(found.status == .ok)
    #expect((found.fields[.openerPolicy] == "same-origin") == isSent)
  }

  @Test func `all origins are allowed by a star, without credentials`() throws {
    let fields = try reply(allowing: ["*"], .options, origin: "https://any.example")
    #expect(fields[.accessControlAllowOrigin] == "*")
    #expect(fields[.accessControlAllowMethods] == "GET, HEAD, POST, OPTIONS")
    #expect(fields[.accessControlAllowCredentials] == nil)
  }
}
