import HTTPTypes
import Testing

@testable import GeoService

/// Parameters are what they are declared to be, or the request is refused.
struct ParameterTests {
  @Test(
    arguments: [
      "nan", "NaN", "inf", "Infinity", "-inf", "0x10", "%2B5", "5.", ".5", "1e400", "-1e400",
      "1_000",
      "1,5", "%EF%BC%91", "%D9%A1", "", "%20", "5%20", "5%00", "--5", "1e", "1e+", "- 5",
      "90.0000001",
      "-90.0000001", "1e3", "nil", "true", "5%0A",
    ]
  )
  func `a latitude that is none is refused`(text: String) throws {
    let reply = try SampleService().get("/nearest?lat=\(text)&lon=0")
    #expect(reply.status == 400)
    #expect(reply.json["detail"] is String)
  }

  @Test(arguments: [
    "0", "-0", "-0.0", "90", "-90", "1e1", "1E1", "1e-5", "000.5", "%33%32.5", "5e-324",
  ])
  func `a latitude in any decimal form is taken`(text: String) throws {
    #expect(try SampleService().get("/nearest?lat=\(text)&lon=0").status == 200)
  }

  @Test(arguments: [
    "-1", "0", "1.5", "1001", "2147483648", "9223372036854775808", "1e2", "%2B5", "ten",
  ])
  func `a count that is none is refused`(text: String) throws {
    let reply = try SampleService().get("/nearest?lat=0&lon=0&count=\(text)")
    #expect(reply.status == 400)
    #expect(reply.json["parameter"] as? String == "count")
    #expect(reply.text.contains("1...1000"))
  }

  @Test(
    arguments: [
      "/nearest?lat=1", "/nearest?lon=1", "/nearest", "/nearest?lat=1&lat=1&lon=1",
      "/nearest?lat=1&lon=1&Count=1", "/nearest?lat[]=1&lon=1", "/nearest?lat=1&lon=1&",
      "/radius?lat=1&lon=1", "/radius?lat=1&lon=1&radius=-1", "/radius?lat=1&lon=1&radius=1e308",
      "/radius?lat=1&lon=1&radius=20037509", "/bbox", "/bbox?bbox=", "/bbox?bbox=1,2,3,4&f=json",
      "/nearest?lat=1&lon=1&city=a&city=b", "/nearest?lat=1&lon=1&category=", "/?f=xml",
      "/collections/restaurants/items?sortby=id", "/collections/restaurants/items?sortby=name,id",
      "/collections/restaurants/items?limit=1&limit=2", "/healthz?x=1", "/metrics?f=json",
      "/nearest?lat=1&lon=1&q=%zz", "/nearest?lat=1&lon=1&q=%", "/nearest?lat=1&lon=1&q=%C3%28",
      "/nearest?lat=1&lon=1&q=a%00b", "/nearest?lat=1&lon=1&=5",
    ]
  )
  func `a request with wrong parameters is refused`(target: String) throws {
    let reply = try SampleService().get(target)
    // an empty part at the end is no parameter
    #expect(reply.status == (target.hasSuffix("&") ? 200 : 400), "\(reply.text)")
  }

  @Test func `ten thousand parameters are too long an address`() throws {
    let many = (0..<10_000).map { "p\($0)=1" }.joined(separator: "&")
    #expect(try SampleService().get("/nearest?\(many)").status == 414)
    let exact = "/nearest?lat=1&lon=1&q="
    let service = try SampleService()
    #expect(service.get(exact + String(repeating: "a", count: 8_192 - exact.count)).status == 200)
    #expect(service.get(exact + String(repeating: "a", count: 8_193 - exact.count)).status == 414)
  }

  @Test(
    arguments: [
      "text/html": "text/html; charset=utf-8", "*/*": "application/json", "": "application/json",
      "application/*": "application/json",
      "text/*;q=0.9, application/json;q=0.8":
        "text/html; charset=utf-8", "text/html;q=0.5, application/json": "application/json",
      "text/html, application/xhtml+xml, application/xml;q=0.9, */*;q=0.8":
        "text/html; charset=utf-8",
      "application/json;q=0, text/html": "text/html; charset=utf-8",
    ]
  )
  func `Accept is weighed`(accept: String, type: String) throws {
    #expect(try SampleService().get("/", [.accept: accept]).type == type)
  }

  @Test func `what no representation fits is refused, and f beats Accept`() throws {
    let service = try SampleService()
    #expect(service.get("/", [.accept: "image/png"]).status == 406)
    #expect(service.get("/", [.accept: "application/json;q=0, image/png"]).status == 406)
    #expect(
      service.get("/?f=html", [.accept: "application/json"]).type?.hasPrefix("text/html") == true
    )
    #expect(service.get("/nearest?lat=1&lon=1", [.accept: "text/html"]).status == 406)
  }
}
