public import Foundation
import GeoFeed
import GeoIndex
import GeoQuery
public import Observation

/// Turns the feed, and what a person has chosen, into the properties of the app's screens.
///
/// It has the state; views have none but what is on the screen anyway.
@MainActor
@Observable
public final class LunchPresenter {
  /// The orders of list and favorites.
  enum SortOrder: String, CaseIterable, Codable, Sendable {
    case nearest, name, category, rating
  }

  /// The words to search for; all of them must begin a word of name, category, address or city.
  var search = ""

  /// Where the person is; nil if that is not known.
  var location: Coordinate?

  /// The order of list and favorites.
  var order = SortOrder.name { didSet { save() } }

  /// What was done last, to be shown for a moment: `Added to favorites`.
  var notice: String?

  /// What the person wants to find together.
  var wants: [String] { saved.wants }

  private enum Phase {
    case loading
    case failed(String)
    case current(QueryEngine)
    case offline(QueryEngine, since: Date)
  }

  /// What outlives the app.
  private struct Saved: Codable {
    /// Whole restaurants, because a favorite may leave the feed.
    var favorites: [Restaurant] = []
    var wants: [String] = []
    var order = SortOrder.name
  }

  private var phase = Phase.loading
  private var saved = Saved()
  private var expanded: Set<String> = [WantsSection.Kind.met.rawValue]

  @ObservationIgnored private let folder: URL
  @ObservationIgnored private let fetch: @Sendable () async throws -> [UInt8]

  private var snapshotFile: URL { folder.appendingPathComponent("lunch.geoqx") }
  private var savedFile: URL { folder.appendingPathComponent("lunch.json") }

  /// Makes a presenter.
  ///
  /// - Parameters:
  ///   - folder: A folder of the app's own, for the last feed, the favorites and the wants.
  ///   - fetch: Gets the bytes of the feed.
  public init(folder: URL, fetch: @escaping @Sendable () async throws -> [UInt8]) {
    self.folder = folder
    self.fetch = fetch
    if let data = try? Data(contentsOf: savedFile),
      let found = try? JSONDecoder().decode(Saved.self, from: data)
    {
      saved = found
      order = found.order
    }
  }

  // MARK: What a person does

  /// Loads the feed; until it is there, the saved one is shown.
  func load() async {
    if engine == nil, let snapshot = try? Snapshot(path: snapshotFile.path) {
      phase = .offline(QueryEngine(snapshot), since: savedDate)
    }
    do {
      let snapshot = try await Self.snapshot(of: fetch(), at: snapshotFile.path)
      phase = .current(QueryEngine(snapshot))
    } catch {
      if let engine {
        phase = .offline(engine, since: savedDate)
      } else {
        phase = .failed((error as? any LocalizedError)?.errorDescription ?? "\(error)")
      }
    }
  }

  /// Reads a feed and keeps it as a snapshot; not on the main actor.
  private nonisolated static func snapshot(
    of bytes: [UInt8],
    at path: String
  ) async throws -> Snapshot {
    let feed = try FeedReader(source: "lunch").read(bytes)
    try await Snapshot.write(feed.restaurants, to: path)
    return try Snapshot(path: path)
  }

  /// Adds a restaurant to the favorites, or removes it.
  func toggleFavorite(_ id: String) {
    if let index = saved.favorites.firstIndex(where: { $0.id == id }) {
      let name = saved.favorites.remove(at: index).name
      notice = "Removed \(name) from favorites"
    } else if let restaurant = restaurant(id) {
      saved.favorites.append(restaurant)
      notice = "Added \(restaurant.name) to favorites"
    }
    save()
  }

  /// Adds a want, such as `Burgers` or `Thai, rating >= 4`.
  ///
  /// - Returns: False if it is empty, on the list already, or cannot be understood.
  @discardableResult
  func addWant(_ text: String) -> Bool {
    let text = text.trimmingCharacters(in: .whitespaces)
    do {
      guard !text.isEmpty, !saved.wants.contains(text) else { return false }
      _ = try Want(parsing: text)
    } catch {
      notice = error.description
      return false
    }
    saved.wants.append(text)
    save()
    return true
  }

  /// Removes a want.
  func removeWant(_ text: String) {
    saved.wants.removeAll { $0 == text }
    save()
  }

  /// Opens or closes a section.
  func toggle(_ section: DetailSection.Kind) {
    expanded.formSymmetricDifference([section.rawValue])
  }

  /// Opens or closes a section.
  func toggle(_ section: WantsSection.Kind) {
    expanded.formSymmetricDifference([section.rawValue])
  }

  // MARK: What the screens show

  /// The list: all restaurants that match the search.
  var list: ScreenState<[CellProperties]> {
    state.map { feed in
      cells(feed, Filter(text: search))
    } empty: { feed in
      if feed.snapshot.count == 0 {
        return Message(title: "No restaurants", detail: "The feed is empty.", action: .retry)
      }
      let found = try? feed.engine.count(Query(.everywhere, matching: Filter(text: search))).total
      return found == 0
        ? Message(
          title: "Nothing found",
          detail: "No restaurant has “\(search)”.",
          action: .clearSearch
        )
        : nil
    }
  }

  /// The map: the restaurants of the list.
  var map: ScreenState<MapProperties> {
    list.map { cells in
      let pins = cells.compactMap { cell in restaurant(cell.id).map(pin) }
      return MapProperties(
        pins: pins,
        box: BoundingBox(enclosing: pins.map(\.coordinate)) ?? .world
      )
    } empty: { _ in
      nil
    }
  }

  /// The favorites, in the order of the list; those that have left the feed last.
  var favorites: ScreenState<[CellProperties]> {
    guard !saved.favorites.isEmpty else {
      return .empty(
        Message(title: "No favorites", detail: "Tap the heart of a restaurant.", action: .browse)
      )
    }
    return state.map { feed in
      let there = cells(feed, Filter(ids: saved.favorites.map(\.id)))
      let gone = saved.favorites.filter { favorite in !there.contains { $0.id == favorite.id } }
      return there + gone.map { cell(Match(restaurant: $0), note: "no longer listed") }
    } empty: { _ in
      nil
    }
  }

  /// The detail of a restaurant; empty if neither the feed nor the favorites have it.
  func detail(_ id: String) -> ScreenState<[DetailSection]> {
    state.map { _ in
      restaurant(id).map(sections) ?? []
    } empty: { _ in
      restaurant(id) == nil
        ? Message(
          title: "Not found",
          detail: "This restaurant is no longer listed.",
          action: .browse
        )
        : nil
    }
  }

  /// The few places that together have all that is wanted.
  var plan: ScreenState<[WantsSection]> {
    guard !saved.wants.isEmpty else {
      return .empty(
        Message(
          title: "No wants",
          detail: "Add what you feel like: Burgers, Thai.",
          action: .browse
        )
      )
    }
    return state.map { feed in
      (try? sections(feed)) ?? []
    } empty: { feed in
      feed.snapshot.count == 0
        ? Message(title: "No restaurants", detail: "The feed is empty.", action: .retry) : nil
    }
  }
}

// MARK: How it is made

extension LunchPresenter {
  private var engine: QueryEngine? {
    switch phase {
    case .current(let engine), .offline(let engine, _): engine
    case .loading, .failed: nil
    }
  }

  private var state: ScreenState<LoadedFeed> {
    switch phase {
    case .loading: .loading
    case .failed(let reason):
      .failed(Message(title: "Cannot load restaurants", detail: reason, action: .retry))
    case .current(let engine): .current(LoadedFeed(engine: engine))
    case .offline(let engine, let date): .offline(LoadedFeed(engine: engine), since: date)
    }
  }

  private var savedDate: Date {
    let facts = try? FileManager.default.attributesOfItem(atPath: snapshotFile.path)
    return facts?[.modificationDate] as? Date ?? .distantPast
  }

  private func save() {
    saved.order = order
    try? JSONEncoder().encode(saved).write(to: savedFile, options: .atomic)
  }

  private func restaurant(_ id: String) -> Restaurant? {
    (try? engine?.snapshot.restaurant(id: id)) ?? saved.favorites.first { $0.id == id }
  }

  private func isFavorite(_ id: String) -> Bool { saved.favorites.contains { $0.id == id } }

  private func cells(_ feed: LoadedFeed, _ filter: Filter) -> [CellProperties] {
    let everywhere = location.map { Query.Region.radius(.infinity, of: $0) } ?? .everywhere
    let keys: Order? =
      switch order {
      case .nearest: location == nil ? Order(by: .name) : nil
      case .name: Order(by: .name)
      case .category: Order(by: .category)
      case .rating: Order(by: .rating, descending: true)
      }
    let query = Query(everywhere, matching: filter, in: keys)
    let matches = try? feed.engine.page(query).matches
    return (matches ?? []).map { cell($0) }
  }

  private func cell(_ match: Match, note: String? = nil) -> CellProperties {
    let restaurant = match.restaurant
    return CellProperties(
      id: restaurant.id,
      name: restaurant.name,
      category: restaurant.category ?? "",
      distance: match.distance.map(Self.text),
      image: restaurant.imageURL.flatMap { URL(string: $0) },
      isFavorite: isFavorite(restaurant.id),
      note: note ?? (restaurant.closed ? "closed for good" : nil)
    )
  }

  private func pin(_ restaurant: Restaurant) -> PinProperties {
    PinProperties(
      id: restaurant.id,
      title: restaurant.name,
      coordinate: restaurant.coordinate,
      isFavorite: isFavorite(restaurant.id)
    )
  }

  private func sections(_ restaurant: Restaurant) -> [DetailSection] {
    func expandable(_ lines: [String], _ kind: DetailSection.Kind) -> Expandable<String> {
      Expandable(items: lines, isExpanded: expanded.contains(kind.rawValue))
    }
    let distance = location.map { $0.distance(to: restaurant.coordinate) }
    var sections: [DetailSection] = [
      .map(pin(restaurant)),
      .title(cell(Match(restaurant: restaurant, distance: distance))),
    ]
    let address = restaurant.address
    let street = address.formatted.isEmpty ? [address.street, address.city].compactMap(\.self) : []
    let lines = street + address.formatted.prefix(2)
    if !lines.isEmpty { sections.append(.address(lines)) }
    let contact = Self.contact(restaurant)
    if !contact.isEmpty { sections.append(.contact(contact)) }
    if let hours = restaurant.hours {
      let lines = hours.split(separator: ";").map { $0.trimmingCharacters(in: .whitespaces) }
      sections.append(.hours(expandable(lines, .hours)))
    }
    let about = [restaurant.description, restaurant.website].compactMap(\.self)
    if !about.isEmpty { sections.append(.about(expandable(about, .about))) }
    return sections
  }

  private static func contact(_ restaurant: Restaurant) -> [ContactProperties] {
    let contact = restaurant.contact
    var items: [ContactProperties] = []
    if let phone = contact.formattedPhone ?? contact.phone {
      let digits = (contact.phone ?? phone).filter { $0.isASCII && ($0.isNumber || $0 == "+") }
      items.append(ContactProperties(title: phone, link: URL(string: "tel:\(digits)")))
    }
    if let name = contact.twitter {
      let link = URL(string: "https://twitter.com/")?.appendingPathComponent(name)
      items.append(ContactProperties(title: "@\(name)", link: link))
    }
    return items
  }

  private func sections(_ feed: LoadedFeed) throws -> [WantsSection] {
    let snapshot = feed.engine.snapshot
    guard let center = location ?? snapshot.extent.flatMap(\.center) else { return [] }
    let wants = try Want.list(saved.wants)
    let cover = try feed.engine.cover(CoverQuery(near: center, wants: wants))
    let places = try cover.places.map { place in
      let match = Match(
        restaurant: try snapshot.restaurant(at: place.position),
        distance: location == nil ? nil : place.distance
      )
      return PlanItem(cell: cell(match), meets: place.meets.map { wants[$0].label })
    }
    func items(_ isMet: Bool) throws -> Expandable<WantItem> {
      let kind = isMet ? WantsSection.Kind.met : .unmet
      let items = try cover.wants.filter { ($0.unmet == nil) == isMet }.map { want in
        let name = try (want.by ?? want.nearest?.index).map { try snapshot.restaurant(at: $0).name }
        return WantItem(
          id: want.label,
          outcome: name.map { isMet ? "at \($0)" : "nearest: \($0)" } ?? "no place has it"
        )
      }
      return Expandable(items: items, isExpanded: expanded.contains(kind.rawValue))
    }
    return [.plan(places), .met(try items(true)), .unmet(try items(false))].filter { section in
      switch section {
      case .plan(let items): !items.isEmpty
      case .met(let wants), .unmet(let wants): !wants.items.isEmpty
      }
    }
  }

  private static func text(_ meters: Double) -> String {
    meters < 1_000
      ? "\(Int((meters / 10).rounded()) * 10) m" : "\((meters / 100).rounded() / 10) km"
  }
}

/// An engine as the content of a state: equal if it is the same.
private struct LoadedFeed: Equatable, Sendable {
  let engine: QueryEngine
  var snapshot: Snapshot { engine.snapshot }

  static func == (one: LoadedFeed, other: LoadedFeed) -> Bool { one.snapshot === other.snapshot }
}

extension BoundingBox {
  /// The position in the middle.
  fileprivate var center: Coordinate? {
    let width = east - west + (crossesAntimeridian ? 360 : 0)
    let longitude = west + width / 2
    return Coordinate(
      latitude: (south + north) / 2,
      longitude: longitude > 180 ? longitude - 360 : longitude
    )
  }
}
