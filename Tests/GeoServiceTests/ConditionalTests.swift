import Foundation
import HTTPTypes
import Testing

@testable import GeoService

/// ETags, 304, compression and HEAD.
struct ConditionalTests {
  private static let big = "/collections/restaurants/items?limit=400"

  @Test func `a client that has the bytes gets 304`() throws {
    let service = try SampleService()
    for target in ["/", "/nearest?lat=0&lon=0", Self.big, "/collections/restaurants/items/place-1"]
    {
      let tag = try #require(service.get(target).response.fields[.eTag])
      #expect(tag.hasPrefix("\"1-") && tag.hasSuffix("\""))
      for named in [tag, "W/\(tag)", "\"other\", \(tag)", "*"] {
        let again = service.get(target, [.ifNoneMatch: named])
        #expect(again.status == 304)
        #expect(again.response.body.isEmpty)
        #expect(again.response.fields[.eTag] == tag)
      }
      #expect(service.get(target, [.ifNoneMatch: "\"other\""]).status == 200)
    }
  }

  @Test func `a tag belongs to one generation, query, representation and encoding`() throws {
    let places = SamplePlaces().places
    let service = try SampleService(places)
    var tags: Set<String> = []
    let asks: [(String, HTTPFields)] = [
      (Self.big, [:]), (Self.big + "&q=a", [:]), (Self.big, [.accept: "text/html"]),
      (Self.big, [.acceptEncoding: "gzip"]), ("/nearest?lat=0&lon=0", [:]),
      ("/nearest?lat=0&lon=1", [:]),
    ]
    for (target, fields) in asks {
      tags.insert(service.get(target, fields).response.fields[.eTag] ?? "")
    }
    service.service.live.replace(with: try TemporarySnapshot.make(of: places, generation: 2))
    for (target, fields) in asks {
      tags.insert(service.get(target, fields).response.fields[.eTag] ?? "")
    }
    #expect(tags.count == 2 * asks.count)
    #expect(service.get(Self.big).response.fields[.cacheControl] == "no-cache")
  }

  @Test func `another version of the program has other tags`() throws {
    var settings = ServiceSettings()
    var tags: Set<String> = []
    for version in ["1.0", "1.1"] {
      settings.version = version
      let service = try SampleService(settings: settings)
      tags.insert(try #require(service.get(Self.big).response.fields[.eTag]))
    }
    #expect(tags.count == 2)
  }

  @Test func `an error comes before a validator`() throws {
    #expect(try SampleService().get("/nearest?lat=x&lon=0", [.ifNoneMatch: "*"]).status == 400)
    #expect(
      try SampleService().get("/collections/restaurants/items/x", [.ifNoneMatch: "*"]).status == 404
    )
  }

  @Test func `large answers are compressed for clients that accept it`() throws {
    let service = try SampleService()
    let plain = service.get(Self.big)
    for accept in ["gzip", "br, gzip;q=0.5", "*", "GZIP"] {
      let reply = service.get(Self.big, [.acceptEncoding: accept])
      #expect(reply.response.fields[.contentEncoding] == "gzip")
      #expect(reply.response.body.count < plain.response.body.count / 3)
      #expect(reply.response.body.starts(with: [0x1F, 0x8B]))
      #expect(try gunzip(reply.response.body) == plain.response.body)
      #expect(
        reply.response.fields[values: .vary].joined(separator: ", ").contains("Accept-Encoding")
      )
    }
    for accept in ["identity", "gzip;q=0", "br", "", "gzip;q=0, *", "*, gzip;q=0", "*;q=0"] {
      let reply = service.get(Self.big, [.acceptEncoding: accept])
      #expect(reply.response.fields[.contentEncoding] == nil)
    }
    #expect(service.get("/", [.acceptEncoding: "gzip"]).response.fields[.contentEncoding] == nil)
  }

  /// The system's own gzip reads it back.
  private func gunzip(_ bytes: [UInt8]) throws -> [UInt8] {
    let file = FileManager.default.temporaryDirectory
      .appendingPathComponent("geoq-\(UUID().uuidString).gz")
    try Data(bytes).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let process = Process()
    let pipe = Pipe()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["gzip", "-dc", file.path]
    process.standardOutput = pipe
    try process.run()
    let data = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return Array(data)
  }

  @Test func `HEAD says what GET would`() throws {
    let service = try SampleService()
    let get = service.get(Self.big).response
    let head = service.send(ServiceRequest(.head, Self.big)).response
    #expect(head.fields == get.fields)
    #expect(head.status == get.status)
  }

  @Test func `OPTIONS lists the methods`() throws {
    let reply = try SampleService().send(ServiceRequest(.options, "/nearest"))
    #expect(reply.status == 204)
    #expect(reply.response.fields[.allow] == "GET, HEAD, POST, OPTIONS")
  }
}
