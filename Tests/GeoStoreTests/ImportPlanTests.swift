import GeoIndex
import TestSupport
import Testing

@testable import GeoFeed
@testable import GeoQuery
@testable import GeoStore

struct ImportPlanTests {
  private func many(_ count: Int, source: String = "test") -> Feed {
    Feeds.of((0..<count).map { .plain("id-\($0)", source: source) }, source: source)
  }

  @Test func `a feed that shrinks to a tenth is refused, one more restaurant is fine`() throws {
    let store = try TemporaryStore()
    try store.add(many(10))
    let bytes = store.bytes
    let error = store.error { try store.add(many(1)) }
    #expect(error?.kind == .shrinks)
    #expect(
      error?.description
        == "\(store.path): the feed has only 1 restaurant; the source \"test\" had 10; "
        + "nothing was changed"
    )
    #expect(store.bytes == bytes)
    #expect(try store.add(many(2)).removed == 8)

    try store.add(many(20))
    #expect(
      store.error { try store.add(many(2)) }?.message.hasPrefix(
        "the feed has only 2 restaurants; the source \"test\" had 20; "
      ) == true
    )
    #expect(try store.add(many(3)).removed == 17)
  }

  @Test func `an empty feed replaces nothing unless it is allowed to`() throws {
    let store = try TemporaryStore()
    try store.add(many(1))
    let error = store.error { try store.add(many(0)) }
    #expect(error?.kind == .shrinks)
    #expect(
      error?.message
        == "the feed has no restaurant; the source \"test\" had 1; "
        + "nothing was changed"
    )
    #expect(try store.add(many(0)) { $0.keepsMissing = true }.removed == 0)
    #expect(try store.restaurants().count == 1)
    #expect(try store.add(many(0)) { $0.allowsShrinking = true }.removed == 1)
    #expect(try store.restaurants().isEmpty)
  }

  @Test func `an empty feed makes no database unless it is allowed to`() throws {
    let store = try TemporaryStore()
    let error = store.error { try store.add(many(0)) }
    #expect(
      error?.description
        == "\(store.path): the feed has no restaurant; "
        + "nothing was changed"
    )
    #expect(store.names.isEmpty)
    try store.add(many(0)) { $0.allowsShrinking = true }
    #expect(try store.open().count() == 0)
    #expect(try store.engine().nearest(to: .at(1, 2), count: 3).isEmpty)
  }

  @Test func `an id of another source is kept next to it`() throws {
    let store = try TemporaryStore()
    try store.add(many(2, source: "first"))
    let second = Feeds.of(
      [.plain("new", source: "second"), .plain("id-1", at: .at(3, 4), source: "second")],
      source: "second"
    )
    let report = try store.add(second)
    #expect(report.inserted == 2 && report.removed == 0 && report.rejectedCount == 0)
    #expect(report.sharedIDs == [.init(source: "first", count: 1)])
    #expect(
      try store.restaurants().map { "\($0.id) \($0.source) \($0.sourceID ?? "-")" }
        == ["id-0 first -", "id-1 first -", "new second -", "second:id-1 second id-1"]
    )
    #expect(try store.add(second).unchanged == 2)
  }

  @Test func `only its own feed removes a source's records`() throws {
    let store = try TemporaryStore()
    try store.add(many(10, source: "a"))
    let others = Feeds.of((0..<10).map { .plain("b-\($0)", source: "b") }, source: "b")
    try store.add(others)
    // part of an export, under a name of its own: it refreshes what it has and removes nothing
    var changed = Restaurant.plain("b-0", source: "b")
    changed.name = "changed"
    let part = try store.add(Feeds.of([changed, .plain("a-new", source: "a")], source: "part"))
    #expect(part.updated == 1 && part.inserted == 1 && part.removed == 0)
    // nor may it move a record from one source to another: there it is another one
    let moved = try store.add(Feeds.of([.plain("b-1", source: "a")] + [changed], source: "part"))
    #expect(moved.inserted == 1 && moved.unchanged == 1)
    try store.add(many(10, source: "a"))
    let report = try store.add(
      Feeds.of([.plain("b-0", source: "b"), .plain("b-1", source: "b")], source: "b")
    )
    #expect(report.removed == 8 && report.updated == 1 && report.unchanged == 1)
    #expect(try store.open().read { try $0.count(of: "a", .restaurants) } == 10)
    #expect(try store.open().read { try $0.count(of: "b", .restaurants) } == 2)
    #expect(try store.open().read { try $0.count(of: "none", .restaurants) } == 0)
  }

  @Test func `sources that differ only in normalization are two`() throws {
    let store = try TemporaryStore()
    try store.add(Feeds.of([.plain("a", source: "caf\u{E9}")], source: "caf\u{E9}"))
    try store.add(Feeds.of([.plain("b", source: "cafe\u{301}")], source: "cafe\u{301}"))
    #expect(try store.restaurants().map(\.id) == ["a", "b"])
    #expect(try store.open().read { try $0.count(of: "caf\u{E9}", .restaurants) } == 1)
  }
}
