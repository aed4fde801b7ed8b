import Foundation
import GeoFeed
import GeoIndex
import GeoQuery
import GeoStore
import TestSupport
import Testing

/// The README's Swift, run: its lines stand below as they stand there.
struct ReadmeTests {
  private static let repository = Repository.folder

  private let folder = FileManager.default.temporaryDirectory
    .appendingPathComponent("geoq-readme-\(UUID().uuidString)")

  @Test func `the lines of Swift answer what the README says`() throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appendingPathComponent("geoq.db").path
    let sample = Self.repository.appendingPathComponent("Data/restaurants.json")
    let feed = try FeedReader(source: "lunch").read([UInt8](Data(contentsOf: sample)))
    try RestaurantStore.importFeed(feed, into: path)

    let store = try RestaurantStore(path: path)
    let engine = QueryEngine(try store.snapshot())
    let galleria = try #require(Coordinate(latitude: 32.9299, longitude: -96.8206))
    let nearest = try engine.nearest(to: galleria, count: 2)
    #expect(nearest.map(\.restaurant.name) == ["Yard House", "Hopdoddy Burger Bar"])
  }

  @Test func `the README shows those lines`() throws {
    let readme = try String(
      contentsOf: Self.repository.appendingPathComponent("README.md"),
      encoding: .utf8
    )
    let lines = [
      "let store = try RestaurantStore(path: \"geoq.db\")",
      "let engine = QueryEngine(try store.snapshot())",
      "if let galleria = Coordinate(latitude: 32.9299, longitude: -96.8206) {",
      "  let nearest = try engine.nearest(to: galleria, count: 2)",
      "  print(nearest.map(\\.restaurant.name))  // [\"Yard House\", \"Hopdoddy Burger Bar\"]",
    ]
    for line in lines { #expect(readme.contains("\n" + line + "\n")) }
  }
}
