import Foundation
import GRDB
import TestSupport
import Testing

@testable import GeoFeed
@testable import GeoQuery
@testable import GeoStore

struct DiagnosisTests {
  private func finding(_ subject: String, _ store: TemporaryStore) -> Finding? {
    Diagnosis.examine(path: store.path).first { $0.subject == subject }
  }

  @Test func `a sound store is good in every respect`() throws {
    let store = try TemporaryStore([.plain("a"), .plain("b")])
    let bytes = store.bytes
    let findings = Diagnosis.examine(path: store.path)
    let subjects = ["SQLite", "SpatiaLite", "database", "restaurants", "snapshot", "writing"]
    #expect(findings.map(\.subject) == subjects)
    #expect(findings.filter { !$0.isGood }.isEmpty)
    #expect(
      findings.map(\.detail) == [
        "\(Diagnosis.versions.sqlite), with R*Tree", Diagnosis.versions.spatialite,
        "\(store.path): sound, generation 1",
        "2, each with an entry in the spatial index",
        "generation 1, 2 restaurants, opened from \(store.file("lunch.db.1.geoqx"))",
        "the file and its folder can be written",
      ]
    )
    #expect(Diagnosis.versions.sqlite.hasPrefix("3."))
    #expect(store.bytes == bytes)
    #expect(store.names == ["lunch.db"])
  }

  @Test func `a missing store is one finding, and is not made`() throws {
    let store = try TemporaryStore()
    let findings = Diagnosis.examine(path: store.path)
    #expect(findings.map(\.subject) == ["SQLite", "SpatiaLite", "database"])
    #expect(findings.map(\.isGood) == [true, true, false])
    #expect(
      findings.last?.detail == "\(store.path): no such database; create it by an import"
    )
    #expect(store.names.isEmpty)
  }

  @Test func `an entry missing from the spatial index is found`() throws {
    let store = try TemporaryStore([.plain("a"), .plain("b"), .plain("c")])
    try store.sql { try $0.execute(sql: "DELETE FROM idx_restaurants_geom WHERE pkid = 2") }
    let finding = finding("restaurants", store)
    #expect(finding?.isGood == false)
    #expect(
      finding?.detail
        == "3 rows, but 2 entries in the spatial index; import its feeds into a new file"
    )
  }

  @Test func `a page with flipped bytes is found`() throws {
    let store = try TemporaryStore((0..<200).map { .plain("id-\($0)") })
    var bytes = store.bytes
    let row = try #require(bytes.range(of: Data("Name of id-100".utf8)))
    for offset in row.lowerBound - 400..<row.lowerBound { bytes[offset] ^= 0xFF }
    try store.write(bytes)
    let finding = finding("database", store)
    #expect(finding?.isGood == false)
    #expect(finding?.detail.contains("damaged") == true)
  }

  @Test func `a store that was cut is found`() throws {
    let store = try TemporaryStore([.plain("a")])
    try store.write(store.bytes.prefix(store.bytes.count - 4_096))
    let finding = finding("database", store)
    #expect(finding?.isGood == false)
    #expect(finding?.detail.contains("the database is damaged") == true)
  }
}
