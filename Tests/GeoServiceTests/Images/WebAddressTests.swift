import Testing

@testable import GeoService

/// Addresses in the one spelling that all programs read alike, and the hosts that they belong to.
struct WebAddressTests {
  @Test(
    arguments: [
      ("http://a.example", "http://a.example/", "a.example", 80),
      ("HTTPS://A.Example/x y", "https://a.example/x%20y", "a.example", 443),
      ("http://a.example:8080?q=1", "http://a.example:8080/?q=1", "a.example", 8_080),
      ("https://a-b.example/é#part", "https://a-b.example/%C3%A9", "a-b.example", 443),
      ("http://a/\"<\\>", "http://a/%22%3C%5C%3E", "a", 80),
    ]
  )
  func `a plain address is kept`(text: String, whole: String, host: String, port: Int) {
    let address = WebAddress(text)
    #expect(address?.text == whole)
    #expect(address?.host == host && address?.port == port)
  }

  @Test(
    arguments: [
      "", "http://", "http:///x", "//a.example", "ftp://a.example", "file:///etc/passwd",
      "javascript:alert(1)", "http:a.example", "http:/a.example", " http://a.example",
      "http://a@b.example/", "http://a:b@c.example", "http://a.example\\@b.example",
      "http://a.example\\b", "http://[::1]/", "http://[::ffff:1.2.3.4]", "http://a.example:/",
      "http://a.example:0", "http://a.example:65536", "http://a.example:8 0",
      "http://a.example:+80",
      "http://a b.example", "http://a%2e.example", "http://ä.example", "http://a_b.example",
      "http://.example", "http://-a.example", "http://a.example/\n", "http://a.example/\u{0}",
      "http://a.example/\u{7F}", "http://a.example;x", "http://a.example,b", "http://a'b",
    ]
  )
  func `what programs could read in two ways is not an address`(text: String) {
    #expect(WebAddress(text) == nil)
  }

  @Test func `an address is bounded`() {
    #expect(WebAddress("http://a/" + String(repeating: "x", count: 2_039)) != nil)
    #expect(WebAddress("http://a/" + String(repeating: "x", count: 2_040)) == nil)
    #expect(WebAddress("http://" + String(repeating: "a", count: 254)) == nil)
  }

  @Test(
    arguments: [
      ("a.example", "https://a.example/x", true), ("a.example", "http://a.example/x", false),
      ("http://a.example", "http://a.example/x", true),
      ("http://a.example", "https://a.example/x", true),
      ("https://a.example", "http://a.example/x", false),
      ("A.Example", "https://a.EXAMPLE/x", true), ("a.example", "https://b.a.example/", false),
      ("a.example", "https://a.example.evil/", false),
      ("a.example", "https://a.example:444/", false),
      ("a.example:444", "https://a.example:444/", true),
      ("a.example:444", "https://a.example/", false),
      ("http://a.example:81", "http://a.example:81/", true),
    ]
  )
  func `a host includes its own addresses`(host: String, address: String, isIn: Bool) throws {
    let host = try #require(ImageHost(host))
    #expect(host.includes(try #require(WebAddress(address))) == isIn)
  }

  @Test(arguments: [
    "", "*", "a/b", "a b", "http://", "user@a", "[::1]", "a:0", "a:b", "ftp://a", "-a",
  ])
  func `what is not a host cannot be listed`(text: String) {
    #expect(ImageHost(text) == nil)
  }
}
