import Foundation
import GRDB
import GeoIndex
import TestSupport
import Testing

@testable import GeoFeed
@testable import GeoQuery
@testable import GeoStore

struct SnapshotLifeTests {
  /// What an engine says while it answers, and the ids of the answer.
  private func ask(_ store: TemporaryStore) throws -> (ids: [String], notices: [String]) {
    let notices = Notices()
    let engine = QueryEngine(try store.open().snapshot { notices.add($0) })
    let ids = try engine.nearest(to: .at(32, -96), count: 9).map(\.restaurant.id)
    return (ids, notices.all)
  }

  private final class Notices: @unchecked Sendable {
    private let lock = NSLock()
    private var texts: [String] = []

    var all: [String] { lock.withLock { texts } }

    func add(_ text: String) { lock.withLock { texts.append(text) } }
  }

  private func places(_ ids: String...) -> Feed {
    Feeds.of(ids.enumerated().map { .plain($0.element, at: .at(32 + Double($0.offset), -96)) })
  }

  @Test func `each import that changes something leaves one snapshot, of its generation`() throws {
    let store = try TemporaryStore()
    try store.add(places("a", "b"))
    #expect(store.snapshots == ["lunch.db.1.geoqx"])
    try store.add(places("a", "b", "c"))
    #expect(store.snapshots == ["lunch.db.2.geoqx"])
    try store.add(places("a", "b", "c"))
    #expect(store.snapshots == ["lunch.db.2.geoqx"])
    let found = try ask(store)
    #expect(found.ids == ["a", "b", "c"] && found.notices.isEmpty)
  }

  @Test func `the snapshot's positions are the ids in order of their bytes`() throws {
    var random = SplitMix64(stream: "positions")
    let store = try TemporaryStore()
    for round in 0..<4 {
      let ids = Set((0..<1_200).map { _ in "é\(random.int(below: 3_000))" })
        .union(["e\u{301}", "Z", "f"])
      try store.add(Feeds.of(ids.map { .plain($0, at: random.coordinate()) }))
      let expected = ids.sorted { UTF8Key($0) < UTF8Key($1) }
      let snapshot = try Snapshot(path: store.path + ".\(round + 1).geoqx")
      #expect(snapshot.tree.count == ids.count)
      let found = try QueryEngine(snapshot).matches(Query(.everywhere)).map(\.restaurant)
      #expect(found.map { UTF8Key($0.id) } == expected.map { UTF8Key($0) })
      let places = (0..<ids.count).map { snapshot.tree[$0].bits }
      #expect(places == found.map(\.coordinate.bits), "SEED=\(SplitMix64.seed)")
    }
  }

  @Test func `a missing snapshot is made without a word: a copied database has none`() throws {
    let store = try TemporaryStore()
    try store.add(places("a", "b"))
    try FileManager.default.removeItem(atPath: store.file("lunch.db.1.geoqx"))
    let first = try ask(store)
    #expect(first.ids == ["a", "b"])
    #expect(first.notices.isEmpty)
    #expect(store.snapshots == ["lunch.db.1.geoqx"])
  }

  @Test func `a damaged snapshot is made again, and the answer is right`() throws {
    let store = try TemporaryStore()
    try store.add(places("a", "b"))
    let path = store.file("lunch.db.1.geoqx")
    let sound = try #require(FileManager.default.contents(atPath: path))
    for damage in [Data(), sound.prefix(100), sound.dropLast(1), Data(count: sound.count)] {
      try damage.write(to: URL(fileURLWithPath: path))
      let found = try ask(store)
      #expect(found.ids == ["a", "b"] && found.notices.count == 1)
      #expect(FileManager.default.contents(atPath: path) == sound)
    }
  }

  @Test func `a snapshot of another history of the same store is not believed`() throws {
    let store = try TemporaryStore()
    try store.add(places("a", "b"))
    let copy = store.bytes
    try store.add(places("a", "c"))
    let path = store.file("lunch.db.2.geoqx")
    let other = try #require(FileManager.default.contents(atPath: path))
    try store.write(copy)
    try store.add(places("b", "a"))
    try other.write(to: URL(fileURLWithPath: path))
    let found = try ask(store)
    #expect(found.ids == ["b", "a"] && found.notices.count == 1)
    #expect(found.notices[0].contains("it belongs to another state of the database"))
  }

  @Test func `an import that changes nothing makes a damaged snapshot again`() throws {
    let store = try TemporaryStore()
    try store.add(places("a", "b"))
    let path = store.file("lunch.db.1.geoqx")
    var bytes = try #require(FileManager.default.contents(atPath: path))
    let sound = bytes
    bytes[bytes.count - 5] ^= 1
    try bytes.write(to: URL(fileURLWithPath: path))
    #expect(try store.add(places("a", "b")).unchanged == 2)
    #expect(FileManager.default.contents(atPath: path) == sound)
  }

  /// The bytes of a generation's snapshot, and of the one that a query makes of all rows without it.
  private func snapshots(_ store: TemporaryStore, generation: Int) throws -> (Data, Data) {
    let path = store.file("lunch.db.\(generation).geoqx")
    let written = try #require(FileManager.default.contents(atPath: path))
    try FileManager.default.removeItem(atPath: path)
    _ = try store.open().snapshot()
    return (written, try #require(FileManager.default.contents(atPath: path)))
  }

  private func restaurant(
    _ id: String,
    _ random: inout SplitMix64,
    _ texts: [String]
  ) -> Restaurant {
    var restaurant = Restaurant.full(id, at: random.coordinate()) {
      texts[random.int(below: texts.count)]
    }
    (restaurant.id, restaurant.source, restaurant.sourceID) = (id, "test", nil)
    return restaurant
  }

  @Test func `an import that changes a part writes what all rows together give`() throws {
    var random = SplitMix64(stream: "parts")
    let store = try TemporaryStore()
    let texts = ["é", "E", "Ünï", "", "taco", "a b", "z\u{301}"]
    var all: [String: Restaurant] = [:]
    for round in 0..<12 {
      // everything, little, half of it, only removals, only additions
      let share = [100, 2, 40, 10, 0][round % 5]
      for id in all.keys.sorted() where random.int(below: 100) < share {
        if round % 5 == 3 || random.int(below: 3) == 0 {
          all[id] = nil
        } else {
          all[id] = restaurant(id, &random, texts)
        }
      }
      for _ in 0..<(round % 5 == 3 ? 0 : 40) {
        let id = "\(texts[random.int(below: 7)])\(random.int(below: 900))"
        all[id] = restaurant(id, &random, texts)
      }
      let report = try store.add(Feeds.of(all.keys.shuffled(using: &random).compactMap { all[$0] }))
      {
        $0.allowsShrinking = true
        $0.allowsReplacing = true
      }
      let (written, made) = try snapshots(store, generation: report.generation)
      #expect(written == made, "round \(round), SEED=\(SplitMix64.seed)")
    }
  }

  @Test func `two sources with the same ids keep theirs when one of them changes`() throws {
    let store = try TemporaryStore()
    for (generation, ids) in [["a", "b", "c"], ["a", "c", "d"], ["d"]].enumerated() {
      try store.add(Feeds.of(ids.map { .plain($0, at: .at(Double(generation), 1)) })) {
        $0.allowsShrinking = true
        $0.allowsReplacing = true
      }
      let others = ["a", "x\(generation)"].map { Restaurant.plain($0, source: "other") }
      try store.add(Feeds.of(others, source: "other")) { $0.allowsShrinking = true }
      let (written, made) = try snapshots(store, generation: 2 * generation + 2)
      #expect(written == made)
    }
  }

  @Test func `an import does not copy damage of the snapshot before`() throws {
    let store = try TemporaryStore()
    let ids = (0..<50).map { "r\($0)" }
    try store.add(Feeds.of(ids.map { .plain($0) }))
    let path = store.file("lunch.db.1.geoqx")
    var bytes = try #require(FileManager.default.contents(atPath: path))
    let name = try #require(bytes.range(of: Data("Name of r7".utf8)))
    bytes[name.lowerBound] = UInt8(ascii: "L")
    try bytes.write(to: URL(fileURLWithPath: path))
    try store.add(Feeds.of((ids + ["new"]).map { .plain($0) }))
    let (written, made) = try snapshots(store, generation: 2)
    #expect(written == made)
  }

  @Test func `what dead writers left is swept, what is young or foreign stays`() throws {
    let store = try TemporaryStore()
    try store.add(places("a"))
    let digits = "0123456789abcdef"
    let old = Date(timeIntervalSinceNow: -600)
    let names = [
      "lunch.db.7.geoqx", "lunch.db.7.geoqx.\(digits).tmp", "lunch.db.\(digits).tmp",
      "lunch.db.x.geoqx", "lunch.db.txt", "other.db.7.geoqx", "lunch.db.1.geoqx.\(digits).tmp",
      // beyond the generation that is there, only an import that died has written
      "lunch.db.8.geoqx.\(digits).tmp",
    ]
    for name in names {
      _ = FileManager.default.createFile(
        atPath: store.file(name),
        contents: Data("x".utf8),
        attributes: name.contains(".1.") || name.contains(".8.") ? nil : [.modificationDate: old]
      )
    }
    try store.add(places("a", "b"))
    #expect(
      Set(store.names + store.snapshots) == [
        "lunch.db", "lunch.db.2.geoqx", "lunch.db.x.geoqx", "lunch.db.txt", "other.db.7.geoqx",
        "lunch.db.1.geoqx.\(digits).tmp",
      ]
    )
  }

  @Test func `a box with more hits than are fetched at once gives all, in order`() throws {
    let restaurants = (0..<1_300).map {
      Restaurant.plain("id-\($0)", at: .at(Double($0 % 80), Double($0 % 170)))
    }
    let store = try TemporaryStore(restaurants)
    let expected = BruteForce(restaurants: restaurants)
    #expect(try store.engine().within(.world).exactly == expected.within(.world).exactly)
    let near = try store.engine().nearest(to: .at(3, 4), count: 700).exactly
    #expect(near == expected.nearest(to: .at(3, 4), count: 700).exactly)
  }
}
