import GeoIndex
import GeoQuery
import Testing

@testable import GeoService

/// `/density`: counts of cells.
struct DensityRouteTests {
  private let sample = SamplePlaces()

  private func cells(_ reply: Reply) throws -> [[String: Int]] {
    try #require(reply.json["cells"] as? [[String: Int]])
  }

  @Test func `the counts are those of the tiles, and add up`() throws {
    let service = try SampleService(sample.places)
    for filter in ["", "&category=Thai", "&q=place&filter=rating%20%3E=%203"] {
      for zoom in [0, 2, 5] {
        let reply = service.get("/density?bbox=-180,-90,180,90&zoom=\(zoom)\(filter)")
        let cells = try cells(reply)
        let query = filter.isEmpty ? "" : "?" + filter.dropFirst()
        for cell in cells {
          let tile = service.get("/tiles/\(zoom)/\(cell["x"] ?? -1)/\(cell["y"] ?? -1).mvt\(query)")
          #expect(tile.response.hits == cell["count"])
        }
        let matched = service.get("/collections/restaurants/items\(query)").matched
        #expect(reply.json["count"] as? Int == matched)
        #expect(cells.reduce(0) { $0 + ($1["count"] ?? 0) } == matched)
        #expect(reply.json["zoom"] as? Int == zoom)
      }
    }
  }

  @Test func `without zoom and box it is all restaurants in a few thousand cells`() throws {
    let service = try SampleService(sample.places)
    let all = service.get("/density").json
    #expect(all["count"] as? Int == sample.places.count)
    let city = service.get("/density?bbox=-96.9,32.9,-96.8,33").json
    #expect(try #require(city["zoom"] as? Int) > #require(all["zoom"] as? Int))
    let none = service.get("/density?category=none")
    #expect(none.text == "{\"zoom\":\(all["zoom"] ?? ""),\"count\":0,\"cells\":[]}\n")
    #expect(try SampleService([]).get("/density").json["count"] as? Int == 0)
  }

  @Test(
    arguments: [
      "zoom=23", "zoom=-1", "zoom=1.5", "zoom=9223372036854775808", "bbox=1,2,3", "zoom=9", "zoom=",
      "limit=1",
    ]
  )
  func `what cannot be counted is refused`(query: String) throws {
    #expect(try SampleService(sample.places).get("/density?\(query)").status == 400)
  }
}
