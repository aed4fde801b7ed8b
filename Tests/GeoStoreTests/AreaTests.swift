import Foundation
import GRDB
import GeoIndex
import TestSupport
import Testing

@testable import GeoFeed
@testable import GeoQuery
@testable import GeoStore

/// Saved areas, on both kinds of stores.
struct AreaTests {
  private static func square(_ side: Double) throws -> Area {
    let corners = [(0.0, 0.0), (side, 0), (side, side), (0, side), (0, 0)]
    return try Area([[corners.map { Area.Vertex(longitude: $0.0, latitude: $0.1) }]])
  }

  @Test(arguments: StoreKind.available)
  func `areas – saved, replaced and removed – are as they were given, bit for bit`(
    _ kind: StoreKind
  ) throws {
    let store = try ScratchStore(kind)
    try store.add([.plain("a"), .plain("b")])
    let (small, large) = (try Self.square(0.1), try Self.square(1 / 3))
    func names() throws -> [String] { try store.with { try $0.areas().map(\.name) } }
    #expect(try names().isEmpty)
    let first = try store.with {
      try $0.saveAreas([NamedArea("züri", small), NamedArea("a'b\"; --", large)])
    }
    #expect(first.replaced.isEmpty && first.added == ["züri", "a'b\"; --"])
    #expect(try names() == ["a'b\"; --", "züri"])
    #expect(try store.with { try $0.area(named: "a'b\"; --") } == large)
    #expect(try store.with { try $0.areas().map(\.vertexCount) } == [5, 5])
    let second = try store.with {
      try $0.saveAreas([NamedArea("züri", large), NamedArea("a'b\"; --", large)])
    }
    #expect(second.replaced == ["züri"] && second.added.isEmpty)
    #expect(try store.with { try $0.area(named: "züri") } == large)
    // an import, an edit and the removal of a source leave them alone
    try store.add([.plain("a")])
    _ = try store.place.hide(["a"])
    #expect(try names().count == 2)
    #expect(throws: UnknownArea.self) {
      try store.with { try $0.removeAreas(["züri", "nowhere"]) }
    }
    #expect(throws: UnknownArea.self) { _ = try store.with { try $0.area(named: "Züri") } }
    #expect(try names().count == 2)
    try store.with { try $0.removeAreas(["züri"]) }
    #expect(try names() == ["a'b\"; --"])
    #expect(store.faults.isEmpty)
  }

  @Test(arguments: StoreKind.available)
  func `areas – read again – are the same objects unless their outline has changed`(
    _ kind: StoreKind
  ) throws {
    let store = try ScratchStore(kind)
    try store.add([.plain("a")])
    let (small, large) = (try Self.square(1), try Self.square(2))
    _ = try store.with { try $0.saveAreas([NamedArea("a", small), NamedArea("b", small)]) }
    let first = try store.with { try $0.areaBook() }
    #expect(try !first[0].isParsed && first[0].area().area == small && first[0].isParsed)
    _ = try store.with { try $0.saveAreas([NamedArea("b", large)]) }
    let second = try store.with { try $0.areaBook(first) }
    #expect(second[0] === first[0] && second[1] !== first[1])
    #expect(try second[1].area().area == large)
  }

  @Test func `areas – stores of two earlier versions – are upgraded by the first one`() throws {
    for version in [6, 7] {
      let kept = try TemporaryStore([.plain("a"), .plain("b")])
      let place = StorePlace.file(kept.path)
      if version == 7 { _ = try place.correct("a", [(.rating, "4")]) }
      try kept.sql { db in
        try db.execute(sql: "DROP TABLE geoq_areas")
        if version == 6 { try db.execute(sql: "DROP TABLE geoq_corrections") }
        try db.execute(sql: "PRAGMA user_version = \(version)")
      }
      let store = try place.open()
      defer { try? store.close() }
      #expect(try store.areas().isEmpty && store.areaBook().isEmpty)
      #expect(throws: UnknownArea.self) { _ = try store.area(named: "a") }
      _ = try store.saveAreas([NamedArea("a", try Self.square(1))])
      #expect(try store.info().schemaVersion == Schema.version)
      #expect(try store.areas().map(\.name) == ["a"])
      #expect(try store.corrections().count == version - 6)
    }
  }

  @Test
  func
    `areas – names that are equal in Unicode but not in bytes – are two; names that are not text are left out`()
    throws
  {
    let kept = try TemporaryStore([.plain("a")])
    let store = try StorePlace.file(kept.path).open()
    defer { try? store.close() }
    // one square has the same digest, number of vertices and, as a rule, time
    let square = try Self.square(1)
    let names = ["Cafe\u{301}", "Caf\u{E9}"]
    _ = try store.saveAreas(names.map { NamedArea($0, square) })
    let first = try store.areaBook()
    let second = try store.areaBook(first)
    #expect(second.count == 2 && zip(first, second).allSatisfy { $0 === $1 })
    #expect(zip(second, names).allSatisfy { $0.saved.name.isUTF8Equal(to: $1) })
    try kept.sql { db in
      for name in ["X'FF'", "X'C3'"] {
        try db.execute(
          sql:
            "INSERT INTO geoq_areas SELECT \(name), geometry, digest, vertices, savedAt FROM geoq_areas LIMIT 1"
        )
      }
    }
    #expect(try store.areas().map(\.name) == store.areaBook(second).map(\.saved.name))
    #expect(try store.saveAreas([NamedArea("b", square)]).added == ["b"])
    #expect(try store.areas().count == 3)
  }

  @Test func `areas – names that --within takes for an outline – are none`() {
    for name in ["", " ", "{a", "Polygon", "multipolygon x", " srid=1", "a\nb"] {
      #expect(SavedArea.problem(ofName: name) != nil, "\(name)")
    }
    #expect(SavedArea.problem(ofName: String(repeating: "é", count: 101)) != nil)
    for name in ["a", "Old Town", "polygonal? no", "Zürich 1", "a/b"]
    where !name.hasPrefix("polygon") {
      #expect(SavedArea.problem(ofName: name) == nil, "\(name)")
    }
  }
}
