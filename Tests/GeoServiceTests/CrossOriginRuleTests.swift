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

  @Test func `all origins are allowed by a star, without credentials`() throws {
    let fields = try reply(allowing: ["*"], .options, origin: "https://any.example")
    #expect(fields[.accessControlAllowOrigin] == "*")
    #expect(fields[.accessControlAllowMethods] == "GET, HEAD, POST, OPTIONS")
    #expect(fields[.accessControlAllowCredentials] == nil)
  }
}
