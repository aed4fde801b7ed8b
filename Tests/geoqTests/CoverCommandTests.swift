import Foundation
import GeoIndex
import Testing

@testable import geoq

/// `geoq cover` and `/cover` over the fifteen sample restaurants, against every group there is.
struct CoverCommandTests {
  private let runner = CommandRunner.withSample()

  /// A restaurant as `geoq list` has it.
  private struct Place {
    let id: String
    let category: String
    let name: String
    let coordinate: Coordinate
  }

  private func places() -> [Place] {
    let items = runner.geoq("list", "--json").json["items"] as? [[String: Any]] ?? []
    return items.compactMap { item in
      guard let id = item["id"] as? String, let name = item["name"] as? String,
        let latitude = item["latitude"] as? Double, let longitude = item["longitude"] as? Double,
        let coordinate = Coordinate(latitude: latitude, longitude: longitude)
      else { return nil }
      let category = item["category"] as? String ?? ""
      return Place(id: id, category: category, name: name, coordinate: coordinate)
    }
  }

  /// A group with what decides which one is first.
  private struct Group {
    let places: [Place]
    let met: Set<Int>
    let cost: Double
    var second = 0.0

    func precedes(_ other: Group) -> Bool {
      if met.count != other.met.count { return met.count > other.met.count }
      if places.count != other.places.count { return places.count < other.places.count }
      if cost != other.cost { return cost < other.cost }
      if second != other.second { return second < other.second }
      return places.map(\.id).lexicographicallyPrecedes(other.places.map(\.id))
    }
  }

  private func subsets(_ places: [Place], _ most: Int) -> [[Place]] {
    guard let first = places.first else { return [[]] }
    let rest = subsets(Array(places.dropFirst()), most)
    return rest + rest.filter { $0.count < most }.map { [first] + $0 }
  }

  private func walk(_ from: Coordinate, _ rest: [Place], _ length: Double) -> Double {
    if rest.isEmpty { return length }
    return rest.indices.map { index in
      var others = rest
      let next = others.remove(at: index)
      return walk(next.coordinate, others, length + from.distance(to: next.coordinate))
    }.min() ?? 0
  }

  private func group(
    _ places: [Place],
    _ wants: [(Place) -> Bool],
    _ center: Coordinate,
    _ cost: String
  ) -> Group {
    let met = wants.indices.filter { want in places.contains { wants[want]($0) } }
    let distances = places.map { center.distance(to: $0.coordinate) }
    let (farthest, sum) = (distances.max() ?? 0, distances.reduce(0, +))
    let spread =
      places.flatMap { one in places.map { one.coordinate.distance(to: $0.coordinate) } }.max() ?? 0
    switch cost {
    case "walk": return Group(places: places, met: Set(met), cost: walk(center, places, 0))
    case "spread": return Group(places: places, met: Set(met), cost: spread, second: sum)
    default: return Group(places: places, met: Set(met), cost: farthest, second: sum)
    }
  }

  @Test func `cover is the first of all groups, by command and over HTTP alike`() throws {
    let places = places()
    #expect(places.count == 15)
    let center = try #require(Coordinate(latitude: 32.95, longitude: -96.82))
    let categories = ["Wing Joint", "Thai", "Mexican", "Burgers", "Ramen", "Seafood", "Pub"]
    let known: [(text: String, holds: (Place) -> Bool)] =
      categories.map { name in (name, { $0.category == name }) } + [
        ("name ~ a", { $0.name.lowercased().contains("a") }),
        ("longitude > -96.83", { $0.coordinate.longitude > -96.83 }),
      ]
    var sizes: Set<Int> = []
    for seed in 0..<9 {
      let most = 1 + seed % 3
      let by = ["farthest", "walk", "spread"][seed / 2 % 3]
      let maximum = [nil, 2_000.0, 700][seed / 3 % 3]
      let asked = known.indices.filter { ($0 * 7 + seed * 5) % 4 < 2 }.map { known[$0] }
      let near = places.filter { center.distance(to: $0.coordinate) <= maximum ?? .infinity }
      let groups = subsets(near, most).map { group($0, asked.map(\.holds), center, by) }
      let best = try #require(groups.min { $0.precedes($1) })
      let options =
        ["--places", "\(most)", "--by", by] + (maximum.map { ["--max", "\($0)"] } ?? [])
      let result = runner.geoq(
        ["cover", "--at", "32.95,-96.82", "--json", "-q"] + asked.flatMap { ["--want", $0.text] }
          + options
      )
      let answer = result.json
      let context = "seed \(seed): \(result.out)\(result.err)"
      #expect(answer["met"] as? Int == best.met.count, "\(context)")
      #expect(answer["of"] as? Int == asked.count && answer["optimal"] as? Bool == true)
      #expect(isSame(answer["cost"] as? Double, best.cost), "\(context)")
      let found = answer["places"] as? [[String: Any]] ?? []
      #expect(Set(found.compactMap { $0["id"] as? String }) == Set(best.places.map(\.id)))
      for place in found {
        let own = try #require(places.first { $0.id == place["id"] as? String })
        #expect(isSame(place["distance"] as? Double, center.distance(to: own.coordinate)))
        #expect(
          place["meets"] as? [String] == asked.filter { $0.holds(own) }.map(\.text),
          "\(context)"
        )
      }
      let wants = answer["wants"] as? [[String: Any]] ?? []
      for (index, want) in asked.enumerated() {
        let having = places.filter(want.holds)
        let isNear = near.contains(where: want.holds)
        let reason = having.isEmpty ? "nowhere" : isNear ? "places" : "beyond"
        #expect(wants[index]["want"] as? String == want.text)
        #expect(wants[index]["places"] as? Int == having.count)
        #expect(wants[index]["unmet"] as? String == (best.met.contains(index) ? nil : reason))
        let nearest = wants[index]["nearest"] as? [String: Any]
        let least = having.map { center.distance(to: $0.coordinate) }.min()
        #expect(isSame(nearest?["distance"] as? Double, least))
      }
      sizes.insert(found.count)
      let query = asked.map { "&want=\(escaped($0.text))" }.joined()
      let served = runner.geoq(
        "serve",
        "--get",
        "/cover?lat=32.95&lon=-96.82&places=\(most)&by=\(by)"
          + (maximum.map { "&max=\($0)" } ?? "") + query
      )
      #expect(served.out == result.out, "seed \(seed)")
    }
    #expect(sizes.isSuperset(of: [1, 2, 3]))
  }

  /// Whether two distances are the same but for what Foundation's reader rounds off their digits.
  private func isSame(_ one: Double?, _ other: Double?) -> Bool {
    guard let one, let other else { return one == nil && other == nil }
    return abs(one - other) < 1e-6
  }

  private func escaped(_ text: String) -> String {
    text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
  }

  @Test func `the table reads like a receipt`() {
    let result = runner.geoq(
      "cover",
      "--at",
      "32.95,-96.82",
      "--want",
      "Wing Joint",
      "--want",
      "Thai",
      "--want",
      "Mexikan",
      "--max",
      "900",
      "-f",
      "table",
      environment: ["COLUMNS": "80"]
    )
    #expect(result.status == 0)
    #expect(
      result.out == """
        1 of 3, 110 m by farthest
        meets       distance  name               category    id
        Wing Joint     110 m  Pluckers Wing Bar  Wing Joint  pluckers-wing-bar-74180d44
        1 restaurant

        missing  why           places  distance  nearest
        Thai     beyond 900 m       1    1.9 km  thai-star-d04b783c
        Mexikan  nowhere

        """
    )
    #expect(result.err == "no category \"Mexikan\"; did you mean \"Mexican\"?\n")
    let few = runner.geoq(
      "cover",
      "--at",
      "32.95,-96.82",
      "--want",
      "Thai",
      "--want",
      "Mexican",
      "--places",
      "1",
      "-f",
      "table"
    )
    #expect(
      few.out.hasSuffix("Thai     not in the best group       1    1.9 km  thai-star-d04b783c\n")
    )
    let none = runner.geoq("cover", "--at", "1,1", "--want", "x", "-q", "-f", "table", "-e")
    #expect(none.status == 4)
    #expect(none.outLines.first == "0 of 1" && none.out.hasSuffix("x        nowhere\n"))
  }

  @Test func `a ranking lists single places, a frontier the nearest for each number`() {
    let wants = ["--want", "Wing Joint", "--want", "city = Addison", "--want", "name ~ a"]
    let asked = ["cover", "--at", "32.95,-96.82"] + wants
    let all = runner.geoq(asked + ["--rank", "20", "--json=id,distance"]).json
    let places = all["places"] as? [[String: Any]] ?? []
    #expect(all["of"] as? Int == 3 && all["met"] == nil && all["wants"] == nil)
    let ranks = places.map { place in
      (-((place["meets"] as? [String])?.count ?? 0), place["distance"] as? Double ?? 0)
    }
    #expect(ranks.count > 5 && zip(ranks, ranks.dropFirst()).allSatisfy { $0 <= $1 })
    for place in places {
      let (meets, lacks) = (place["meets"] as? [String] ?? [], place["lacks"] as? [String] ?? [])
      #expect(meets.count + lacks.count == 3 && !meets.isEmpty)
    }
    let front = runner.geoq(asked + ["--frontier", "--json=id"]).json
    let ids = (front["places"] as? [[String: Any]] ?? []).compactMap { $0["id"] as? String }
    let firsts = Set(ranks.map(\.0)).sorted().compactMap { met in
      ranks.firstIndex { $0.0 == met }.flatMap { places[$0]["id"] as? String }
    }
    #expect(ids == firsts && ids.count > 1)
    let served = runner.geoq(
      "serve",
      "--get",
      "/cover?lat=32.95&lon=-96.82&want=Wing%20Joint&want=city%20=%20Addison&want=name%20~%20a&rank=20"
    )
    #expect(served.out == runner.geoq(asked + ["--rank", "20", "--json"]).out)
  }

  @Test func `places leave in every format with what they meet and lack`() {
    let asked = [
      "cover", "--at", "32.95,-96.82", "--want", "Wing Joint", "--want", "Thai", "--columns",
      "name,distance", "-f",
    ]
    func text(_ format: String) -> String {
      runner.geoq(asked + [format]).out
    }
    #expect(
      text("csv").hasPrefix("meets,lacks,name,distance\r\nWing Joint,Thai,Pluckers Wing Bar,")
    )
    #expect(text("tsv").hasPrefix("meets\tlacks\tname\tdistance\nWing Joint\tThai\tPluckers"))
    #expect(text("jsonl").hasPrefix("{\"name\":\"Pluckers Wing Bar\",\"distance\":110."))
    let plain = ["cover", "--at", "32.95,-96.82", "--want", "Wing Joint", "--want", "Thai", "-f"]
    let collection = runner.geoq(plain + ["geojson"]).json
    let features = collection["features"] as? [[String: Any]] ?? []
    let first = features.first?["properties"] as? [String: Any]
    #expect(first?["meets"] as? [String] == ["Wing Joint"])
    #expect(first?["lacks"] as? [String] == ["Thai"] && first?["distance"] is Double)
    #expect(collection["optimal"] as? Bool == true && collection["met"] as? Int == 2)
    #expect(runner.geoq(plain + ["geojsonseq"]).jsonLines.count == 2)
    #expect(
      runner.geoq(plain + ["ids"]).out
        == "pluckers-wing-bar-74180d44\nthai-star-d04b783c\n"
    )
    #expect(runner.geoq(plain + ["count"]).out == "2\n")
    let file = runner.geoq(plain.dropLast() + ["-o", "lunch.geojson"])
    #expect(file.err == "lunch.geojson: 2 restaurants\n")
  }

  @Test(
    arguments: [
      ([], "--want: there must be 1 to 64 wants, not 0"),
      (Array(repeating: "--want=a", count: 65), "--want: there must be 1 to 64 wants, not 65"),
      (["--want", ""], "--want is empty"), (["--want", "text: "], "text: has nothing after it"),
      (["--want", "ratng >= 4"], "--want: unknown field \"ratng\""),
      (["--want", "offer:7"], "--want: unknown offer offer:7"),
      (["--want=a", "--places", "0"], "--places must be 1 to 5, not 0"),
      (["--want=a", "--places", "6"], "--places must be 1 to 5, not 6"),
      (["--want=a", "--by", "far"], "--by"), (["--want=a", "--prefer", "all"], "--prefer"),
      (["--want=a", "--max", "nan"], "--max: expected a distance"),
      (["--want=a", "--max", "-1"], "--max: a distance is never negative"),
      (["--want=a", "--rank", "0"], "--rank must be 1 or more, got 0"),
      (["--want=a", "--rank", "1", "--by", "walk"], "--rank lists single ones"),
      (["--want=a", "--timeout", "0"], "--timeout must be more than 0"),
      (["--want=a", "--timeout", "nan"], "--timeout must be more than 0"),
      (["--want=a", "--at", "nan,1"], "--at: expected LAT,LON, got \"nan,1\""),
    ]
  )
  func `a question that is wrong is a usage error`(options: [String], sentence: String) {
    let at = options.contains("--at") ? [] : ["--at", "1,1"]
    let result = runner.geoq(["cover"] + at + options)
    #expect(result.status == 64)
    #expect(result.output.isEmpty)
    #expect(result.errLines.first?.contains(sentence) == true, "\(result.err)")
    #expect(result.errLines.filter { $0.hasPrefix("Error:") }.count == 1)
  }

  @Test func `a search that is cut short says what is proven`() throws {
    // with one in nine of 64 words each: more combinations than a second is enough for
    var random = SeededRandom(seed: 7)
    let rows = (0..<10_000).map { row in
      let words = (10..<74).filter { _ in Int.random(in: 0..<9, using: &random) == 0 }
      return "place " + words.map { "w\($0)" }.joined(separator: " ")
        + ",\(32 + Double(row) / 20_000),\(Double.random(in: -97 ... -96, using: &random))"
    }
    let feed = "name,latitude,longitude\n" + rows.joined(separator: "\n") + "\n"
    runner.geoq("import", "-", "--source", "words", "--db", "many.db", input: Array(feed.utf8))
    let result = runner.geoq(
      [
        "cover", "--db", "many.db", "--at", "32.2,-96.5", "--places", "5", "--timeout", "1",
        "--json",
      ] + (10..<74).flatMap { ["--want", "text:w\($0)"] }
    )
    #expect(result.status == 0, "\(result.err)")
    let answer = result.json
    let bounds = try #require(answer["bounds"] as? [String: Any])
    let met = try #require(answer["met"] as? Int)
    #expect(answer["optimal"] as? Bool == false && met > 20)
    #expect(bounds["met"] as? Int ?? 0 >= met && bounds["places"] as? Int ?? 9 <= 5)
    #expect(bounds["cost"] as? Double ?? .infinity <= answer["cost"] as? Double ?? 0)
    let table = runner.geoq(
      [
        "cover", "--db", "many.db", "--at", "32.2,-96.5", "--places", "5", "--timeout", "0.5", "-f",
        "table",
      ] + (10..<74).flatMap { ["--want", "text:w\($0)"] }
    )
    #expect(
      table.outLines.dropFirst().first?.hasPrefix("cut short: no group has more than ") == true
    )
    let never = runner.geoq(
      "cover",
      "--db",
      "many.db",
      "--at",
      "1,1",
      "--want",
      "a",
      "--timeout",
      "1e-9"
    )
    #expect(never.status == 1)
    #expect(never.err == "Error: --timeout: nothing was found in this time; allow more\n")
  }
}
