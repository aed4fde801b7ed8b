import Foundation
import GeoIndex
import GeoQuery
import HTTPTypes
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
    #expect(
      service.get("/healthz").json["lastImportError"] as? String == "the store cannot be read"
    )
  }

  @Test func `metrics count by route, method and status`() throws {
    let metrics = ServiceMetrics()
    for seconds in [0.00005, 0.002, 0.002, 99] {
      metrics.begin()
      metrics.end(route: "/nearest", method: "GET", status: 200, seconds: seconds)
    }
    metrics.begin()
    let text = metrics.text(of: try SampleService.data(SamplePlaces().places, generation: 3))
    let label = #"http_route="/nearest",http_request_method="GET",http_response_status_code="200""#
    let name = "http_server_request_duration_seconds"
    for line in [
      #"\#(name)_bucket{\#(label),le="0.0001"} 1"#, #"\#(name)_bucket{\#(label),le="0.001"} 1"#,
      #"\#(name)_bucket{\#(label),le="0.0025"} 3"#, #"\#(name)_bucket{\#(label),le="+Inf"} 4"#,
      "\(name)_count{\(label)} 4", "http_server_active_requests 1", "geoq_generation 3",
      "geoq_restaurants 400",
    ] {
      #expect(text.contains(line + "\n"), "\(line)")
    }
    let names = text.split(separator: "\n").filter { $0.hasPrefix("# TYPE ") }
    #expect(Set(names).count == names.count)
  }

  @Test func `no answer mixes generations`() async throws {
    let all = SamplePlaces(count: 200).places
    let feeds = ["red", "blue"].map { colour in
      all.map { place in
        var place = place
        place.name = colour
        return place
      }
    }
    let service = try SampleService(feeds[0], generation: 0)
    let editions = try feeds.enumerated().map { try SampleService.data($0.1, generation: $0.0) }
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

  @Test func `a query that is out of time says so`() {
    #expect(throws: DeadlineExceeded.self) { try Deadline(in: .zero).check() }
    #expect(Problem(DeadlineExceeded())?.status == .serviceUnavailable)
    #expect(Problem(DeadlineExceeded())?.retryAfter == 1)
  }

  @Test func `the gate lets so many in`() {
    let gate = QueryGate(limit: 2)
    #expect(gate.enter() && gate.enter() && !gate.enter())
    gate.leave()
    #expect(gate.enter())
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
}
