import Foundation
import GeoIndex
import TestSupport
import Testing

@testable import GeoFeed
@testable import GeoQuery
@testable import GeoStore

/// Random histories of three sources with overlapping ids, against a model.
///
/// `GEOQ_HISTORIES` says how many; 2 000 are the long form.
struct SourceHistoryTests {
  private static let count =
    ProcessInfo.processInfo.environment["GEOQ_HISTORIES"].flatMap(Int.init) ?? 8

  @Test func `whatever happens to three sources, the store has what the model has`() throws {
    for number in 0..<Self.count {
      var history = try SourceHistory(number: number)
      for _ in 0..<8 {
        try history.step()
        let found = try history.store.restaurants().map(SourceHistory.Row.init)
        #expect(found == history.expected, "history \(number): \(history.log)")
        guard found == history.expected else { return }
      }
      // and what is exported comes back unchanged
      let all = try history.store.restaurants()
      let copy = try TemporaryStore()
      try copy.add(Feeds.of(all, source: "export")) { $0.allowsShrinking = true }
      #expect(try copy.restaurants() == all, "history \(number): \(history.log)")
      let findings = Verification.examine(path: history.store.path)
      #expect(findings.allSatisfy { $0.isGood }, "history \(number): \(history.log) \(findings)")
    }
  }
}

/// One history, and the store that it has led to.
private struct SourceHistory {
  /// A restaurant as store and model have it.
  struct Row: Equatable {
    let id: String
    let source: String
    let ownID: String
    let name: String

    init(id: String, source: String, ownID: String, name: String) {
      (self.id, self.source, self.ownID, self.name) = (id, source, ownID, name)
    }

    init(_ restaurant: Restaurant) {
      id = restaurant.id
      source = restaurant.source
      ownID = restaurant.sourceID ?? restaurant.id
      name = restaurant.name
    }
  }

  let store: TemporaryStore
  private(set) var log: [String] = []
  private var random: SplitMix64
  private var rows: [Row] = []
  private var sources = ["a", "b", "c"]
  // ids that meet those which scoping makes as well
  private static let ids = (1...6).map(String.init) + ["a:1", "a:1~2", "b:2", "a"]

  init(number: Int) throws {
    store = try TemporaryStore()
    random = SplitMix64(stream: "sources \(number)")
    try importFeed()
  }

  var expected: [Row] { rows.sorted { UTF8Key($0.id) < UTF8Key($1.id) } }

  mutating func step() throws {
    switch Int.random(in: 0..<8, using: &random) {
    case 0: try rename()
    case 1: try removeSource()
    case 2: try removeRestaurants()
    default: try importFeed()
    }
  }

  private mutating func importFeed() throws {
    let source = sources[Int.random(in: 0..<3, using: &random)]
    let ids = Self.ids.filter { _ in Bool.random(using: &random) }.shuffled(using: &random)
    let restaurants = ids.map { id in
      var restaurant = Restaurant.plain(id, source: source)
      restaurant.name = "\(id) \(Int.random(in: 0..<3, using: &random))"
      return restaurant
    }
    log.append("import \(source) \(restaurants.map(\.name))")
    try store.add(Feeds.of(restaurants, source: source)) {
      ($0.allowsShrinking, $0.allowsReplacing, $0.allowsDuplicates) = (true, true, true)
    }
    for restaurant in restaurants {
      let place = rows.firstIndex { $0.source == source && $0.ownID == restaurant.id }
      let id = place.map { rows[$0].id } ?? publicID(restaurant.id, source)
      if let place { rows.remove(at: place) }
      rows.append(Row(id: id, source: source, ownID: restaurant.id, name: restaurant.name))
    }
    rows.removeAll { $0.source == source && !ids.contains($0.ownID) }
  }

  private func publicID(_ id: String, _ source: String) -> String {
    let taken = Set(rows.map(\.id))
    let base = "\(source):\(id)"
    let others = (2...20).map { "\(base)~\($0)" }
    return ([id, base] + others).first { !taken.contains($0) } ?? ""
  }

  private mutating func rename() throws {
    let place = Int.random(in: 0..<3, using: &random)
    let (old, new) = (sources[place], sources[place] + "'")
    guard rows.contains(where: { $0.source == old }) else { return }
    log.append("rename \(old)")
    try RestaurantStore.renameSource(old, to: new, in: store.path)
    sources[place] = new
    rows = rows.map {
      $0.source == old ? Row(id: $0.id, source: new, ownID: $0.ownID, name: $0.name) : $0
    }
  }

  private mutating func removeSource() throws {
    let source = sources[Int.random(in: 0..<3, using: &random)]
    guard rows.contains(where: { $0.source == source }) else { return }
    log.append("remove source \(source)")
    try RestaurantStore.removeSource(source, from: store.path)
    rows.removeAll { $0.source == source }
  }

  private mutating func removeRestaurants() throws {
    let ids = rows.map(\.id).filter { _ in Int.random(in: 0..<4, using: &random) == 0 }
    guard !ids.isEmpty else { return }
    log.append("remove \(ids)")
    try store.open().remove(ids: ids)
    rows.removeAll { ids.contains($0.id) }
  }
}
