import Foundation
import GeoFeed
import GeoIndex
import GeoQuery
import GeoStore
import TestSupport
import Testing

/// The snippets of the DocC articles, compiled and run: their lines stand below as they stand there.
struct ArticleTests {
  private static let catalogs = ["GeoIndex", "GeoQuery", "GeoFeed", "GeoStore"].map {
    Repository.folder.appendingPathComponent("Sources/\($0)/\($0).docc")
  }

  @Test func `the articles on the index answer what they say`() throws {
    let stops = [
      Coordinate(latitude: 32.9299, longitude: -96.8206),
      Coordinate(latitude: 32.9506, longitude: -96.8197),
      Coordinate(latitude: 32.7767, longitude: -96.7970),
    ].compactMap(\.self)
    let tree = KDTree(stops)
    let nearest = tree.nearest(to: stops[0], count: 2)
    // nearest.map(\.index) is [0, 1]
    #expect(nearest.map(\.index) == [0, 1])

    let park = stops[2]
    let closest = tree.nearest(to: park, count: 1, within: 30_000)
    // closest[0].distance is 0.0
    #expect(closest[0].distance == 0)

    let box = BoundingBox(west: -96.9, south: 32.9, east: -96.8, north: 33)
    let inside = box.map { tree.count(in: $0) }
    // inside is 2
    #expect(inside == 2)

    let greenwich = Coordinate(latitude: 0, longitude: 0)
    let gulf = Coordinate(latitude: 0, longitude: 1)
    if let greenwich, let gulf {
      let meters = greenwich.distance(to: gulf)
      // meters.rounded() is 111 319
      #expect(meters.rounded() == 111_319)
    }
  }

  @Test func `getting started answers what it says`() throws {
    try withSnapshot { path in
      let engine = QueryEngine(try Snapshot(path: path))
      let galleria = Coordinate(latitude: 32.9299, longitude: -96.8206)
      if let galleria {
        let nearest = try engine.nearest(to: galleria, count: 2)
        print(nearest.map(\.restaurant.name))  // ["Yard House", "Hopdoddy Burger Bar"]
      }

      let center = Coordinate(latitude: 32.95, longitude: -96.82)
      let box = BoundingBox(west: -96.83, south: 32.94, east: -96.81, north: 32.96)
      if let center, let box {
        let close = try engine.within(radius: 200, of: center)
        let inBox = try engine.within(box)
        print(close.count, inBox.count)  // 4 10
      }
    }
  }

  @Test func `filters, orders and pages answer what the article says`() throws {
    try withSnapshot { path in
      let engine = QueryEngine(try Snapshot(path: path))
      let center = try #require(Coordinate(latitude: 32.95, longitude: -96.82))
      let filter = Filter(
        categories: ["Tap House", "Burgers"],
        conditions: [try Condition("city = Dallas")]
      )
      let found = try engine.nearest(to: center, count: 2, matching: filter)
      #expect(!found.isEmpty)

      let byName = Query(.everywhere, in: Order(by: .name), limit: 5)
      let first = try engine.page(byName)
      print(first.count, first.total)  // 5 15

      var following = byName
      following.cursor = first.next
      let second = try engine.page(following)
      print(second.count)  // 5

      let total = try engine.count(Query(.everywhere, matching: filter)).total
      let facets = try engine.facets(by: .city, of: Query(.everywhere))
      #expect(total > 0)
      #expect(!facets.isEmpty)
    }
  }

  @Test func `a snapshot is made of a feed, without a database`() throws {
    try withSnapshot { path in
      let (bytes, center) = (try Feeds.sampleBytes(), Coordinate.at(32.95, -96.82))
      let feed = try FeedReader(source: "lunch").read(bytes)
      try Snapshot.write(feed.restaurants, to: path)
      let engine = QueryEngine(try Snapshot(path: path))
      print(engine.snapshot.count)  // 15

      let unkept = QueryEngine(try Snapshot(feed.restaurants))
      print(try unkept.within(radius: 200, of: center).count)  // 4

      let yardHouse = try engine.snapshot.restaurant(id: "yard-house-dfd1f6d4")
      print(yardHouse?.category ?? "")  // Tap House

      let query = Query(.nearest(to: center, count: 3), matching: Filter(categories: ["Burgers"]))
      let kept = try JSONEncoder().encode(query)
      let again = try JSONDecoder().decode(Query.self, from: kept)
      print(try engine.page(again).matches.map(\.restaurant.name))  // ["Hopdoddy Burger Bar"]

      try engine.snapshot.verify()
    }
  }

  @Test func `planning, areas and hours answer what the article says`() throws {
    try withSnapshot { path in
      let engine = QueryEngine(try Snapshot(path: path))
      let (center, galleria) = (Coordinate.at(32.95, -96.82), Coordinate.at(32.9299, -96.8206))
      var found: [String] = []
      let wants = try Want.list(["Burgers", "Seafood", "Sushi"])
      let cover = try engine.cover(CoverQuery(near: center, wants: wants))
      print(cover.met, cover.of)  // 2 3
      for place in cover.places {
        let restaurant = try engine.snapshot.restaurant(at: place.position)
        found.append("\(restaurant.name): \(place.meets.map { wants[$0].label })")
      }
      #expect(found.count == 2)
      let friends = [center, galleria]
      let meeting = try engine.meet(friends, by: .max, count: 1)
      print(meeting.items.count)  // 1

      let outline =
        "POLYGON ((-96.83 32.94, -96.81 32.94, -96.81 32.96, -96.83 32.96, -96.83 32.94))"
      let area = try AreaList(parsing: Array(outline.utf8)).joined()
      let inside = try engine.count(Query(.everywhere, matching: Filter(area: area))).total
      print(inside)  // 10

      let hours = Timetable("Mo-Fr 11:00-14:00; Sa off")
      if let lunch = LocalTime(year: 2026, month: 12, day: 24, minute: 12 * 60 + 30) {
        print(hours?.state(at: lunch) == .open)  // true
        let open = try engine.count(Query(.everywhere, matching: Filter(open: OpenAt(lunch)))).total
        print(open)  // 0
      }
    }
  }

  @Test func `reading and keeping feeds answers what the articles say`() throws {
    try withSnapshot { path in
      let (bytes, database) = (try Feeds.sampleBytes(), path + ".other.db")
      let feed = try FeedReader(source: "lunch").read(bytes)
      print(feed.restaurants.count, feed.rejected.count, feed.format)  // 15 0 bottlerocket

      let imported = try RestaurantStore.importFeed(feed, into: database)
      let store = try RestaurantStore(path: database)
      let engine = QueryEngine(try store.snapshot())
      print(imported.inserted, engine.snapshot.count)  // 15 15

      if let place = Coordinate(latitude: 32.95, longitude: -96.82) {
        let stand = Restaurant(id: "stand", name: "Taco Stand", coordinate: place, source: "app")
        try store.upsert([stand], source: "app")
        print(try store.count())  // 16
        try store.remove(ids: ["stand"])
      }
    }
  }

  @Test func `every snippet of the articles stands above`() throws {
    let own = Self.lines(try String(contentsOfFile: #filePath, encoding: .utf8))
    var count = 0
    for catalog in Self.catalogs {
      let names = try FileManager.default.contentsOfDirectory(atPath: catalog.path)
      for name in names.sorted() where name.hasSuffix(".md") {
        let text = try String(contentsOf: catalog.appendingPathComponent(name), encoding: .utf8)
        for block in text.components(separatedBy: "```swift\n").dropFirst() {
          let snippet = Self.lines(block.components(separatedBy: "\n```")[0])
          #expect(own.contains(snippet), "\(name): \(snippet)")
          count += 1
        }
      }
    }
    #expect(count >= 10)
  }

  /// The text without indentation and empty lines.
  private static func lines(_ text: String) -> String {
    text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
      .filter { !$0.isEmpty && !$0.hasPrefix("#expect") }.joined(separator: "\n")
  }

  /// Prints like the standard library's function, and checks what the comment after the call says.
  private func print(_ items: Any..., line: Int = #line) {
    let source = (try? String(contentsOfFile: #filePath, encoding: .utf8)) ?? ""
    let lines = source.split(separator: "\n", omittingEmptySubsequences: false)
    let expected = lines[line - 1].split(separator: "// ", maxSplits: 1).last.map(String.init)
    #expect(items.map { "\($0)" }.joined(separator: " ") == expected)
  }

  /// Imports the sample feed and hands over the path of its snapshot.
  private func withSnapshot(_ body: (String) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("geoq-articles-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appendingPathComponent("lunch.db").path
    let sample = Repository.folder.appendingPathComponent("Data/restaurants.json")
    let feed = try FeedReader(source: "lunch").read([UInt8](Data(contentsOf: sample)))
    try RestaurantStore.importFeed(feed, into: path)
    try body(path + ".1.geoqx")
  }
}
