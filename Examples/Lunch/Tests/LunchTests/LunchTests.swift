import Foundation
import GeoIndex
import Testing

@testable import Lunch

/// The screens over the feed that ships with geoq.
@MainActor
final class LunchTests {
  private let folder = FileManager.default.temporaryDirectory
    .appendingPathComponent("lunch-\(UUID().uuidString)")

  private nonisolated static let feed = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent()
    .appendingPathComponent("../../../../Data/restaurants.json").standardized

  private struct NoNetwork: LocalizedError {
    var errorDescription: String? { "no network" }
  }

  init() throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  deinit {
    try? FileManager.default.removeItem(at: folder)
  }

  private func presenter(
    _ fetch: @escaping @Sendable () async throws -> [UInt8] = {
      [UInt8](try Data(contentsOf: feed))
    }
  ) -> LunchPresenter {
    LunchPresenter(folder: folder, fetch: fetch)
  }

  private func loaded() async -> LunchPresenter {
    let presenter = presenter()
    await presenter.load()
    return presenter
  }

  @Test func `before the feed is there, the list loads`() {
    #expect(presenter().list == .loading)
    #expect(presenter().map == .loading)
  }

  @Test func `the list has all restaurants by name`() async throws {
    let cells = try #require(await loaded().list.content)
    #expect(cells.count == 15)
    #expect(cells.prefix(2).map(\.name) == ["Buffalo Wild Wings", "Chuy's"])
    #expect(cells.map(\.name) == cells.map(\.name).sorted())
    #expect(cells[0].distance == nil)
    #expect(cells[0].image?.lastPathComponent.hasSuffix(".png") == true)
  }

  @Test func `with a location the nearest come first, with rounded distances`() async throws {
    let presenter = await loaded()
    presenter.location = Coordinate(latitude: 32.9299, longitude: -96.8206)
    presenter.order = .nearest
    let cells = try #require(presenter.list.content)
    #expect(cells.prefix(2).map(\.name) == ["Yard House", "Hopdoddy Burger Bar"])
    #expect(cells.first?.distance?.hasSuffix("km") == true)
    presenter.order = .category
    #expect(presenter.list.content?.first?.category == "Bar and Grill")
  }

  @Test func `a search that finds nothing says so, and can be cleared`() async {
    let presenter = await loaded()
    presenter.search = "glorias"
    #expect(presenter.list.content?.map(\.name) == ["Gloria's"])
    presenter.search = "xyzzy"
    guard case .empty(let message) = presenter.list else {
      Issue.record("\(presenter.list)")
      return
    }
    #expect(message.action == .clearSearch)
    #expect(presenter.map == .empty(message))
  }

  @Test func `an empty feed is empty, and a broken one an error`() async {
    let empty = presenter { Array(#"{"restaurants": []}"#.utf8) }
    await empty.load()
    guard case .empty(let message) = empty.list else {
      Issue.record("\(empty.list)")
      return
    }
    #expect(message.action == .retry)
  }

  @Test func `without network and without a saved feed the list has the reason`() async {
    let presenter = presenter { throw NoNetwork() }
    await presenter.load()
    let message = Message(
      title: "Cannot load restaurants",
      detail: "no network",
      action: .retry
    )
    #expect(presenter.list == .failed(message))
    #expect(presenter.plan != .failed(message))
  }

  @Test func `without network the saved feed is shown with its date`() async {
    _ = await loaded()
    let offline = presenter { throw NoNetwork() }
    await offline.load()
    guard case .offline(let cells, let date) = offline.list else {
      Issue.record("\(offline.list)")
      return
    }
    #expect(cells.count == 15)
    #expect(abs(date.timeIntervalSinceNow) < 3_600)
    let broken = presenter { Array("<html>".utf8) }
    await broken.load()
    #expect(broken.list == .offline(cells, since: date))
  }

  @Test func `the map has a pin for each restaurant of the list, and the box around them`()
    async throws
  {
    let presenter = await loaded()
    presenter.search = "burger"
    let cells = try #require(presenter.list.content)
    let map = try #require(presenter.map.content)
    #expect(map.pins.map(\.id) == cells.map(\.id))
    #expect(map.pins.allSatisfy { map.box.contains($0.coordinate) })
  }

  @Test func `the detail has the sections that the restaurant has`() async throws {
    let presenter = await loaded()
    let id = try #require(presenter.list.content?.first { $0.name == "Hopdoddy Burger Bar" }?.id)
    let sections = try #require(presenter.detail(id).content)
    #expect(sections.map(\.id) == [.map, .title, .address, .contact])
    #expect(
      sections[2]
        == .address(["5100 Belt Line Road, STE 502 (Dallas North Tollway)", "Addison, TX 75254"])
    )
    #expect(
      sections[3]
        == .contact([
          ContactProperties(title: "(972) 387-2337", link: URL(string: "tel:9723872337")),
          ContactProperties(title: "@hopdoddy", link: URL(string: "https://twitter.com/hopdoddy")),
        ])
    )
    guard case .empty = presenter.detail("unknown") else {
      Issue.record("an unknown restaurant has a detail")
      return
    }
  }

  @Test func `hours open and close`() async throws {
    let text =
      #"{"restaurants": [{"id": "1", "name": "A", "hours": "Mo-Fr 11:00-14:00; Sa off", "#
      + #""location": {"lat": 1, "lng": 2}}]}"#
    let presenter = presenter { Array(text.utf8) }
    await presenter.load()
    func hours() -> Expandable<String>? {
      presenter.detail("1").content?.lazy.compactMap { section in
        if case .hours(let lines) = section { lines } else { nil }
      }.first
    }
    #expect(hours()?.items == ["Mo-Fr 11:00-14:00", "Sa off"])
    #expect(hours()?.shown == [])
    presenter.toggle(DetailSection.Kind.hours)
    #expect(hours()?.shown.count == 2)
  }

  @Test func `favorites outlive the app and the feed`() async throws {
    let presenter = await loaded()
    #expect(presenter.favorites.content == nil)
    let ids = try #require(presenter.list.content).map(\.id)
    presenter.toggleFavorite(ids[3])
    presenter.toggleFavorite(ids[1])
    presenter.toggleFavorite(ids[2])
    presenter.toggleFavorite(ids[2])
    #expect(presenter.notice?.hasPrefix("Removed") == true)
    #expect(presenter.favorites.content?.map(\.id) == [ids[1], ids[3]])
    #expect(presenter.list.content?.map(\.isFavorite).prefix(4) == [false, true, false, true])

    let other = LunchPresenter(folder: folder) { Array(#"{"restaurants": []}"#.utf8) }
    await other.load()
    let gone = try #require(other.favorites.content)
    #expect(gone.map(\.id) == [ids[3], ids[1]])
    #expect(gone.allSatisfy { $0.note == "no longer listed" && $0.isFavorite })
    #expect(other.detail(ids[3]).content?.map(\.id).first == .map)
  }

  @Test func `the plan has the places for all wants, and tells what no place has`() async throws {
    let presenter = await loaded()
    guard case .empty = presenter.plan else {
      Issue.record("there is a plan without wants")
      return
    }
    #expect(presenter.addWant("Burgers"))
    #expect(presenter.addWant(" Seafood "))
    #expect(presenter.addWant("Sushi"))
    #expect(!presenter.addWant("Burgers"))
    #expect(!presenter.addWant(" "))
    #expect(presenter.wants == ["Burgers", "Seafood", "Sushi"])
    let sections = try #require(presenter.plan.content)
    #expect(sections.map(\.title) == ["places (2)", "met (2)", "not met (1)"])
    guard case .plan(let places) = sections[0], case .met(let met) = sections[1],
      case .unmet(let unmet) = sections[2]
    else {
      Issue.record("\(sections)")
      return
    }
    #expect(Set(places.flatMap(\.meets)) == ["Burgers", "Seafood"])
    #expect(met.shown.map(\.id) == ["Burgers", "Seafood"])
    #expect(unmet.shown.isEmpty)
    #expect(unmet.items == [WantItem(id: "Sushi", outcome: "no place has it")])
    presenter.toggle(WantsSection.Kind.unmet)
    presenter.removeWant("Burgers")
    #expect(self.presenter().wants == ["Seafood", "Sushi"])
  }

  @Test func `the order outlives the app`() async {
    let presenter = await loaded()
    presenter.order = .rating
    #expect(self.presenter().order == .rating)
  }
}

struct ImageCacheTests {
  private func address(_ number: Int) -> URL { URL(fileURLWithPath: "/\(number).png") }

  @Test func `of 51 pictures the oldest goes`() {
    var cache = ImageCache<Int>()
    for number in 0..<51 { cache.insert(number, for: address(number)) }
    #expect(cache.count == 50)
    #expect(cache[address(0)] == nil)
    #expect((1..<51).allSatisfy { cache[address($0)] == $0 })
  }

  @Test func `a picture that comes again is young again; one that is looked at is not`() {
    var cache = ImageCache<Int>(capacity: 2)
    cache.insert(1, for: address(1))
    cache.insert(2, for: address(2))
    _ = cache[address(2)]
    cache.insert(10, for: address(1))
    cache.insert(3, for: address(3))
    #expect(cache[address(1)] == 10)
    #expect(cache[address(2)] == nil)
    #expect(cache.count == 2)
  }

  @Test func `a picture is fetched once, and an error is not kept`() async throws {
    actor Counter {
      var count = 0
      func next() -> Int {
        count += 1
        return count
      }
    }
    struct Failed: Error {}
    let counter = Counter()
    let loader = ImageLoader { _ in
      if await counter.next() == 1 { throw Failed() }
      return Data([7])
    }
    await #expect(throws: Failed.self) { try await loader.image(at: address(1)) }
    let images = try await withThrowingTaskGroup(of: Data.self) { group in
      for _ in 0..<8 {
        group.addTask { try await loader.image(at: URL(fileURLWithPath: "/1.png")) }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(images == Array(repeating: Data([7]), count: 8))
    #expect(await counter.count == 2)
  }
}
