import Foundation
import GeoIndex
import GeoQuery
import HTTPTypes
import Testing

@testable import GeoService

/// The tiles that the service keeps.
struct TileCacheTests {
  private func key(_ number: Int, isGzip: Bool = false, generation: Int = 1) -> TileCache.Key {
    let target = Array("/tiles/\(number)".utf8)
    return TileCache.Key(generation: generation, edition: 1, target: target, isGzip: isGzip)
  }

  private func response(
    _ count: Int,
    _ status: HTTPResponse.Status = .ok
  ) -> ServiceResponse {
    let body = [UInt8](repeating: 7, count: count)
    return ServiceResponse(status: status, fields: [:], body: body, route: "tile", hits: count)
  }

  @Test func `answers are kept for exactly the same request`() {
    let cache = TileCache()
    #expect(cache.tile(key(1)) == nil)
    cache.keep(response(100), for: key(1))
    cache.keep(response(0, .noContent), for: key(2))
    #expect(cache.tile(key(1))?.bytes.count == 100)
    #expect(cache.tile(key(1))?.hits == 100)
    #expect(cache.tile(key(2))?.status == .noContent)
    #expect(cache.tile(key(1, isGzip: true)) == nil)
    #expect(cache.tile(key(1, generation: 2)) == nil)
  }

  @Test func `errors are not kept`() {
    let cache = TileCache()
    for status: HTTPResponse.Status in [.badRequest, .serviceUnavailable, .internalServerError] {
      cache.keep(response(100, status), for: key(1))
    }
    #expect(cache.tile(key(1)) == nil)
  }

  @Test func `the tiles asked for last stay within the limit`() {
    let cache = TileCache(limit: 1 << 16)
    cache.keep(response(1 << 13), for: key(-1))
    #expect(cache.tile(key(-1)) == nil, "larger than an eighth of the limit")
    for number in 0..<1_000 {
      cache.keep(response(700), for: key(number))
      // the first is asked for all the time
      #expect(cache.tile(key(0)) != nil, "\(number)")
    }
    #expect(cache.tile(key(999)) != nil && cache.tile(key(500)) == nil)
    // asking only moves tiles, so what is found was there at once
    let found = (0..<1_000).count { cache.tile(key($0)) != nil }
    #expect(found > 30 && found * 700 < 1 << 16, "\(found)")
  }
}
