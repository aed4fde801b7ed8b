import Foundation
import GRDB
import GeoIndex
import TestSupport
import Testing

@testable import GeoFeed
@testable import GeoQuery
@testable import GeoStore

/// Imports of chains, stores and offers: what they change, what they refuse, what stays.
struct OfferImportTests {
  private static let retailers = """
    {"retailers":[{"id":2,"name":"Target","icon_url":"http://images.example/t.png","featured":true},
    {"id":3,"name":"H-E-B®","category_ids":[1]},{"id":276,"name":"Any Restaurant"}]}
    """
  private static let stores = """
    {"stores":[{"events":{},"id":10,"retailer_id":2,"lat":39.7,"long":-105},
    {"events":{},"id":11,"retailer_id":3,"lat":40,"long":-104.9},
    {"events":{},"id":12,"retailer_id":77,"lat":39.8,"long":-104.8}]}
    """

  private static func offers(_ ids: some Sequence<Int>, amount: String = "1") -> String {
    let offers = ids.map {
      #"{"id":\#($0),"name":"Offer \#($0)","amount":\#(amount),"retailers":[2,77,\#($0)]}"#
    }
    return #"{"offers":[\#(offers.joined(separator: ","))]}"#
  }

  @discardableResult
  private func add(
    _ text: String,
    _ source: String,
    to store: TemporaryStore,
    observer: ImportObserver = ImportObserver(),
    _ change: (inout ImportOptions) -> Void = { _ in }
  ) throws -> ImportReport {
    let stream = try FeedReader(source: source).stream(MemoryBytes(Array(text.utf8)))
    var options = ImportOptions()
    change(&options)
    return try RestaurantStore.importFeed(
      from: stream,
      into: store.path,
      options: options,
      observer: observer
    )
  }

  private func counts(_ report: ImportReport) -> [Int] {
    [
      report.read, report.inserted, report.updated, report.unchanged, report.removed,
      report.rejectedCount,
    ]
  }

  private func filled() throws -> TemporaryStore {
    let store = try TemporaryStore()
    try add(Self.retailers, "retailers", to: store)
    try add(Self.stores, "stores", to: store)
    try add(Self.offers(1...10), "offers", to: store)
    return store
  }

  @Test func `the three feeds one after the other`() throws {
    let store = try TemporaryStore()
    let chains = try add(Self.retailers, "retailers", to: store)
    #expect(counts(chains) == [3, 3, 0, 0, 0, 0] && chains.content == .chains)
    #expect(try store.restaurants().isEmpty)
    let stores = try add(Self.stores, "stores", to: store)
    #expect(counts(stores) == [3, 2, 0, 0, 0, 1])
    #expect(stores.rejected.first?.problem == #"unknown retailer "77""#)
    #expect(stores.generation == 1)
    let restaurants = try store.restaurants()
    #expect(restaurants.map(\.id) == ["10", "11"])
    #expect(restaurants.map(\.name) == ["Target", "H-E-B®"])
    #expect(restaurants.map(\.chain) == ["Target", "H-E-B®"])
    #expect(restaurants.map(\.imageURL) == ["http://images.example/t.png", nil])
    #expect(
      restaurants.map { JSONWriter.of(.object($0.extra)) } == [
        #"{"events":{},"retailer_id":2}"#, #"{"events":{},"retailer_id":3}"#,
      ]
    )
    let offers = try add(Self.offers(1...10), "offers", to: store)
    #expect(counts(offers) == [10, 10, 0, 0, 0, 0] && offers.content == .offers)
    // 77, and the offers' own numbers without 2 and 3
    #expect(offers.unknownChains == 9)
    #expect(offers.generation == 1)
    let book = try store.open().offerBook()
    #expect(book.revision == 2 && book.offers.count == 10 && book.chains.count == 3)
    #expect(book.chain(id: "2")?.featured == true)
    let places = OfferPlaces(try store.engine(), book)
    let offer = try #require(book.offer(id: "3"))
    #expect(offer.chains == ["2", "77", "3"])
    #expect(try places.positions(of: offer).count == 2)
    let findings = Verification.examine(path: store.path)
    #expect(findings.filter { !$0.isGood } == [])
    #expect(
      findings.first { $0.subject == "offers" }?.detail
        == "10, and 3 chains, each readable"
    )
    #expect(Diagnosis.examine(path: store.path).contains { $0.subject == "offers" && $0.isGood })
  }

  @Test func `a second import of each leaves every byte alone`() throws {
    let store = try filled()
    let (bytes, snapshots) = (store.bytes, store.snapshots)
    #expect(counts(try add(Self.retailers, "retailers", to: store)) == [3, 0, 0, 3, 0, 0])
    #expect(counts(try add(Self.stores, "stores", to: store)) == [3, 0, 0, 2, 0, 1])
    #expect(counts(try add(Self.offers(1...10), "offers", to: store)) == [10, 0, 0, 10, 0, 0])
    #expect(store.bytes == bytes && store.snapshots == snapshots)
    #expect(store.names == ["lunch.db"])
  }

  @Test func `every value survives the way into the store and back`() throws {
    let store = try TemporaryStore()
    let text = """
      {"offers":[{"id":"é","name":"e\u{301}\\r\\n®","description":"d","terms":"t","amount":0.1,
      "url":"http://a.example","large_url":"https://b.example","categories":[{"name":"A","id":1.50}],
      "retailers":[2,2,"x"],"restaurants":["r","q"],"restaurant_categories":["B","A"],
      "expiration":"soon","x":{"y":[1e3,"\\u0000"]}}]}
      """
    var stream = try FeedReader(source: "o").stream(MemoryBytes(Array(text.utf8)))
    guard case .offer(let offer, _)? = try stream.nextOffer() else {
      Issue.record("no offer")
      return
    }
    try add(text, "o", to: store)
    let back = try #require(try store.open().offerBook().offer(id: "é"))
    #expect(back.contents == offer.contents)
    #expect(try store.open().offerBook().offers.map(\.contents) == [offer.contents])
    #expect(try store.open().offerBook().offer(id: "e\u{301}") == nil)
    #expect(counts(try add(text, "o", to: store)) == [1, 0, 0, 1, 0, 0])
  }

  @Test func `a refresh inserts, updates and removes, and makes a new revision`() throws {
    let store = try filled()
    let before = try store.open().offerBook().revision
    let snapshots = store.snapshots
    let text = Self.offers(3...12).replacing("Offer 5", with: "Another")
    let report = try add(text, "offers", to: store)
    #expect(counts(report) == [10, 2, 1, 7, 2, 0])
    let book = try store.open().offerBook()
    #expect(book.revision == before + 1)
    #expect(Set(book.offers.map(\.id)) == Set((3...12).map(String.init)))
    #expect(book.offer(id: "5")?.name == "Another")
    #expect(try store.open().offerBook().offer(id: "5")?.chains == ["2", "77", "5"])
    #expect(store.snapshots == snapshots)
    let kept = try add(Self.offers([20]), "offers", to: store) { $0.keepsMissing = true }
    #expect(counts(kept) == [1, 1, 0, 0, 0, 0])
    #expect(try store.open().offerBook().offers.count == 11)
  }

  @Test func `offers survive a refresh of the restaurants, and the other way round`() throws {
    let store = try filled()
    let offers = try store.open().offerBook().offers.map(\.contents)
    let restaurants = try store.restaurants().map(\.allBytes)
    let moved = Self.stores.replacing("39.7", with: "39.75")
    #expect(counts(try add(moved, "stores", to: store)) == [3, 0, 1, 1, 0, 1])
    #expect(try store.open().offerBook().offers.map(\.contents) == offers)
    #expect(try store.open().offersRevision() == 2)
    try add(Self.stores, "stores", to: store)
    try add(Self.offers(1...5, amount: "2"), "offers", to: store)
    #expect(try store.restaurants().map(\.allBytes) == restaurants)
  }

  @Test func `stores before any chains are refused, and nothing is made`() throws {
    let store = try TemporaryStore()
    #expect {
      try add(Self.stores, "stores", to: store)
    } throws: {
      "\($0)" == "stores: its stores name their chains by id, and the database has no chains; "
        + "import the list of chains (retailers) first"
    }
    #expect(store.names.isEmpty)
  }

  @Test func `a chain's new name comes to its stores with their next import`() throws {
    let store = try filled()
    try add(Self.retailers.replacing("Target", with: "Bullseye"), "retailers", to: store)
    #expect(counts(try add(Self.stores, "stores", to: store)) == [3, 0, 1, 1, 0, 1])
    #expect(try store.restaurants().first?.chain == "Bullseye")
  }

  @Test func `of two records with one id the first stays`() throws {
    let store = try TemporaryStore()
    let text = #"{"offers":[{"id":1,"name":"A"},{"id":"1","name":"B"},{"id":2,"name":"C"},{}]}"#
    let report = try add(text, "offers", to: store)
    #expect(counts(report) == [4, 2, 0, 0, 0, 2])
    #expect(
      report.rejected.map(\.description) == [
        #"offers:1: record 2 (byte 31): id "1" is the same as in record 1"#,
        "offers:1: record 4 (byte 73): id is missing",
      ]
    )
    #expect(try store.open().offerBook().offer(id: "1")?.name == "A")
    let last = try add(text, "offers", to: store) { $0.duplicates = .last }
    #expect(counts(last) == [4, 0, 1, 1, 0, 1] && last.repeated == 1)
    #expect(try store.open().offerBook().offer(id: "1")?.name == "B")
    #expect(throws: FeedError.self) { try add(text, "offers", to: store) { $0.isStrict = true } }
    #expect(throws: FeedError.self) {
      try add(text, "offers", to: store) { $0.rejectLimit = .count(1) }
    }
  }

  @Test func `an id of another source is scoped for offers, and rejected for chains`() throws {
    let store = try filled()
    let more = #"{"offers":[{"id":1,"name":"Mine"},{"id":30,"name":"New"}]}"#
    let report = try add(more, "more", to: store)
    #expect(counts(report) == [2, 2, 0, 0, 0, 0])
    #expect(report.sharedIDs == [.init(source: "offers", count: 1)])
    let offer = try #require(try store.open().offerBook().offer(id: "more:1"))
    #expect(offer.sourceID == "1" && offer.name == "Mine")
    #expect(counts(try add(more, "more", to: store)) == [2, 0, 0, 2, 0, 0])
    let chains = #"{"retailers":[{"id":2,"name":"Two"},{"id":4,"name":"Four"}]}"#
    let other = try add(chains, "other", to: store)
    #expect(counts(other) == [2, 1, 0, 0, 0, 1])
    let problem = #"id "2" is already used by a chain from the source "retailers""#
    #expect(other.rejected.first?.problem == problem)
    #expect(try store.open().offerBook().chain(id: "2")?.name == "Target")
  }

  @Test func `a feed that is more likely a mistake is refused`() throws {
    let store = try TemporaryStore()
    try add(Self.offers(1...30), "offers", to: store)
    let bytes = store.bytes
    func kind(_ text: String, _ source: String = "offers") -> StoreError.Kind? {
      store.error { try add(text, source, to: store) }?.kind
    }
    #expect(kind(Self.offers([1])) == .shrinks)
    #expect(kind(#"{"offers":[]}"#) == .shrinks)
    #expect(kind(#"{"offers":[]}"#, "new") == .shrinks)
    #expect(kind(Self.offers(101...130)) == .replaces)
    #expect(kind(Self.offers(1...30), "copy") == .duplicates)
    let error = store.error { try add(Self.offers([1]), "offers", to: store) }
    #expect(
      error?.message
        == "the feed has only 1 offer; the source \"offers\" had 30; nothing was changed"
    )
    #expect(store.bytes == bytes)
    try add(Self.offers([1]), "offers", to: store) { $0.allowsShrinking = true }
    #expect(try store.open().offerBook().offers.count == 1)
    try add(#"{"offers":[]}"#, "offers", to: store) { $0.allowsShrinking = true }
    #expect(try store.open().offerBook().offers.isEmpty)
  }

  @Test func `a dry run changes nothing`() throws {
    let empty = try TemporaryStore()
    let report = try add(Self.offers(1...3), "offers", to: empty) { $0.isDryRun = true }
    #expect(counts(report) == [3, 3, 0, 0, 0, 0])
    #expect(empty.names.isEmpty)
    let store = try filled()
    let bytes = store.bytes
    #expect(
      counts(try add(Self.offers(5...14), "offers", to: store) { $0.isDryRun = true })
        == [10, 4, 0, 6, 4, 0]
    )
    #expect(store.bytes == bytes)
  }

  @Test func `one name may be the source of all three`() throws {
    let store = try TemporaryStore()
    try add(Self.retailers, "all", to: store)
    try add(Self.stores, "all", to: store)
    try add(Self.offers(1...4), "all", to: store)
    let info = try store.open().info()
    #expect(info.sources.map(\.name) == ["all", "all", "all"])
    #expect(info.sources.map(\.content) == [.restaurants, .chains, .offers])
    #expect(info.sources.map(\.count) == [2, 3, 4])
    #expect(info.sources.map { $0.rejections?.count } == [1, nil, nil])
    #expect(info.chainCount == 3 && info.offerCount == 4 && info.offersRevision == 2)
    let renamed = try RestaurantStore.renameSource("all", to: "one", in: store.path)
    #expect(renamed.updated == 2 && renamed.chainsAndOffers == [.chains: 3, .offers: 4])
    #expect(Set(try store.open().offerBook().offers.map(\.source)) == ["one"])
    #expect(counts(try add(Self.offers(1...4), "one", to: store)) == [4, 0, 0, 4, 0, 0])
    let removed = try RestaurantStore.removeSource("one", from: store.path)
    #expect(removed.removed == 2 && removed.chainsAndOffers == [.chains: 3, .offers: 4])
    #expect(try store.open().info().sources.isEmpty)
    #expect(try store.open().offerBook().offers.isEmpty)
    let lists = try OfferTables.lists.map { list in
      try store.sql { try Int.fetchOne($0, sql: "SELECT count(*) FROM \(list.table)") }
    }
    #expect(lists == [0, 0, 0, 0])
  }

  @Test func `a source of offers alone is renamed and removed without a new generation`() throws {
    let store = try filled()
    let revision = try store.open().offersRevision()
    #expect(try RestaurantStore.renameSource("offers", to: "o", in: store.path).generation == 1)
    #expect(try store.open().offersRevision() == revision + 1)
    #expect(try RestaurantStore.removeSource("o", from: store.path).generation == 1)
    #expect(try store.open().offerBook().offers.isEmpty && store.restaurants().count == 2)
    #expect(throws: StoreError.self) { try RestaurantStore.removeSource("o", from: store.path) }
  }

  @Test func `an import that ends before its commit leaves the store unchanged`() throws {
    struct Stop: Error {}
    let store = try filled()
    let bytes = store.bytes
    var observer = ImportObserver()
    observer.end = { throw Stop() }
    #expect(throws: Stop.self) {
      try add(Self.offers(5...14), "offers", to: store, observer: observer)
    }
    #expect(throws: FeedError.self) {
      try add(String(Self.offers(5...14).dropLast(3)), "offers", to: store)
    }
    #expect(store.bytes == bytes && store.names == ["lunch.db"])
    let empty = try TemporaryStore()
    #expect(throws: Stop.self) {
      try add(Self.offers(1...3), "offers", to: empty, observer: observer)
    }
    #expect(empty.names.isEmpty)
  }

  @Test func `a damaged row is named`() throws {
    let store = try filled()
    try store.sql { try $0.execute(sql: "UPDATE offers SET extra = '{' WHERE id = '1'") }
    let finding = Verification.examine(path: store.path).first { $0.subject == "offers" }
    #expect(finding?.isGood == false)
    #expect(finding?.detail.contains("a row of offers is damaged") == true)
  }

  @Test func `compacting keeps offers and chains`() throws {
    let store = try filled()
    let before = try store.open().offerBook()
    _ = try RestaurantStore.compact(path: store.path)
    let after = try store.open().offerBook()
    #expect(after.offers.map(\.contents) == before.offers.map(\.contents))
    #expect(after.chains.map(\.contents) == before.chains.map(\.contents))
    #expect(after.revision == before.revision)
  }

  @Test func `stores come back from an export with their chains`() throws {
    let store = try filled()
    let restaurants = try store.restaurants()
    for format in [AnswerFormat.geojson, .csv, .jsonl] {
      let text = format.text(of: restaurants.map { Match(restaurant: $0) })
      let report = try add(text, "export", to: store)
      #expect(counts(report) == [2, 0, 0, 2, 0, 0], "\(format)")
    }
    #expect(try store.restaurants().map(\.allBytes) == restaurants.map(\.allBytes))
  }
}
