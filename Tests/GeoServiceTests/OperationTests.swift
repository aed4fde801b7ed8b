import Foundation
import GeoIndex
import GeoQuery
import GeoStore
import HTTPTypes
import NIOCore
import Testing

@testable import GeoService

/// Health, metrics, and generations that take each other's place.
struct OperationTests {
  @Test func `health says what is served`() throws {
    let service = try SampleService(generation: 17)
    for path in ["/healthz", "/readyz"] {
      let reply = service.get(path)
      #expect(reply.json["status"] as? String == "ok")
      #expect(reply.json["generation"] as? Int == 17)
      #expect(reply.json["restaurants"] as? Int == 400)
      #expect(reply.response.fields[.cacheControl] == "no-store")
    }
    service.service.live.keep(because: "the store cannot be read")
    #expect(service.get("/readyz").status == 503)
    #expect(
      service.get("/healthz").json["lastImportError"] as? String == "the store cannot be read"
    )
  }

  @Test func `a replica whose store is away stays ready, and says how old it is`() throws {
    var settings = ServiceSettings.sample
    settings.maximumStaleness = nil
    let service = try SampleService(settings: settings)
    let live = service.service.live
    live.confirm()
    #expect(service.get("/readyz").json["staleSeconds"] == nil)
    #expect(service.get("/healthz").response.fields[.geoqStaleness] == nil)
    live.keep(because: "the store cannot be read")
    for path in ["/readyz", "/nearest?lat=1&lon=2"] {
      let reply = service.get(path)
      #expect(reply.status == 200)
      #expect(reply.response.fields[.geoqStaleness].flatMap { Int($0) } != nil)
    }
    #expect(service.get("/readyz").json["staleSeconds"] as? Int != nil)
    live.confirm()
    #expect(service.get("/nearest?lat=1&lon=2").response.fields[.geoqStaleness] == nil)
    live.fallBehind()
    #expect(service.get("/nearest?lat=1&lon=2").response.fields[.geoqStaleness] != nil)
    live.replace(with: live.current.snapshot)
    #expect(service.get("/nearest?lat=1&lon=2").response.fields[.geoqStaleness] == nil)
  }

  @Test func `a replica that is too old is not ready, and still answers`() throws {
    var settings = ServiceSettings.sample
    settings.maximumStaleness = .nanoseconds(1)
    let service = try SampleService(settings: settings)
    // no store is followed
    #expect(service.get("/readyz").status == 200)
    service.service.live.confirm()
    #expect(service.get("/readyz").status == 503)
    #expect(service.get("/nearest?lat=1&lon=2").status == 200)
  }

  @Test func `offers that are not known yet are not said to be none`() throws {
    let service = try SampleService(book: nil)
    for path in ["/offers", "/offers/place-1", "/cover?lat=1&lon=2&want=offer:Ten%20wings"] {
      let reply = service.get(path)
      #expect(reply.status == 503, "\(path)")
      #expect(reply.response.fields[.retryAfter] == "1")
    }
    #expect(service.get("/nearest?lat=1&lon=2").status == 200)
    service.service.live.replace(with: ServedExtras(book: .sample))
    #expect(service.get("/offers").status == 200)
  }

  @Test func `metrics count by route, method and status`() throws {
    let metrics = ServiceMetrics()
    for seconds in [0.00005, 0.002, 0.002, 99] {
      metrics.begin()
      metrics.end(route: "/nearest", method: "GET", status: 200, seconds: seconds)
    }
    metrics.begin()
    let quotas = Quotas()
    #expect(quotas.queries.acquire(for: .none) == nil)
    let data = try TemporarySnapshot.make(of: SamplePlaces().places, generation: 3)
    let text = metrics.text(
      of: ServedGeneration(data),
      staleness: .seconds(90),
      version: "1.2.3",
      quotas
    )
    let label = #"http_route="/nearest",http_request_method="GET",http_response_status_code="200""#
    let name = "http_server_request_duration_seconds"
    for line in [
      #"\#(name)_bucket{\#(label),le="0.0001"} 1"#, #"\#(name)_bucket{\#(label),le="0.001"} 1"#,
      #"\#(name)_bucket{\#(label),le="0.0025"} 3"#, #"\#(name)_bucket{\#(label),le="+Inf"} 4"#,
      "\(name)_count{\(label)} 4", "http_server_active_requests 1", "geoq_generation 3",
      "geoq_restaurants 400", "geoq_queries 1", "geoq_connections 0",
      #"geoq_build_info{version="1.2.3"} 1"#, "geoq_staleness_seconds 90",
    ] {
      #expect(text.contains(line + "\n"), "\(line)")
    }
    let names = text.split(separator: "\n").filter { $0.hasPrefix("# TYPE ") }
    #expect(Set(names).count == names.count)
  }

  @Test func `no answer mixes generations`() async throws {
    let all = SamplePlaces(count: 200).places
    let feeds = ["red", "blue"].map { color in
      all.map { place in
        var place = place
        place.name = color
        return place
      }
    }
    let service = try SampleService(feeds[0], generation: 0)
    let editions = try feeds.enumerated().map {
      try TemporarySnapshot.make(of: $0.1, generation: $0.0)
    }
    await withTaskGroup(of: Bool.self) { group in
      for reader in 0..<3 {
        group.addTask {
          (0..<150).allSatisfy { round in
            let path =
              (round + reader) % 2 == 0
              ? "/bbox?bbox=-180,-90,180,90" : "/nearest?lat=0&lon=0&count=200"
            let reply = service.get(path)
            let names = reply.features.map {
              ($0["properties"] as? [String: Any])?["name"] as? String
            }
            let generation = reply.response.fields[.geoqGeneration].flatMap(Int.init) ?? -1
            return reply.status == 200 && names.count == 200
              && names.allSatisfy { $0 == ["red", "blue"][generation] }
          }
        }
      }
      group.addTask {
        for round in 0..<300 { service.service.live.replace(with: editions[round % 2]) }
        return true
      }
      for await isSound in group { #expect(isSound) }
    }
  }

  @Test func `a query that is out of time says so`() throws {
    let error = #expect(throws: QueryTimeout.self) { try Deadline(in: .zero).check() }
    let problem = Problem(try #require(error))
    #expect(problem?.status == .serviceUnavailable)
    #expect(problem?.retryAfter == 1)
  }

  @Test func `a quota has a limit for all and a share for each peer`() throws {
    let quota = Quota(limit: 3, share: 2)
    let (one, two) = (Peer(try SocketAddress(ipAddress: "10.0.0.1", port: 1)), Peer.none)
    for _ in 0..<2 { #expect(quota.acquire(for: one) == nil) }
    #expect(quota.acquire(for: one) == .peer)
    #expect(quota.acquire(for: two) == nil)
    #expect(quota.acquire(for: two) == .all)
    quota.release(for: one)
    #expect(quota.acquire(for: one) == nil)
    quota.release(2, for: one)
    quota.release(for: two)
    #expect(quota.used == 0)
  }

  @Test func `a peer has its least part though others have used up all`() throws {
    let quota = Quota(limit: 3, share: 3, minimum: 2)
    func peer(_ number: Int) throws -> Peer {
      Peer(try SocketAddress(ipAddress: "10.0.0.\(number)", port: 1))
    }
    let (one, two) = (try peer(1), try peer(2))
    for _ in 0..<3 { #expect(quota.acquire(for: one) == nil) }
    for _ in 0..<2 { #expect(quota.acquire(for: two) == nil) }
    #expect(quota.acquire(for: two) == .all)
    #expect(quota.acquire(for: one) == .peer)
    #expect(quota.used == 5)
    quota.release(3, for: one)
    #expect(quota.acquire(for: two) == nil)
  }

  @Test func `an IPv6 household is one peer, and an IPv4 address is itself however it is written`()
    throws
  {
    func peer(_ address: String) throws -> Peer {
      Peer(try SocketAddress(ipAddress: address, port: 1))
    }
    #expect(try peer("2001:db8::1") == peer("2001:db8::2:3:4:5"))
    #expect(try peer("2001:db8::1") != peer("2001:db8:0:1::1"))
    #expect(try peer("::ffff:10.0.0.1") == peer("10.0.0.1"))
    #expect(try peer("10.0.0.1") != peer("10.0.0.2"))
    #expect(Peer.forwarded("10.0.0.1, 10.0.0.2")?.ipAddress == "10.0.0.2")
    for text in [nil, "", "evil", "10.0.0.1, unknown", "10.0.0.1,"] {
      #expect(Peer.forwarded(text) == nil)
    }
  }

  @Test func `a target in the log is short, plain and without a token`() {
    #expect(AccessLog.shown("/nearest?lat=1&lon=2") == "/nearest?lat=1&lon=2")
    #expect(AccessLog.shown("/?token=secret") == "/")
    #expect(AccessLog.shown("/\u{1B}[2J\u{202E}") == "/?[2J???")
    #expect(AccessLog.shown("/" + String(repeating: "a", count: 9_000)).utf8.count < 300)
  }

  @Test(arguments: [
    "/?token=SECRET", "//?token=SECRET", "/app?token=SECRET", "/app/?token=SECRET",
    "/app/map?token=SECRET", "/nearest?lat=1&token=SECRET&lon=2", "/?f=json&token=SECRET",
    "/?TOKEN=SECRET", "/?Token=SECRET", "/?%74oken=SECRET", "/?toke%6E=SECRET", "/?%54OKEN=SECRET",
    "/?%2574oken=SECRET", "/?token%3DSECRET", "/?a=1;token=SECRET", "/?a=1%26token=SECRET",
    "/%3Ftoken=SECRET", "/?token==SECRET", "/?token=&token=SECRET", "/?token[]=SECRET",
    "/?token+=SECRET", "/?%20token=SECRET", "/?access_token=SECRET", "/?q=token=SECRET",
    "/#token=SECRET", "/;token=SECRET", "/token=SECRET", "?token=SECRET", "token=SECRET",
    "*?token=SECRET",
    "http://localhost/?token=SECRET", "HTTP://localhost:8080/app/?token=SECRET",
    "http://localhost?token=SECRET", "https://localhost/#token=SECRET", "/?token=a&SECRET",
    "/?token=a#SECRET", "/nowhere/?token=SECRET", "/images/a/0?token=SECRET", "/?%zz&token=SECRET",
  ])
  func `a token is cut from every logged address, whatever its form`(target: String) {
    #expect(!AccessLog.shown(target).contains("SECRET"))
  }

  @Test func `an address in the log keeps what stands before a token, and all without one`() {
    #expect(AccessLog.shown("/nearest?lat=1&token=a&lon=2") == "/nearest?lat=1")
    #expect(AccessLog.shown("http://localhost/app/?token=a") == "http://localhost/app/")
    for target in ["/?q=token", "/?q=a%26b=c", "/nearest?lat=1&lon=2&category=Tokens", "/tokens"] {
      #expect(AccessLog.shown(target) == target)
    }
  }

  @Test func `a store's errors do not say where it is`() throws {
    let error = #expect(throws: StoreError.self) { try RestaurantStore(path: "/nowhere/lunch.db") }
    let found = try #require(error)
    let problem = try #require(Problem(found))
    #expect(problem.status == .serviceUnavailable)
    #expect(!problem.detail.contains("nowhere"))
  }

  @Test func `an empty store is served`() throws {
    let service = try SampleService([])
    for path in [
      "/", "/collections", "/collections/restaurants/items", "/bbox?bbox=-180,-90,180,90",
      "/nearest?lat=0&lon=0", "/radius?lat=0&lon=0&radius=20037508", "/count/bbox?bbox=0,0,1,1",
      "/collections/restaurants/items?sortby=name&q=x", "/metrics", "/healthz",
    ] { #expect(service.get(path).status == 200, "\(path)") }
    #expect(service.get("/collections/restaurants/items").matched == 0)
  }

  /// Requests whose cost grows with the data, or whose answer is the same each time.
  private static let costly = [
    "/radius?lat=1&lon=2&radius=15000000&limit=1&q=zzz", "/bbox?bbox=-180,-90,180,90",
    "/nearest?lat=1&lon=2&category=Thai", "/nearest?lat=1&lon=2&offset=9",
    "/nearest?lat=1&lon=2&sortby=name", "/nearest?lat=1&lon=2&count=1000",
    "/count/bbox?bbox=0,0,9,9",
    "/facets?by=city", "/density", "/tiles/0/0/0.mvt", "/tiles/0/0/0.mvt?category=Thai",
    "/tiles.json?category=Thai", "/api", "/api.html", "/metrics", "/?f=html", "/app/", "/app/map",
    "/app/licenses", "/app/internets", "/app/style.css", "/collections/restaurants/items",
  ]

  @Test(arguments: costly)
  func `what may take long – whatever the data – is not begun on the event loop`(
    target: String
  ) throws {
    // known filters too, and with few restaurants as with many
    for count in [10, 400] {
      let service = try SampleService(SamplePlaces(count: count).places)
      for _ in 0..<2 {
        guard case .work(let executor, _) = service.service.begin(ServiceRequest(.get, target))
        else {
          Issue.record("\(target) is not work")
          continue
        }
        #expect(executor != .inline)
        // what has been made is kept
        if ["/api", "/tiles/", "/app/style"].contains(where: target.hasPrefix) { break }
        _ = service.get(target)
      }
    }
  }

  @Test(
    arguments: [
      "/nearest?lat=1&lon=2&", "/radius?lat=1&lon=2&radius=9&", "/bbox?bbox=0,0,9,9&",
      "/count/radius?lat=1&lon=2&radius=9&", "/count/bbox?bbox=0,0,9,9&", "/facets?by=city&",
      "/why/place-1?",
      "/tiles/0/0/0.mvt?", "/density?", "/tiles.json?", "/meet?at=1,1&at=1,2&",
      "/collections/restaurants/items?",
    ]
  )
  func `a filter that reads all records – on every route – runs where plans do`(
    target: String
  ) throws {
    let service = try SampleService(SamplePlaces(count: 20).places)
    for filter in ["extra.wifi%20%3D%20yes", "description%20~%20a"] {
      let target = target + "filter=" + filter
      guard case .work(let executor, _) = service.service.begin(ServiceRequest(.get, target)) else {
        Issue.record("\(target) is not work")
        continue
      }
      #expect(executor == .plans, "\(target)")
    }
  }

  @Test func `documents are made once, and each client gets them as it takes them`() throws {
    let service = try SampleService()
    for target in ["/api", "/api.html", "/app/style.css"] {
      let plain = service.get(target)
      var request = ServiceRequest(.get, target)
      request.fields[.acceptEncoding] = "gzip"
      let packed = service.send(request)
      #expect(plain.status == 200 && packed.status == 200)
      #expect(packed.response.fields[.contentEncoding] == "gzip")
      #expect(Gzip.unpacked(packed.response.body, 1 << 24) == plain.response.body)
      #expect(plain.response.fields[.eTag] != packed.response.fields[.eTag])
      // the second time it is there
      guard case .work(let executor, _) = service.service.begin(request) else {
        Issue.record("\(target) is not work")
        continue
      }
      #expect(executor == .inline)
      // and with the address of another host
      request = ServiceRequest(.get, target, host: "127.0.0.1")
      #expect(!service.send(request).text.contains("http://localhost"))
    }
  }
}
