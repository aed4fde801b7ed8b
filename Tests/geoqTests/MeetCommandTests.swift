import Foundation
import GeoIndex
import Testing

@testable import geoq

/// `geoq meet` and `/meet` over the fifteen sample restaurants, against sorting all of them.
struct MeetCommandTests {
  private let runner = CommandRunner.withSample()

  @Test func `meet is what sorting says, by command and over HTTP alike`() throws {
    let items = runner.geoq("list", "--json").json["items"] as? [[String: Any]] ?? []
    let places = items.compactMap { item -> (id: String, city: String, at: Coordinate)? in
      guard let id = item["id"] as? String, let latitude = item["latitude"] as? Double,
        let longitude = item["longitude"] as? Double,
        let at = Coordinate(latitude: latitude, longitude: longitude)
      else { return nil }
      return (id, item["city"] as? String ?? "", at)
    }
    #expect(places.count == 15)
    var random = SeededRandom(seed: 3)
    for seed in 0..<8 {
      let points = try (0..<[2, 3, 5, 64][seed % 4]).map { _ in
        try #require(
          Coordinate(
            latitude: Double.random(in: 32.9...33, using: &random),
            longitude: Double.random(in: -96.9 ... -96.8, using: &random)
          )
        )
      }
      let by = seed < 4 ? "sum" : "max"
      let isFiltered = seed % 2 == 1
      let expected = places.filter { !isFiltered || $0.city == "Addison" }.map { place in
        let distances = points.map { $0.distance(to: place.at) }
        let cost = by == "sum" ? distances.reduce(0, +) : distances.max() ?? 0
        return (cost: cost, id: place.id, distances: distances)
      }.sorted { ($0.cost, $0.id) < ($1.cost, $1.id) }.prefix(4)
      let texts = points.map { "\($0.latitude),\($0.longitude)" }
      let result = runner.geoq(
        ["meet", "--json", "-k", "4", "--by", by] + texts.flatMap { ["--at", $0] }
          + (isFiltered ? ["--where", "city = Addison"] : [])
      )
      let found = result.json["items"] as? [[String: Any]] ?? []
      #expect(result.json["schema"] as? String == "geoq.meet/1")
      #expect(result.json["count"] as? Int == expected.count && result.json["by"] as? String == by)
      #expect(found.map { $0["id"] as? String } == expected.map(\.id), "seed \(seed)")
      for (item, place) in zip(found, expected) {
        let distances = item["distances"] as? [Double] ?? []
        let numbers = [item["cost"] as? Double ?? -1] + distances
        // Foundation's reader rounds off the last digits
        let errors = zip(numbers, [place.cost] + place.distances).map { abs($0 - $1) }
        #expect(errors.count == points.count + 1 && errors.allSatisfy { $0 < 1e-6 })
      }
      #expect(found.allSatisfy { $0["distance"] == nil && $0["name"] is String })
      let served = runner.geoq(
        "serve",
        "--get",
        "/meet?by=\(by)&k=4" + texts.map { "&at=\($0)" }.joined()
          + (isFiltered ? "&filter=city%20=%20Addison" : "")
      )
      #expect(served.out == result.out, "seed \(seed)")
    }
  }

  @Test func `the table has each one's way`() {
    let asked = ["meet", "--at", "32.95,-96.82", "--at", "32.99,-96.85", "-k", "2", "-f"]
    #expect(
      runner.geoq(asked + ["table"]).out == """
        cost    distances      name                 category  address                                id
        5.2 km  305 m, 4.9 km  Gloria's             Mexican   5100 Belt Line Rd, #864, Dallas        \
        gloria-s-61836c58
        5.3 km  136 m, 5.1 km  Hopdoddy Burger Bar  Burgers   5100 Belt Line Road, STE 502, Addison  \
        hopdoddy-burger-bar-468cdd36
        2 restaurants

        """
    )
    let rows = runner.geoq(asked + ["csv", "--columns", "id"]).out
    #expect(rows.hasPrefix("cost,distances,id\r\n5248.341710162946,305.2954109219421; 4943."))
    let feature =
      (runner.geoq(asked + ["geojson"]).json["features"] as? [[String: Any]])?
      .first
    let properties = feature?["properties"] as? [String: Any]
    #expect(properties?["cost"] as? Double == 5248.341710162946)
    #expect((properties?["distances"] as? [Double])?.count == 2 && properties?["distance"] == nil)
    let none = runner.geoq(
      asked + ["count", "--category", "Thay", "-e"]
    )
    #expect(none.status == 4 && none.out == "0\n")
    #expect(none.err == "no category \"Thay\"; did you mean \"Thai\"?\n")
  }

  @Test(
    arguments: [
      ([], "--at: there must be 2 to 64 points, not 0"),
      (["--at=1,1"], "--at: there must be 2 to 64 points, not 1"),
      (Array(repeating: "--at=1,1", count: 65), "--at: there must be 2 to 64 points, not 65"),
      (["--at=1,1", "--at=nan,1"], "--at: expected LAT,LON, got \"nan,1\""),
      (["--at=1,1", "--at=1,1", "--by", "mean"], "--by"),
      (["--at=1,1", "--at=1,1", "-k", "1", "--count", "1"], "--count is given twice"),
      (["--at=1,1", "--at=1,1", "-k", "-1"], "--count must be 0 or more, got -1"),
      (["--at=1,1", "--at=1,1", "--where", "x = 1"], "--where: unknown field \"x\""),
    ]
  )
  func `a question that is wrong is a usage error`(options: [String], sentence: String) {
    let result = runner.geoq(["meet"] + options)
    #expect(result.status == 64)
    #expect(result.output.isEmpty)
    #expect(result.errLines.first?.contains(sentence) == true, "\(result.err)")
  }
}
