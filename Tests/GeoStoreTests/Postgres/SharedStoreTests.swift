import Foundation
import GeoIndex
import TestSupport
import Testing

@testable import GeoFeed
@testable import GeoQuery
@testable import GeoStore

/// What every kind of store promises: each test runs on all that are there.
struct SharedStoreTests {
  private func numbered(_ numbers: some Sequence<Int>) -> [Restaurant] {
    numbers.map { number in
      var restaurant = Restaurant.plain(
        "id-\(number)",
        at: .at(Double(number % 170) - 84.5, Double(number % 350) - 175)
      )
      restaurant.rating = Double(number % 10)
      return restaurant
    }
  }

  @Test(arguments: StoreKind.available)
  func `every value comes back as it went in`(_ kind: StoreKind) throws {
    let store = try ScratchStore(kind)
    var random = SplitMix64(stream: "values of both stores")
    var all = random.restaurants(200).map { restaurant in
      // an empty text is not a value, and no feed gives one
      var restaurant = restaurant
      if restaurant.category?.isEmpty == true { restaurant.category = nil }
      if restaurant.chain?.isEmpty == true { restaurant.chain = nil }
      return restaurant
    }
    let texts = [
      "", "a\"b\\c", "é e\u{301}", "漢字", "\u{1F35C}", "\t\n\r\u{1}\u{7F}", "\\N", "'; --", "$1",
    ]
    for (index, text) in texts.enumerated() {
      all.append(.full("full-\(index)-\(text)", at: .at(-0.0, 180)) { text })
    }
    all.append(.plain("zero", at: .at(-0.0, -0.0)))
    all.append(.plain("fine", at: .at(0.1 + 0.2, -179.99999999999997)))
    #expect(try store.add(all).inserted == all.count)
    let expected = all.sorted { UTF8Key($0.id) < UTF8Key($1.id) }
    #expect(try store.restaurants().map(\.allBytes) == expected.map(\.allBytes))
    #expect(try store.add(all).unchanged == all.count)
    #expect(try store.generation() == 1)
  }

  @Test(arguments: StoreKind.available)
  func `an import counts what it does, and repeating it does nothing`(_ kind: StoreKind) throws {
    let store = try ScratchStore(kind)
    #expect(try store.add(numbered(0..<100)).inserted == 100)
    var second = numbered(20..<130)
    for index in 0..<10 { second[index].rating = 99 }
    let report = try store.add(second)
    #expect(report.inserted == 30)
    #expect(report.updated == 10)
    #expect(report.unchanged == 70)
    #expect(report.removed == 20)
    #expect(report.generation == 2)
    #expect(try store.generation() == 2)
    let again = try store.add(second)
    #expect(again.unchanged == 110)
    #expect(again.generation == 2)
    #expect(try store.restaurants() == second.sorted { UTF8Key($0.id) < UTF8Key($1.id) })
  }

  @Test(arguments: StoreKind.available)
  func `random feeds of two sources leave what a model says`(_ kind: StoreKind) throws {
    let store = try ScratchStore(kind)
    var random = SplitMix64(stream: "feeds of both stores")
    var model: [String: [String: Restaurant]] = [:]
    var isEverUsed = false
    for round in 0..<12 {
      let source = random.int(below: 2) == 0 ? "north" : "south"
      // ids of a source of its own: none is shared
      let numbers = (0..<60).filter { _ in random.int(below: 4) > 0 }
      let feed = numbers.map { number in
        var restaurant = Restaurant.plain(
          "\(source)-\(number)",
          at: .at(Double(number), Double(number)),
          source: source
        )
        restaurant.reviewCount = random.int(below: 3)
        return restaurant
      }
      let before = model[source] ?? [:]
      let after = Dictionary(uniqueKeysWithValues: feed.map { ($0.id, $0) })
      let report = try store.add(feed, source: source) { $0.allowsDuplicates = true }
      let shared = after.keys.filter { before[$0] != nil }
      #expect(report.inserted == after.count - shared.count, "round \(round)")
      #expect(report.updated == shared.filter { before[$0] != after[$0] }.count, "round \(round)")
      #expect(report.removed == before.keys.filter { after[$0] == nil }.count, "round \(round)")
      model[source] = after
      isEverUsed = isEverUsed || report.removed > 0
      let expected = model.values.flatMap(\.values).sorted { UTF8Key($0.id) < UTF8Key($1.id) }
      #expect(try store.restaurants() == expected, "round \(round)")
    }
    #expect(isEverUsed)
    #expect(store.faults.isEmpty)
  }

  @Test(arguments: StoreKind.available)
  func `a refused feed changes nothing`(_ kind: StoreKind) throws {
    let store = try ScratchStore(kind)
    try store.add(numbered(0..<100))
    let before = try store.with { try $0.state() }
    let cases: [(StoreError.Kind, [Restaurant], String)] = [
      (.shrinks, [], "test"), (.shrinks, numbered(0..<5), "test"),
      (.replaces, numbered(200..<300), "test"),
      (
        .duplicates,
        numbered(0..<100).map {
          var other = $0
          other.source = "copy"
          return other
        }, "copy"
      ),
    ]
    for (refusal, feed, source) in cases {
      let error = store.error { try store.add(feed, source: source) }
      #expect(error?.kind == refusal)
      #expect(error?.path == store.place.shown)
    }
    struct Stop: Error {}
    var observer = ImportObserver()
    observer.end = { throw Stop() }
    #expect(throws: Stop.self) { try store.add(numbered(0..<120), observer: observer) }
    observer = ImportObserver()
    observer.progress = { _ in }
    #expect(
      try store.add(numbered(0..<130), observer: observer) { $0.isDryRun = true }.inserted == 30
    )
    #expect(try store.with { try $0.state() } == before)
    #expect(try store.restaurants().count == 100)
    #expect(try store.add(numbered(0..<5)) { $0.allowsShrinking = true }.removed == 95)
    #expect(try store.add(numbered(7..<9)) { $0.keepsMissing = true }.inserted == 2)
    #expect(try store.restaurants().count == 7)
  }

  @Test(arguments: StoreKind.available)
  func `of records that repeat an id the right one stays`(_ kind: StoreKind) throws {
    let store = try ScratchStore(kind)
    let one = numbered([1])
    var other = one
    other[0].name = "Other"
    try store.add(one)
    let rejected = try store.add(one + other)
    #expect(rejected.rejectedCount == 1)
    #expect(rejected.unchanged == 1)
    #expect(try store.add(other + one) { $0.duplicates = .last }.unchanged == 1)
    #expect(try store.restaurants() == one)
    #expect(try store.add(one + other) { $0.duplicates = .last }.updated == 1)
    #expect(try store.restaurants() == other)
    #expect(try store.add(other + one) { $0.duplicates = .first }.unchanged == 1)
    let three = numbered(5..<8)
    #expect(
      try store.add(other + three + three + numbered(5..<6)) { $0.duplicates = .last }.inserted == 3
    )
    #expect(try store.restaurants() == other + three)
  }

  @Test(arguments: StoreKind.available)
  func `a new record that repeats the id of another source has an id of its own, whichever stays`(
    _ kind: StoreKind
  ) throws {
    for duplicates in [ImportOptions.Duplicates.first, .last] {
      let store = try ScratchStore(kind)
      try store.add([.plain("1", source: "a")], source: "a")
      var first = Restaurant.plain("1", at: .at(5, 5), source: "b")
      first.name = "First"
      var second = first
      second.name = "Second"
      let feed = [first, second, second]
      let report = try store.add(feed, source: "b") { $0.duplicates = duplicates }
      #expect(report.inserted == 1 && report.repeated == 2)
      let found = try store.restaurants()
      #expect(found.map(\.id) == ["1", "b:1"])
      #expect(found.last?.name == (duplicates == .last ? "Second" : "First"))
      #expect(store.faults.isEmpty)
      let again = try store.add(feed, source: "b") { $0.duplicates = duplicates }
      #expect(again.unchanged == 1 && again.updated == 0)
    }
  }

  @Test(arguments: StoreKind.available)
  func `a first import may repeat ids anywhere`(_ kind: StoreKind) throws {
    let store = try ScratchStore(kind)
    try store.add([.plain("id-3", source: "other")], source: "other")
    try store.add([], source: "other") { $0.allowsShrinking = true }
    #expect(try store.restaurants().isEmpty)
    let changed = { (numbers: [Int], name: String) in
      numbered(numbers).map { restaurant in
        var restaurant = restaurant
        restaurant.name = name
        return restaurant
      }
    }
    let feed =
      numbered(0..<5) + changed([2], "second") + numbered(5..<8) + changed([6, 2, 0], "third")
      + numbered([0]) + numbered(8..<9) + changed([6], "fourth")
    let report = try store.add(feed) { $0.duplicates = .last }
    #expect(report.inserted == 9)
    #expect(report.repeated == 6)
    #expect(report.generation == 3)
    let last =
      numbered(0..<2) + changed([2], "third") + numbered(3..<6) + changed([6], "fourth")
      + numbered(7..<9)
    #expect(try store.restaurants() == last)
    #expect(try store.add(last).unchanged == 9)
  }

  @Test(arguments: StoreKind.available)
  func `an id of another source gets the name of its own`(_ kind: StoreKind) throws {
    let store = try ScratchStore(kind)
    try store.add([.plain("a", source: "one")], source: "one")
    try store.add(
      [.plain("a", at: .at(1, 2), source: "two"), .plain("b", source: "two")],
      source: "two"
    )
    #expect(try store.restaurants().map(\.id) == ["a", "b", "two:a"])
    #expect(try store.restaurants()[2].sourceID == "a")
    var changed = Restaurant.plain("a", at: .at(1, 2), source: "two")
    changed.rating = 3
    #expect(try store.add([changed, .plain("b", source: "two")], source: "two").updated == 1)
    #expect(try store.restaurants()[2].rating == 3)
    #expect(try store.restaurants().map(\.id) == ["a", "b", "two:a"])
  }

  @Test(arguments: StoreKind.available)
  func `favorites outlive imports, and adding or removing twice changes nothing`(
    _ kind: StoreKind
  )
    throws
  {
    let store = try ScratchStore(kind)
    try store.add(numbered(0..<20))
    try store.with { (store: any Store) throws -> Void in
      #expect(try store.addFavorites(["id-3", "id-1", "id-3"]) == ["id-3", "id-1"])
      #expect(try store.addFavorites(["id-3"]).isEmpty)
      for id in ["x", "", "id-3' OR 1=1", "id\u{0}3"] {
        let error = #expect(throws: UnknownRestaurant.self) {
          try store.addFavorites(["id-5", id])
        }
        #expect(error?.id == id)
      }
      #expect(try store.favorites().map(\.restaurant.id) == ["id-1", "id-3"])
    }
    try store.with { (store: any Store) throws -> Void in
      let marks = [("id-3", "2020-01-02T03:04:05Z"), ("x", nil), ("id-1", "2999-01-02T03:04:05Z")]
      #expect(try store.restoreFavorites(marks) == ["x"])
      let times = try store.favorites().map { $0.favorite?.since ?? "" }
      #expect(times.count == 2 && times[0] < "2999" && times[1] == "2020-01-02T03:04:05Z")
    }
    var changed = numbered(2..<20)
    changed[1].name = "Another name"
    try store.add(changed)
    try store.with { (store: any Store) throws -> Void in
      let favorites = try store.favorites()
      #expect(favorites.map(\.restaurant.name) == ["Name of id-1", "Another name"])
      #expect(favorites.map(\.favorite?.isGone) == [true, false])
      #expect(try store.addFavorites(["id-1"]).isEmpty)
      #expect(try store.removeFavorites(["id-3", "id-4", "id\u{0}", "id-3"]) == ["id-3"])
      #expect(try store.favorites().map(\.restaurant.id) == ["id-1"])
    }
    // the id has become another restaurant
    try store.add([.plain("id-1", at: .at(50, 50), source: "b")], source: "b")
    #expect(try store.with { try $0.favorites().map(\.favorite?.isGone) } == [true])
    #expect(try store.with { try $0.addFavorites(["id-1"]) } == ["id-1"])
    #expect(try store.with { try $0.favorites().map(\.favorite?.isGone) } == [false])
  }

  @Test(arguments: StoreKind.available)
  func `chains and offers come, change and go without a new generation`(_ kind: StoreKind) throws {
    let store = try ScratchStore(kind)
    try store.add(numbered(0..<3))
    let chains =
      #"{"retailers":[{"id":1,"name":"Thai Star","mystery":"x"},{"id":2,"name":"Café"}]}"#
    let offer = { (id: Int, amount: Int) in
      #"{"id":\#(id),"name":"Offer \#(id)","amount":\#(amount),"retailers":[1,2],"categories":["a","b"]}"#
    }
    let offers = { (list: [String]) in #"{"offers":["# + list.joined(separator: ",") + "]}" }
    #expect(try store.read(chains, source: "chains").inserted == 2)
    #expect(try store.read(offers([offer(1, 2), offer(2, 3)]), source: "offers").inserted == 2)
    let revision = try store.with { try $0.offersRevision() }
    #expect(try store.read(offers([offer(1, 2), offer(2, 3)]), source: "offers").unchanged == 2)
    #expect(try store.with { try $0.offersRevision() } == revision)
    let report = try store.read(offers([offer(2, 4), offer(3, 5)]), source: "offers")
    #expect(report.inserted == 1 && report.updated == 1 && report.removed == 1)
    let book = try store.with { try $0.offerBook() }
    #expect(book.offers.map(\.id) == ["2", "3"])
    #expect(book.offers.map(\.amount) == [4, 5])
    #expect(book.chains.map(\.name) == ["Thai Star", "Café"])
    #expect(book.revision == revision + 1)
    #expect(try store.generation() == 1)
    let info = try store.with { try $0.info() }
    #expect(info.chainCount == 2 && info.offerCount == 2)
    #expect(info.sources.map(\.name) == ["chains", "offers", "test"])
    #expect(info.sources.map(\.count) == [2, 2, 3])
  }

  @Test(arguments: StoreKind.available)
  func `sources are renamed and removed, and restaurants too`(_ kind: StoreKind) throws {
    let store = try ScratchStore(kind)
    let origin = FeedOrigin(address: "https://example.com/a", etag: "\"x\"")
    try store.add(numbered(0..<20)) { $0.origin = origin }
    try store.read(#"{"retailers":[{"id":1,"name":"Thai Star"}]}"#, source: "test")
    #expect(try store.with { try $0.addFavorites(["id-3", "id-4"]) }.count == 2)
    let before = try store.with { try $0.state() }
    #expect(try store.place.renameSource("test", to: "new", isDryRun: true).updated == 20)
    #expect(try store.place.removeSource("test", isDryRun: true).removed == 20)
    #expect(try store.place.remove(["id-1"], isDryRun: true).removed == 1)
    for name in ["none", "", "te\u{0}st"] {
      let errors = [
        store.error { try store.place.removeSource(name) },
        store.error { try store.place.renameSource(name, to: "x") },
      ]
      #expect(errors.allSatisfy { $0?.kind == .source })
    }
    #expect(store.error { try store.place.renameSource("test", to: "test") }?.kind == .source)
    #expect(store.error { try store.place.renameSource("test", to: "") }?.kind == .source)
    #expect(throws: UnknownRestaurant.self) { try store.place.remove(["id-1", "x"]) }
    #expect(throws: UnknownRestaurant.self) { try store.place.remove(["id-1\u{0}"]) }
    #expect(try store.with { try $0.state() } == before)

    let renamed = try store.place.renameSource("test", to: "new")
    #expect(renamed.updated == 20 && renamed.generation == 2)
    #expect(renamed.chainsAndOffers == [.chains: 1])
    #expect(try store.restaurants().allSatisfy { $0.source == "new" })
    #expect(try store.with { try $0.favorites().map(\.favorite?.isGone) } == [false, false])
    #expect(try store.with { try $0.origin(of: "new")?.address } == origin.address)
    // what the feed has is recognized under the new name
    let moved = numbered(0..<20).map { restaurant in
      var restaurant = restaurant
      restaurant.source = "new"
      return restaurant
    }
    #expect(try store.add(moved, source: "new") { $0.origin = origin }.unchanged == 20)
    #expect(try store.generation() == 2)

    #expect(try store.place.remove(["id-3", "id-5"]).removed == 2)
    #expect(try store.restaurants().count == 18)
    #expect(try store.with { try $0.origin(of: "new")?.etag } == nil)
    #expect(try store.with { try $0.favorites().map(\.favorite?.isGone) } == [true, false])
    #expect(store.faults.isEmpty)
    let removed = try store.place.removeSource("new")
    #expect(removed.removed == 18 && removed.generation == 4)
    #expect(try store.restaurants().isEmpty)
    #expect(try store.with { try $0.offerBook().chains.isEmpty })
    #expect(try store.with { try $0.favorites().map(\.favorite?.isGone) } == [true, true])
    #expect(store.faults.isEmpty)
  }

  @Test(arguments: StoreKind.available)
  func `info says what is there`(_ kind: StoreKind) throws {
    let store = try ScratchStore(kind)
    try store.read(String(decoding: try Feeds.sampleBytes(), as: UTF8.self), source: "sample")
    let info = try store.with { try $0.info() }
    #expect(info.path == store.place.shown)
    #expect(info.count == 15)
    #expect(info.generation == 1)
    #expect(info.bytes > 10_000)
    #expect(info.snapshot?.bytes ?? 0 > 1_000)
    #expect(info.sources.map(\.name) == ["sample"])
    #expect(info.importedAt?.hasSuffix("Z") == true)
    #expect(info.importedAt == info.sources[0].importedAt)
  }

  @Test(arguments: StoreKind.available)
  func `a source that was fetched knows its version until another feed changes it`(
    _ kind: StoreKind
  ) throws {
    let store = try ScratchStore(kind)
    let origin = FeedOrigin(address: "https://example.com/a", etag: "\"x\"")
    #expect(try store.add(numbered(0..<3)) { $0.origin = origin }.inserted == 3)
    #expect(try store.with { try $0.origin(of: "test") } == origin)
    #expect(try store.with { try $0.contents(of: "test", from: origin.address)?.count } == 3)
    #expect(try store.with { try $0.contents(of: "test", from: "other")?.count } == nil)
    #expect(try store.with { try $0.origin(of: "none\u{0}") } == nil)
    var foreign = numbered(0..<1)
    foreign[0].rating = 77
    try store.add(foreign, source: "other") { $0.keepsMissing = true }
    #expect(try store.with { try $0.origin(of: "test")?.etag } == nil)
  }

  @Test(arguments: StoreKind.available)
  func `an end that is not a date is a warning, and each offer keeps its end`(
    _ kind: StoreKind
  ) throws {
    let store = try ScratchStore(kind)
    try store.add([.plain("a")])
    let text = """
      {"offers":[{"id":1,"name":"A","expires":"2026-11-30T23:59:59Z"},{"id":2,"name":"B","ends":1796083199},
      {"id":3,"name":"C","valid_until":"2026-02-30"},{"id":4,"name":"D"},{"id":5,"name":"E","expiry":"soon"}]}
      """
    let report = try store.read(text, source: "offers")
    #expect(report.inserted == 5 && report.warningCount == 2)
    #expect(report.warnings.map(\.record) == [3, 5])
    #expect(
      report.warnings.map(\.problem)
        == ["2026-02-30", "soon"].map {
          "expiration \"\($0)\" is not a date; the offer counts as valid"
        }
    )
    let offers = try store.with { try $0.offerBook().offers }
    #expect(
      offers.map { $0.expires?.description } == ["2026-11-30", "2026-11-30", nil, nil, nil]
    )
    #expect(
      offers.map(\.expiration)
        == ["2026-11-30T23:59:59Z", "1796083199", "2026-02-30", nil, "soon"]
    )
    let again = try store.read(text, source: "offers")
    #expect(again.unchanged == 5 && again.warningCount == 2)
  }
}
