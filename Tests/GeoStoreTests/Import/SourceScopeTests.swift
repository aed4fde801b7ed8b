import GeoIndex
import TestSupport
import Testing

@testable import GeoFeed
@testable import GeoQuery
@testable import GeoStore

/// Ids belong to their source: nothing of one source is lost to another.
struct SourceScopeTests {
  private func feed(_ ids: some Sequence<Int>, of source: String, at degrees: Double) -> Feed {
    let restaurants = ids.map { number in
      var restaurant = Restaurant.plain(
        "\(number)",
        at: .at(degrees, Double(number) / 10),
        source: source
      )
      restaurant.name = "\(source) \(number)"
      return restaurant
    }
    return Feeds.of(restaurants, source: source)
  }

  @Test func `two feeds with ids 1 to 200 and a favorite live in one store`() throws {
    let store = try TemporaryStore()
    try store.add(feed(1...200, of: "airports", at: 10))
    try store.open().addFavorites(["7"])
    let report = try store.add(feed(1...200, of: "salzburg", at: 20))
    #expect(report.inserted == 200 && report.rejectedCount == 0)
    #expect(report.sharedIDs == [.init(source: "airports", count: 200)])
    #expect(try store.restaurants().count == 400)
    let favorite = try #require(try store.open().favorites().first)
    #expect(favorite.restaurant.name == "airports 7" && favorite.favorite?.isGone == false)
    let other = try store.open().restaurant(id: "salzburg:7")
    #expect(other?.name == "salzburg 7" && other?.sourceID == "7")
  }

  @Test func `an id that a removed source has scoped stays taken`() throws {
    let store = try TemporaryStore()
    try store.add(feed(1...1, of: "b", at: 10))
    try store.add(feed(1...1, of: "a", at: 20))
    try RestaurantStore.removeSource("b", from: store.path)
    let own = [Restaurant.plain("1", source: "a"), Restaurant.plain("a:1", source: "a")]
    try store.add(Feeds.of(own, source: "a"))
    #expect(try store.restaurants().map(\.id) == ["a:1", "a:a:1"])
  }

  @Test func `a second export of another folder does not replace the first`() throws {
    let store = try TemporaryStore()
    try store.add(feed(1...30, of: "export.geojson", at: 10))
    let bytes = store.bytes
    let second = feed(100...130, of: "export.geojson", at: 20)
    let error = store.error { try store.add(second) }
    #expect(error?.kind == .replaces && error?.source == "export.geojson")
    #expect(
      error?.message == "the feed has none of the 30 restaurants that the source "
        + "\"export.geojson\" has; nothing was changed"
    )
    #expect(store.bytes == bytes)
    #expect(try store.add(second) { $0.allowsReplacing = true }.inserted == 31)
  }

  @Test func `the same feed under another name is refused unless both are wanted`() throws {
    let store = try TemporaryStore()
    try store.add(feed(1...30, of: "a.csv", at: 10))
    var copy = feed(1...30, of: "a.csv", at: 10)
    for place in copy.restaurants.indices { copy.restaurants[place].source = "stdin" }
    let same = Feeds.of(copy.restaurants, source: "stdin")
    let error = store.error { try store.add(same) }
    #expect(error?.kind == .duplicates && error?.source == "a.csv")
    try store.add(same) { $0.allowsDuplicates = true }
    #expect(try store.restaurants().count == 60)
    // a refresh is not a copy any more
    #expect(try store.add(same).unchanged == 30)
  }

  @Test func `an id that becomes another restaurant takes no favorite along`() throws {
    let store = try TemporaryStore()
    try store.add(feed(1...3, of: "a", at: 10))
    try store.open().addFavorites(["1", "2"])
    var other = feed(1...3, of: "a", at: 10)
    other.restaurants[0].name = "Other"
    other.restaurants[0].coordinate = .at(-10, 10)
    other.restaurants[1].name = "Renamed"
    try store.add(other)
    var favorites = try store.open().favorites()
    #expect(favorites.map(\.favorite?.isGone) == [true, false])
    #expect(favorites.map(\.restaurant.name) == ["a 1", "Renamed"])
    #expect(try StoredFavorites(.file(store.path)).favoriteIDs() == ["2"])
    // the restaurant that has the id now may be made a favorite
    #expect(try store.open().addFavorites(["1", "2"]) == ["1"])
    favorites = try store.open().favorites()
    #expect(favorites.map(\.restaurant.name) == ["Other", "Renamed"])
  }

  @Test func `a removed restaurant that comes again is new, and its favorite is back`() throws {
    let store = try TemporaryStore()
    try store.add(feed(1...3, of: "a", at: 10))
    try store.open().addFavorites(["1"])
    #expect(try StorePlace.file(store.path).remove(["1"], isDryRun: true).removed == 1)
    #expect(try store.restaurants().count == 3)
    #expect(try store.open().remove(ids: ["1", "1"]).removed == 1)
    #expect(try store.open().favorites().map(\.favorite?.isGone) == [true])
    #expect(throws: UnknownRestaurant.self) {
      try store.open().remove(ids: ["2", "1"])
    }
    #expect(try store.restaurants().count == 2)
    #expect(try store.add(feed(1...3, of: "a", at: 10)).inserted == 1)
    #expect(try store.open().favorites().map(\.favorite?.isGone) == [false])
  }

  @Test func `a source is renamed and removed in one transaction each`() throws {
    let store = try TemporaryStore()
    try store.add(feed(1...3, of: "a", at: 10))
    try store.add(feed(1...3, of: "b", at: 20))
    try store.open().addFavorites(["b:1"])
    let ids = try store.restaurants().map(\.id)
    #expect(try RestaurantStore.renameSource("b", to: "c", in: store.path).generation == 3)
    #expect(try store.restaurants().map(\.id) == ids)
    #expect(try store.open().favorites().first?.restaurant.source == "c")
    #expect(Verification.examine(path: store.path).allSatisfy { $0.isGood })
    var renamed = feed(1...3, of: "b", at: 20)
    for place in renamed.restaurants.indices { renamed.restaurants[place].source = "c" }
    #expect(try store.add(Feeds.of(renamed.restaurants, source: "c")).unchanged == 3)
    for (old, new) in [("b", "d"), ("c", "a"), ("c", "")] {
      let error = store.error {
        try RestaurantStore.renameSource(old, to: new, in: store.path)
      }
      #expect(error?.kind == .source)
    }
    #expect(try RestaurantStore.removeSource("a", from: store.path).generation == 4)
    #expect(try store.restaurants().map(\.source) == ["c", "c", "c"])
    let gone = store.error { try RestaurantStore.removeSource("a", from: store.path) }
    #expect(gone?.kind == .source)
    #expect(Verification.examine(path: store.path).allSatisfy { $0.isGood })
  }

  @Test(arguments: ImportOptions.Duplicates.allCases)
  func `of rows that repeat an id the first or the last counts`(
    _ duplicates: ImportOptions.Duplicates
  ) throws {
    let store = try TemporaryStore()
    var twice = feed([1, 2, 1, 1], of: "a", at: 10)
    for place in twice.restaurants.indices { twice.restaurants[place].name = "n\(place)" }
    let choose = { (options: inout ImportOptions) in options.duplicates = duplicates }
    let report = try store.add(twice, choose)
    #expect(report.inserted == 2)
    #expect(report.repeated == (duplicates == .reject ? 0 : 2))
    #expect(report.rejectedCount == (duplicates == .reject ? 2 : 0))
    #expect(try store.restaurants()[0].name == (duplicates == .last ? "n3" : "n0"))
    let again = try store.add(twice, choose)
    #expect(again.unchanged == 2 && again.updated == 0 && again.generation == 1)
    twice.restaurants[3].name = "new"
    let changed = try store.add(twice, choose)
    #expect(changed.updated == (duplicates == .last ? 1 : 0))
    #expect(try store.restaurants()[0].name == (duplicates == .last ? "new" : "n0"))
    #expect(Verification.examine(path: store.path).allSatisfy { $0.isGood })
  }
}
