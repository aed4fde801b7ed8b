import Foundation
import GRDB
import GeoFeed
import GeoQuery
import TestSupport
import Testing

@testable import GeoStore

/// Attribution and license of a source, from its format or from the options of an import.
struct SourceCreditTests {
  private static let overpass = """
    {"version":0.6,"generator":"Overpass API","elements":[{"type":"node","id":1,"lat":1,"lon":2,\
    "tags":{"amenity":"cafe","name":"A"}}]}
    """

  private func credit(_ store: ScratchStore) throws -> [Credit] {
    try store.with { try $0.info().sources.map(\.credit) }
  }

  @Test(arguments: StoreKind.available)
  func `import – of a format whose data has one owner – notes the owner's credit`(
    _ kind: StoreKind
  ) throws {
    let store = try ScratchStore(kind)
    try store.read(Self.overpass, source: "osm")
    #expect(try credit(store) == [.openStreetMap])
    try store.add([.plain("b")], source: "a")
    let credits = try store.with { try $0.credits() }
    #expect(credits.html == Credits([.openStreetMap]).html)
    // each source has its own date
    #expect(Set(credits.dates.keys.map(\.text)) == ["osm", "a"])
    #expect(credits.dates.values.allSatisfy { $0.hasPrefix("20") && $0.hasSuffix("Z") })
  }

  @Test(arguments: StoreKind.available)
  func `import – with options – sets, keeps, changes and removes the credit`(
    _ kind: StoreKind
  ) throws {
    let store = try ScratchStore(kind)
    try store.read(Self.overpass) { $0.attribution = "City" }
    let set = Credit(attribution: "City", license: "ODbL-1.0")
    #expect(try credit(store) == [set])
    try store.read(Self.overpass)
    #expect(try credit(store) == [set])
    let state = try store.with { try $0.state() }
    let revision = try store.with { try $0.offersRevision() }
    try store.read(Self.overpass) {
      $0.attribution = ""
      $0.license = "MIT"
    }
    #expect(try credit(store) == [Credit(license: "MIT")])
    // services see by the revision that something has changed; the snapshot stays
    #expect(try store.with { try $0.offersRevision() } == revision + 1)
    #expect(try store.with { try $0.state() } == state)
    try store.read(Self.overpass)
    #expect(try credit(store) == [Credit(license: "MIT")])
    #expect(try store.with { try $0.offersRevision() } == revision + 1)
  }

  @Test(arguments: StoreKind.available)
  func `dry run – with another credit – changes nothing`(_ kind: StoreKind) throws {
    let store = try ScratchStore(kind)
    try store.read(Self.overpass)
    try store.read(Self.overpass) {
      $0.attribution = "X"
      $0.isDryRun = true
    }
    #expect(try credit(store) == [.openStreetMap])
  }

  @Test(arguments: StoreKind.available)
  func `renaming a source – takes its credit along`(_ kind: StoreKind) throws {
    let store = try ScratchStore(kind)
    try store.read(Self.overpass, source: "old")
    _ = try store.place.renameSource("old", to: "new", isDryRun: false)
    #expect(try credit(store) == [.openStreetMap])
    _ = try store.place.removeSource("new", isDryRun: false)
    #expect(try store.with { try $0.credits() } == .none)
  }

  @Test func `offers – with a credit – have it too`() throws {
    let store = try ScratchStore(.file)
    let offers = #"{"offers":[{"id":1,"name":"Ten wings"}]}"#
    try store.read(offers, source: "o") { $0.attribution = "Wings Inc." }
    #expect(try store.with { try $0.credits() }.attribution == "Wings Inc.")
    try store.read(offers, source: "o")
    #expect(try store.with { try $0.credits() }.attribution == "Wings Inc.")
  }

  @Test
  func
    `file – of an earlier version – is read without credits and gets the columns when it is written`()
    throws
  {
    let store = try TemporaryStore()
    try store.add(Feeds.of([.plain("a")]))
    try store.sql { db in
      try db.execute(sql: "ALTER TABLE geoq_sources DROP COLUMN attribution")
      try db.execute(sql: "ALTER TABLE geoq_sources DROP COLUMN license")
    }
    let bytes = store.bytes
    #expect(try store.open().credits().isEmpty)
    #expect(try store.open().info().sources.map(\.credit) == [Credit()])
    try store.add(Feeds.of([.plain("a")]))
    #expect(store.bytes == bytes)
    try store.add(Feeds.of([.plain("a")])) { $0.attribution = "City" }
    #expect(try store.open().credits().attribution == "City")
    let findings = Verification.examine(path: store.path)
    #expect(findings.filter { !$0.isGood }.isEmpty)
  }

  @Test func `credit – that another program has written – is shown only if it is one short line`()
    throws
  {
    let store = try TemporaryStore()
    try store.add(Feeds.of([.plain("a")])) { $0.license = "MIT" }
    try store.sql { db in
      try db.execute(sql: "UPDATE geoq_sources SET attribution = 'a' || char(10) || 'b'")
    }
    #expect(try store.open().credits().html == Credits([Credit(license: "MIT")]).html)
    try store.sql { try $0.execute(sql: "UPDATE geoq_sources SET license = x'00FF'") }
    #expect(try store.open().credits().isEmpty)
  }

  @Test(.enabled(if: PostgresServer.isThere))
  func
    `PostgreSQL – of an earlier version – is read without credits and gets the columns with the first one`()
    throws
  {
    let store = try ScratchStore(.postgres)
    try store.add([.plain("a")])
    try store.sql("ALTER TABLE geoq_sources DROP COLUMN attribution, DROP COLUMN license")
    #expect(try store.with { try $0.credits() }.isEmpty)
    try store.add([.plain("a"), .plain("b")])
    #expect(try credit(store) == [Credit()])
    try store.add([.plain("a"), .plain("b")]) { $0.attribution = "City" }
    #expect(try credit(store) == [Credit(attribution: "City")])
  }
}
