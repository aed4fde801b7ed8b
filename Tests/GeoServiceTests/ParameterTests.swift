import HTTPTypes
import Testing

@testable import GeoService

/// Parameters are what they are declared to be, or the request is refused.
struct ParameterTests {
  @Test(
    arguments: [
      "nan", "NaN", "inf", "Infinity", "-inf", "0x10", "1e400", "-1e400",
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
    "%2B5", "5.", ".5",
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
      "/radius?lat=1&lon=1&radius=20037509", "/bbox", "/bbox?bbox=", "/bbox?bbox=1,2,3,4&f=html",
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

  @Test(
    arguments: [
      "/collections/restaurants/items?bbox=0,0,50,50&bbox-crs=", "/bbox?bbox=0,0,50,50&bbox-crs=",
      "/collections/restaurants/items?filter-crs=",
      "/collections/restaurants/items?crs=", "/collections/restaurants/items/place-1?crs=",
    ]
  )
  func `reference system – CRS84 under its names – is accepted, and no other`(target: String) throws
  {
    let service = try SampleService()
    for name in [
      "http%3A%2F%2Fwww.opengis.net%2Fdef%2Fcrs%2FOGC%2F1.3%2FCRS84", "CRS84", "OGC:CRS84",
      "urn:ogc:def:crs:OGC:1.3:CRS84",
    ] {
      #expect(service.get(target + name).status == 200, "\(name)")
    }
    for name in [
      "http%3A%2F%2Fwww.opengis.net%2Fdef%2Fcrs%2FEPSG%2F0%2F4326", "EPSG:4326", "", "x",
    ] {
      #expect(service.get(target + name).status == 400, "\(name)")
    }
  }

  @Test func `no parameter may be given twice`() throws {
    let service = try SampleService(favorites: MemoryFavorites())
    let values = [
      "lat": "1", "lon": "2", "count": "3", "max": "4", "radius": "5", "limit": "6", "offset": "0",
      "bbox": "1,2,3,4", "datetime": "2026-03-01", "category": "Thai", "city": "Dallas", "q": "p",
      "sortby": "name", "f": "json",
      "filter": "closed%20=%20true", "filter-lang": "cql2-text", "open": "12:30",
      "open-unknown": "true", "within": "Old%20Town",
      "filter-crs": "CRS84", "ids": "place-1", "favorite": "true", "mark": "favorite",
      "want": "Thai", "at": "1,2&at=3,4", "places": "2", "prefer": "count", "rank": "3",
      "frontier": "true", "chain": "7",
    ]
    let by: [Endpoint: String] = [.facets: "city", .cover: "walk", .meet: "max"]
    var checked = 0
    for endpoint in service.service.endpoints where endpoint.methods.contains(.get) {
      let values = values.merging(by[endpoint].map { ["by": $0] } ?? [:]) { $1 }
      let path = endpoint.path(id: "place-1")
      for parameter in endpoint.parameters where parameter.maximumTimes == 1 {
        guard let value = values[parameter.name] else { continue }
        let isOfNearest = endpoint == .why && ["count", "max"].contains(parameter.name)
        let circle = ["lat", "lon"] + (isOfNearest ? [] : ["radius"])
        let isOfCircle =
          circle.contains(parameter.name) || isOfNearest
          || (endpoint == .offers && parameter.name == "max")
        let needed = endpoint.parameters
          .filter { $0.isRequired || (isOfCircle && circle.contains($0.name)) }
          .map { "\($0.name)=\(values[$0.name] ?? "")" }
        let once =
          needed.filter { !$0.hasPrefix(parameter.name + "=") } + ["\(parameter.name)=\(value)"]
        let target = "\(path)?\(once.joined(separator: "&"))"
        // a tile without a restaurant has no body
        #expect([200, 204].contains(service.get(target).status), "\(target)")
        let twice = service.get("\(target)&\(parameter.name)=\(value)")
        #expect(twice.status == 400 && twice.json["parameter"] as? String == parameter.name)
        checked += 1
      }
    }
    #expect(checked > 60)
  }

  @Test func `a repeatable parameter may be given as often as is declared, and not once more`()
    throws
  {
    let service = try SampleService()
    let values = ["want": "Thai", "at": "1,2"]
    var checked: [String] = []
    for endpoint in service.service.endpoints where endpoint.methods.contains(.get) {
      for parameter in endpoint.parameters where parameter.maximumTimes > 1 {
        let value = try #require(values[parameter.name])
        func target(_ times: Int) -> String {
          let given = Array(repeating: "\(parameter.name)=\(value)", count: times)
          let point = endpoint.parameters.contains { $0.name == "lat" } ? "&lat=1&lon=2" : ""
          return "\(endpoint.path)?\(given.joined(separator: "&"))\(point)"
        }
        #expect(service.get(target(parameter.maximumTimes)).status == 200)
        let reply = service.get(target(parameter.maximumTimes + 1))
        #expect(reply.status == 400 && reply.json["parameter"] as? String == parameter.name)
        // refused as it is read, not when a question is made of all of them
        let detail = reply.json["detail"] as? String
        #expect(detail?.contains("is given more than \(parameter.maximumTimes) times") == true)
        checked.append(parameter.name)
      }
    }
    #expect(checked == ["want", "at"])
  }

  @Test(arguments: ["q", "city", "category"])
  func `a filter's text has at most 256 bytes`(name: String) throws {
    let service = try SampleService()
    let longest = [
      String(repeating: "a", count: 256), String(repeating: "é", count: 128),
      "a" + String(repeating: "\u{301}\u{323}", count: 63) + "abc",
      String(repeating: "\u{1F355}", count: 64),
    ]
    for text in longest {
      #expect(text.utf8.count == 256)
      for target in ["/nearest?lat=1&lon=1", "/count/bbox?bbox=0,0,1,1"] {
        let query = "\(target)&\(name)=\(PercentCoding.encoded(text))"
        #expect(service.get(query).status == 200)
        #expect(service.get(query + "a").status == 400)
        // of a list each entry counts for itself
        let list = service.get("\(query),\(PercentCoding.encoded(text))")
        #expect(list.status == (name == "category" ? 200 : 400))
      }
    }
  }

  @Test(arguments: [",", "Thai,", ",Thai", "Thai,,Pub", "Thai,%20,Pub"])
  func `a list without an entry is refused`(list: String) throws {
    #expect(try SampleService().get("/nearest?lat=1&lon=1&category=\(list)").status == 400)
  }

  @Test func `a list takes any of its entries, blanks around them do not count`() throws {
    let service = try SampleService()
    let path = "/bbox?bbox=-180,-90,180,90&category="
    let both = Set(service.get(path + "Thai").ids + service.get(path + "Burgers").ids)
    for list in [
      "Thai,Burgers", "Burgers,thai", "Thai,%20Burgers", "Thai%2CBurgers", "Thai,x,Burgers",
    ] {
      #expect(Set(service.get(path + list).ids) == both, "\(list)")
    }
    let most = [String](repeating: "a", count: 32).joined(separator: ",")
    #expect(service.get(path + most).status == 200)
    #expect(service.get(path + most + ",a").status == 400)
  }

  @Test func `numbers of a hundred thousand digits are read or refused`() throws {
    let service = try SampleService()
    let zeros = String(repeating: "0", count: 100_000)
    let ones = String(repeating: "1", count: 100_000)
    for (body, status) in [
      (#"{"points":[{"lat":1.\#(zeros),"lon":2}]}"#, 200),
      (#"{"points":[{"lat":1.\#(ones),"lon":2}]}"#, 200),
      (#"{"points":[{"lat":\#(ones),"lon":2}]}"#, 400),
      (#"{"points":[{"lat":1e\#(ones),"lon":2}]}"#, 400),
      (#"{"points":[{"lat":1,"lon":2}],"count":\#(ones)}"#, 400),
      (#"{"points":[{"lat":1,"lon":2}],"max":\#(ones)}"#, 400),
    ] { #expect(service.post("/nearest", body).status == status) }
  }

  @Test func `a member of a body is known by its bytes`() throws {
    let service = try SampleService()
    let marks = String(repeating: "\u{301}\u{323}", count: 100)
    for name in ["points\(marks)", "q\u{301}", "\u{51}", "Points"] {
      let reply = service.post("/nearest", "{\"points\":[{\"lat\":1,\"lon\":2}],\"\(name)\":\"a\"}")
      #expect(reply.status == 400)
      #expect(reply.json["code"] as? String == "InvalidBody")
    }
  }

  @Test func `ten thousand parameters are too long an address`() throws {
    let many = (0..<10_000).map { "p\($0)=1" }.joined(separator: "&")
    #expect(try SampleService().get("/nearest?\(many)").status == 414)
    let exact = "/nearest?lat=1&lon=1."
    let service = try SampleService()
    #expect(service.get(exact + String(repeating: "0", count: 8_192 - exact.count)).status == 200)
    #expect(service.get(exact + String(repeating: "0", count: 8_193 - exact.count)).status == 414)
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
