import HTTPTypes
import Testing

@testable import GeoService

/// Only known hosts are answered for, and exactly one has to be named.
struct HostRuleTests {
  private func status(_ host: String?, port: Int? = 8_080, more: String? = nil) throws -> Int {
    var settings = ServiceSettings()
    settings.hosts = HostRule(allowing: [
      "Maps.Example", "192.0.2.7", "Lunch.Example:8443", "web.example:443",
    ])
    let service = try SampleService([], settings: settings)
    var request = ServiceRequest(.get, "/", host: host, port: port)
    if let more { request.fields[.hostField] = more }
    return service.send(request).status
  }

  @Test(
    arguments: [
      "localhost", "LOCALHOST", "localhost:8080", "127.0.0.1", "127.0.0.1:8080", "[::1]",
      "[::1]:8080", "maps.example", "maps.example:8080", "localhost:",
      "localhost:9000", "127.0.0.1:81", "[::1]:1", "maps.example:443", "192.0.2.7:8080",
      "lunch.example:8443", "LUNCH.example:8443", "web.example:443", "web.example",
    ]
  )
  func `a known host is answered for`(host: String) throws {
    #expect(try status(host) == 200)
  }

  @Test(
    arguments: [
      "evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "127.1", "lunch.example",
      "lunch.example:8080",
      "web.example:80", "192.0.2.70", "*",
      "localhost:0", "localhost:65536", "localhost:99999999999999999999",
      "localhost:8080:8080", "[::1", "::1", "2130706433", "0x7f.1", "localhost@evil.example",
      "evil.example:8080", "localhost:80a", "localhost.", " localhost", "127.0.0.2", "[::2]:8080",
    ]
  )
  func `a foreign host is misdirected`(host: String) throws {
    #expect(try status(host) == 421)
  }

  @Test func `no host and two hosts are bad requests`() throws {
    #expect(try status(nil) == 400)
    #expect(try status("") == 400)
    #expect(try status("localhost", more: "localhost") == 400)
    #expect(try status("localhost", more: "evil.example") == 400)
  }

  @Test func `the host of an absolute form counts`() throws {
    let service = try SampleService([])
    #expect(service.get("http://localhost/").status == 200)
    #expect(service.get("http://evil.example/").status == 421)
    #expect(service.get("ftp://localhost/").status == 400)
    #expect(service.get("*").status == 400)
  }

  @Test func `a host that is allowed is a name or an address, with or without a port`() {
    for host in [
      "maps.example", "192.0.2.1", "[2001:db8::1]", "maps", "maps.example:443", "[::2]:80",
    ] {
      #expect(HostRule.isHost(host), "\(host)")
    }
    for text in [
      "https://maps.example", "a/b", "", "a b", "a,b", "maps:", "*", "*.maps.example", "maps:0",
      "maps:65536", "maps:a", "2001:db8::1",
    ] {
      #expect(!HostRule.isHost(text), "\(text)")
    }
  }

  @Test(arguments: ["/healthz", "/readyz", "/metrics"])
  func `a probe or a scrape with the token is answered for any host`(path: String) throws {
    var settings = ServiceSettings()
    settings.access = AccessRule(token: Array("secret".utf8), protectsReading: false)
    let service = try SampleService([], settings: settings)
    var request = ServiceRequest(.get, path, host: "10.1.2.3:8080")
    #expect(service.send(request).status == (path == "/metrics" ? 421 : 200))
    request.fields[.authorization] = "Bearer wrong"
    #expect(service.send(request).status == (path == "/metrics" ? 421 : 200))
    request.fields[.authorization] = "Bearer secret"
    #expect(service.send(request).status == 200)
    #expect(service.send(ServiceRequest(.get, path, host: nil)).status == 400)
    var other = ServiceRequest(.get, "/nearest?lat=0&lon=0", host: "10.1.2.3:8080")
    other.fields[.authorization] = "Bearer secret"
    #expect(service.send(other).status == 421)
  }

  @Test func `links follow a proxy only if one is said to be there`() throws {
    var request = ServiceRequest(.get, "/collections")
    request.fields[.forwardedProto] = "https"
    request.fields[.forwardedHost] = "maps.example"
    request.fields[.forwardedPrefix] = "/lunch"
    #expect(try SampleService([]).send(request).text.contains("\"http://localhost/collections"))
    var settings = ServiceSettings()
    settings.isBehindProxy = true
    settings.hosts = HostRule(allowing: ["maps.example"])
    let behind = try SampleService([], settings: settings)
    #expect(behind.send(request).text.contains("\"https://maps.example/lunch/collections"))
    // the proxy next to the service adds at the end; what stands before may be the client's own
    request.fields[.forwardedHost] = "evil.example, maps.example"
    request.fields[.forwardedProto] = "http, HTTPS"
    #expect(behind.send(request).text.contains("\"https://maps.example/lunch/collections"))
    for (prefix, shown) in [
      ("/maps/", "/maps"), ("/a, /b", "/b"), ("/~user", "/~user"), ("/my%20maps", "/my%20maps"),
      ("/", ""), ("/a//b", ""), ("/%zz", ""), ("a", ""), ("/\"", ""),
    ] {
      request.fields[.forwardedPrefix] = prefix
      #expect(behind.send(request).text.contains("\"https://maps.example\(shown)/collections"))
    }
    request.fields[.forwardedPrefix] = "/lunch"
    for bad in ["\"><script>", "a b", "evil.example/x", "maps.example, evil.example"] {
      request.fields[.forwardedHost] = bad
      #expect(behind.send(request).status == 421, "\(bad)")
    }
    for none in ["", "maps.example,"] {
      request.fields[.forwardedHost] = none
      #expect(behind.send(request).text.contains("\"https://localhost/lunch/collections"))
    }
  }
}
