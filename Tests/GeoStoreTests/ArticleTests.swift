import Foundation
import GeoFeed
import GeoIndex
import GeoQuery
import GeoStore
import TestSupport
import Testing

/// The snippets of the DocC articles, compiled and run: their lines stand below as they stand there.
struct ArticleTests {
  private static let catalogs = ["GeoIndex", "GeoQuery"].map {
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

  @Test func `a snapshot opens without a database`() throws {
    try withSnapshot { path in
      let snapshot = try Snapshot(path: path)
      let engine = QueryEngine(snapshot)
      print(snapshot.count, snapshot.generation)  // 15 1
      #expect(engine.snapshot.count == 15)

      let yardHouse = try snapshot.restaurant(id: "yard-house-dfd1f6d4")
      print(yardHouse?.category ?? "")  // Tap House

      try snapshot.verify()
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
