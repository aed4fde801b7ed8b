import GeoQuery
import GeoStore
import HTTPTypes
import Testing

@testable import GeoService

/// Favorites over HTTP: what is written, and what strangers cannot write.
struct FavoriteTests {
  private let favorites = MemoryFavorites()

  private func service(_ settings: ServiceSettings = .sample) throws -> SampleService {
    try SampleService(settings: settings, favorites: favorites)
  }

  private func change(_ method: HTTPRequest.Method, _ id: String, in service: SampleService) -> Int
  {
    service.send(.owners(method, "/favorites/\(id)")).status
  }

  @Test func `twice is the same as once`() throws {
    let service = try service()
    #expect(service.get("/favorites").ids.isEmpty)
    for status in [201, 204] { #expect(change(.put, "place-7", in: service) == status) }
    #expect(change(.put, "place-3", in: service) == 201)
    #expect(service.get("/favorites").ids == ["place-3", "place-7"])
    #expect(service.get("/favorites").matched == 2)
    for _ in 0..<2 { #expect(change(.delete, "place-7", in: service) == 204) }
    #expect(service.get("/favorites").ids == ["place-3"])
  }

  @Test func `what no feed has cannot become a favorite, but stays one`() throws {
    let service = try service()
    #expect(change(.put, "nobody", in: service) == 404)
    #expect(favorites.ids.isEmpty)
    _ = try favorites.addFavorites(["place-5", "place-1"])
    let others = SamplePlaces().places.filter { $0.id != "place-5" }
    service.service.live.replace(with: try TemporarySnapshot.make(of: others, generation: 2))
    #expect(service.get("/favorites").ids == ["place-1", "place-5"])
    #expect(change(.put, "place-5", in: service) == 204)
    #expect(change(.delete, "place-5", in: service) == 204)
    #expect(favorites.ids == ["place-1"])
  }

  @Test func `favorites are answered afresh, whatever the generation`() throws {
    let service = try service()
    let fields = service.get("/favorites").response.fields
    #expect(fields[.cacheControl] == "no-store")
    #expect(fields[.eTag] == nil)
  }

  @Test func `they come in pages, each from the generation that it says`() throws {
    let service = try service()
    let ids = ["place-1", "place-10", "place-2", "place-30", "place-7"]
    _ = try favorites.addFavorites(ids)
    var found: [String] = []
    var next: String? = "/favorites?limit=2"
    while let target = next {
      let reply = service.get(target)
      #expect(reply.matched == 5)
      #expect(reply.response.fields[.geoqGeneration] == "17")
      found += reply.ids
      next = reply.target("next")
    }
    #expect(found == ids)
    #expect(service.get("/favorites?limit=0").status == 400)
    #expect(service.get("/favorites?cursor=x").status == 400)
    #expect(service.get("/favorites?offset=1").status == 400)
  }

  @Test func `a database that another program writes to is said to be busy`() {
    let busy = Problem(StoreError(.busy, path: "x.db", "said"))
    #expect(busy?.status == .serviceUnavailable)
    #expect(busy?.detail == "another program is writing to the database; try again")
    #expect(busy?.retryAfter == 1)
  }

  @Test func `a service that keeps none has no such resource`() throws {
    let service = try SampleService()
    #expect(service.get("/favorites").status == 404)
    #expect(change(.put, "place-1", in: service) == 404)
    #expect(!service.get("/api").text.contains("favorite"))
    #expect(!service.get("/api.html").text.contains("favorite"))
  }

  @Test(
    arguments: [
      ("", nil, 201), ("{}", "application/json", 201),
      ("{}", "application/json; charset=utf-8", 201),
      ("{}", nil, 415), ("{}", "text/plain", 415),
      ("a=b", "application/x-www-form-urlencoded", 415),
      ("{\"id\":\"place-2\"}", "application/json", 400), ("[]", "application/json", 400),
      ("{", "application/json", 400), ("null", "application/json", 400),
      (String(repeating: "[", count: 1_000), "application/json", 400),
      (String(repeating: " ", count: 1_025), "application/json", 413),
    ] as [(String, String?, Int)]
  )
  func `a body says nothing, and only as JSON`(body: String, type: String?, status: Int) throws {
    let service = try service()
    var request = ServiceRequest.owners(.put, "/favorites/place-1", body: Array(body.utf8))
    request.fields[.contentType] = type
    #expect(service.send(request).status == status)
    #expect(favorites.ids == (status == 201 ? ["place-1"] : []))
    request.fields[.contentEncoding] = "gzip"
    if !body.isEmpty { #expect(service.send(request).status == 415) }
  }

  @Test(arguments: ["/favorites/", "/favorites/a/b", "/favorites/%00", "/favorites/%zz"])
  func `a path that names no restaurant is refused`(path: String) throws {
    for method in [HTTPRequest.Method.put, .delete] {
      #expect([400, 404].contains(try service().send(.owners(method, path)).status))
    }
    #expect(favorites.ids.isEmpty)
  }

  @Test func `reading writes nothing and writing takes no parameters`() throws {
    let service = try service()
    for method in [HTTPRequest.Method.get, .head, .post, .patch, .options] {
      let reply = service.send(ServiceRequest(method, "/favorites/place-1"))
      #expect(reply.status == (method == .options ? 204 : 405))
      #expect(reply.response.fields[.allow] == "PUT, DELETE, OPTIONS")
    }
    #expect(service.send(.owners(.put, "/favorites/place-1?x=1")).status == 400)
    #expect(service.send(.owners(.put, "/favorites")).status == 405)
    #expect(favorites.ids.isEmpty)
  }

  @Test func `no page of another origin is let write or read them, whatever --cors says`() throws {
    var settings = ServiceSettings.sample
    settings.crossOrigin = CrossOriginRule(origins: ["*"])
    let service = try service(settings)
    for target in ["/favorites/place-1", "/favorites", "/metrics", "/session"] {
      for method in [HTTPRequest.Method.options, .get, .put, .post] {
        var request = ServiceRequest(method, target)
        request.fields[.origin] = "https://evil.example"
        let fields = service.send(request).response.fields
        #expect(fields[.accessControlAllowOrigin] == nil, "\(method) \(target)")
        #expect(fields[.accessControlAllowMethods] == nil)
        #expect(fields[.accessControlAllowHeaders] == nil)
      }
    }
    var nearest = ServiceRequest(.options, "/nearest")
    nearest.fields[.origin] = "https://evil.example"
    let read = service.send(nearest).response.fields
    #expect(read[.accessControlAllowMethods] == "GET, HEAD, POST, OPTIONS")
    #expect(read[.accessControlAllowHeaders] == "Content-Type, If-None-Match")
    #expect(favorites.ids.isEmpty)
  }

  @Test func `with a token file they and the metrics are read with the token only`() throws {
    var settings = ServiceSettings.sample
    settings.access = AccessRule(token: Array(ServiceSettings.token.utf8), protectsReading: true)
    let service = try service(settings)
    for target in ["/favorites", "/metrics"] {
      let refused = service.get(target)
      #expect(refused.status == 401)
      #expect(refused.response.fields[.wwwAuthenticate] == "Bearer")
      #expect(service.send(.owners(.get, target)).status == 200)
      #expect(service.send(.owners(.head, target)).status == 200)
    }
    #expect(service.get("/nearest?lat=0&lon=0").status == 200)
  }
}

/// Sessions: a browser that has shown the token may write from then on.
struct SessionTests {
  private let favorites = MemoryFavorites()

  private func write(_ cookie: String?, _ service: SampleService) -> Int {
    var request = ServiceRequest(.put, "/favorites/place-1", port: 8_080)
    request.fields[.cookie] = cookie.map { String($0.prefix { $0 != ";" }) }
    request.fields[.fetchSite] = "same-origin"
    return service.send(request).status
  }

  @Test func `the address with the token leads to the page and a cookie that writes`() throws {
    let service = try SampleService(favorites: favorites)
    let target = "/?token=\(ServiceSettings.token)"
    let reply = service.send(ServiceRequest(.get, target, host: "localhost:8080", port: 8_080))
    #expect(reply.status == 303)
    #expect(reply.response.fields[.location] == "http://localhost:8080/")
    #expect(reply.response.fields[.cacheControl] == "no-store")
    let cookie = try #require(reply.response.fields[.setCookie])
    #expect(write(nil, service) == 401)
    #expect(write(cookie, service) == 201)
    for token in ["wrong", ServiceSettings.token + "x", "e%CC%81"] {
      let wrong = service.get("/?token=\(token)")
      #expect(wrong.status == 401)
      #expect(wrong.response.fields[.setCookie] == nil)
    }
  }

  @Test(
    arguments: [
      (#"{"token":"\#(ServiceSettings.token)"}"#, 204), (#"{"token":"wrong"}"#, 401),
      (#"{"token":1}"#, 400), ("{}", 400), ("", 400), ("[]", 400), ("{", 400),
      (#"{"token":"\#(ServiceSettings.token)","x":1}"#, 400),
      ("{\"token\":\"\(String(repeating: "a", count: 2_000))\"}", 413),
    ]
  )
  func `a token that is typed opens a session`(body: String, status: Int) throws {
    let service = try SampleService(favorites: favorites)
    let reply = service.post("/session", body)
    #expect(reply.status == status)
    #expect((reply.response.fields[.setCookie] != nil) == (status == 204))
    #expect(service.post("/session", body, type: "text/plain").status == 415)
    #expect(service.get("/session").status == 405)
  }
}
