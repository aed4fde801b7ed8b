import Foundation
import GeoFeed
import GeoIndex
import GeoQuery
import GeoStore
import TestSupport
import Testing

/// The Swift of the README and of `docs/swift.md`, run: its lines stand below as they stand there.
struct ReadmeTests {
  private let folder = FileManager.default.temporaryDirectory
    .appendingPathComponent("geoq-readme-\(UUID().uuidString)")

  @Test func `the lines of Swift answer what the pages say`() throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appendingPathComponent("geoq.db").path
    let sample = Repository.folder.appendingPathComponent("Data/restaurants.json")
    let feed = try FeedReader(source: "lunch").read([UInt8](Data(contentsOf: sample)))
    try RestaurantStore.importFeed(feed, into: path)

    let store = try RestaurantStore(path: path)
    let engine = QueryEngine(try store.snapshot())
    let galleria = try #require(Coordinate(latitude: 32.9299, longitude: -96.8206))
    let nearest = try engine.nearest(to: galleria, count: 2)
    #expect(nearest.map(\.restaurant.name) == ["Yard House", "Hopdoddy Burger Bar"])

    let stops = [
      Coordinate(latitude: 32.9299, longitude: -96.8206),
      Coordinate(latitude: 32.9506, longitude: -96.8197),
    ].compactMap(\.self)
    let tree = KDTree(stops)
    let neighbors = tree.nearest(to: stops[0], count: 2)  // by distance, then index
    let near = tree.within(radius: 500, of: stops[1])  // all within 500 m
    let count = tree.count(within: 5000, of: stops[1])  // 2
    #expect(neighbors.map(\.index) == [0, 1])
    #expect(near.map(\.index) == [1] && count == 2)

    let query = Query(
      .nearest(to: galleria, count: 10),
      matching: Filter(categories: ["Thai", "Pub"], conditions: [try Condition("city = Addison")]),
      in: Order(by: .name, descending: true)
    )
    let matches = try engine.page(query).matches  // The Londoner, Thai Star: ten if there are ten
    #expect(matches.map(\.restaurant.name) == ["The Londoner", "Thai Star"])

    try store.addFavorites(["thai-star-d04b783c"])  // UnknownRestaurant for an unknown id
    let favorites = try store.favorites()  // each with its FavoriteMark
    #expect(favorites.map(\.restaurant.name) == ["Thai Star"])
    #expect(throws: UnknownRestaurant.self) { try store.addFavorites(["nowhere"]) }
  }

  /// What an app would have and the test has otherwise.
  private static let elsewhere = [
    "import GeoIndex", "import GeoQuery", "import GeoStore",
    #"let store = try RestaurantStore(path: "geoq.db")"#,
    "if let galleria = Coordinate(latitude: 32.9299, longitude: -96.8206) {", "}",
    #"print(nearest.map(\.restaurant.name))  // ["Yard House", "Hopdoddy Burger Bar"]"#,
    #".package(path: "../geoq")  // products GeoIndex, GeoQuery, GeoFeed and GeoStore"#,
  ]

  @Test func `each line of Swift on these pages is run`() throws {
    let source = try String(contentsOfFile: #filePath, encoding: .utf8)
    let known = Set(source.split(separator: "\n").map(Self.trimmed) + Self.elsewhere)
    var count = 0
    for page in ["README.md", "docs/swift.md"] {
      let text = try String(
        contentsOf: Repository.folder.appendingPathComponent(page),
        encoding: .utf8
      )
      for block in text.components(separatedBy: "```swift\n").dropFirst() {
        for line in block.components(separatedBy: "\n```")[0].split(separator: "\n") {
          #expect(known.contains(Self.trimmed(line)), "\(page): \(line)")
          count += 1
        }
      }
    }
    #expect(count >= 20)
  }

  private static func trimmed(_ line: Substring) -> String {
    line.trimmingCharacters(in: .whitespaces)
  }
}
