import Foundation
import GeoQuery
package import GeoStore
import NIOConcurrencyHelpers

/// The generation that is being served, and its replacement by the next one.
///
/// Requests read `current` once and hold it until they end. If the next one cannot be opened, the
/// old one stays.
package final class LiveData: Sendable {
  /// What is being served, and what is known of it.
  struct State: Sendable {
    fileprivate(set) var generation: ServedGeneration
    fileprivate var since = ContinuousClock.now
    fileprivate var confirmed: ContinuousClock.Instant?
    fileprivate var isBehind = false

    /// Why the last generation could not be served: a word, without paths; nil if it could.
    fileprivate(set) var lastProblem: String?

    fileprivate init(generation: ServedGeneration) {
      self.generation = generation
    }

    /// How long the generation has been served.
    var age: Duration { since.duration(to: .now) }

    /// How long ago the generation was last known to be the store's; zero if no store is followed.
    var unconfirmed: Duration { confirmed?.duration(to: .now) ?? .zero }

    /// The same if the store is known to be away or ahead; nil if it is not.
    var staleness: Duration? { isBehind || lastProblem != nil ? unconfirmed : nil }
  }

  private let slot: NIOLockedValueBox<State>

  /// Serves a snapshot, for tests.
  init(_ snapshot: Snapshot, _ extras: ServedExtras = ServedExtras()) {
    slot = NIOLockedValueBox(State(generation: ServedGeneration(snapshot, extras)))
  }

  /// Serves the current contents of a store.
  ///
  /// - Parameter place: Where the store is.
  /// - Throws: `StoreError` if it cannot be read, `SnapshotError` if it has no snapshot and none can be
  ///   written.
  /// - Complexity: O(1); O(n log n) if the snapshot has to be made.
  package init(_ place: StorePlace) throws {
    let store = try place.open()
    defer { try? store.close() }
    let generation = ServedGeneration(try store.snapshot(), try ServedExtras(of: store))
    slot = NIOLockedValueBox(State(generation: generation))
  }

  /// Serves the newest snapshot that this machine has of a store in PostgreSQL; nil if there is none.
  ///
  /// The server is not asked, so offers and credits are not known.
  ///
  /// - Complexity: O(1).
  package init?(cachedOf place: StorePlace) {
    guard let (snapshot, age) = place.cachedSnapshot() else { return nil }
    var first = State(generation: ServedGeneration(snapshot, ServedExtras(book: nil)))
    first.confirmed = .now - age
    slot = NIOLockedValueBox(first)
  }

  /// The generation that requests are answered from.
  var current: ServedGeneration { slot.withLockedValue { $0.generation } }

  /// The generation that requests are answered from, and its age if it is known not to be the newest.
  var served: (generation: ServedGeneration, staleness: Duration?) {
    slot.withLockedValue { ($0.generation, $0.staleness) }
  }

  var state: State { slot.withLockedValue { $0 } }

  /// Serves another snapshot from now on, with the same extras unless others are given.
  func replace(with snapshot: Snapshot, _ extras: ServedExtras? = nil) {
    replace(with: ServedGeneration(snapshot, extras ?? current.extras))
  }

  /// Serves the same snapshot with other extras from now on.
  func replace(with extras: ServedExtras) {
    let served = current
    replace(with: ServedGeneration(served.snapshot, extras, like: served))
  }

  private func replace(with generation: ServedGeneration) {
    slot.withLockedValue { slot in
      let isFollowed = slot.confirmed != nil
      slot = State(generation: generation)
      if isFollowed { slot.confirmed = .now }
    }
  }

  /// Records that the next generation could not be served.
  func keep(because problem: String) {
    slot.withLockedValue { $0.lastProblem = problem }
  }

  /// Notes that the store holds what is served.
  func confirm() {
    slot.withLockedValue { slot in
      slot.confirmed = .now
      slot.lastProblem = nil
      slot.isBehind = false
    }
  }

  /// Notes that the store holds something newer, which is not here yet.
  func fallBehind() {
    slot.withLockedValue { $0.isBehind = true }
  }
}

/// What is served with a snapshot, and changes without a new one.
struct ServedExtras: Sendable {
  /// The offers and chains; nil if no store has told them yet.
  var book: OfferBook? = .empty

  /// The credits of the sources.
  var credits = Credits.none

  /// The saved areas by name.
  var areas: [AreaOutline] = []
}

extension ServedExtras {
  /// Those of a store; outlines that are known already are not read again.
  init(of store: any Store, knowing areas: [AreaOutline] = []) throws {
    self.init(
      book: try store.offerBook(),
      credits: try store.credits(),
      areas: try store.areaBook(areas)
    )
  }
}

/// The data that one request is answered from, from its first byte to its last.
///
/// A reference: each request holds it as long as it runs, and the file is unmapped with the last
/// one.
final class ServedGeneration: Sendable {
  /// Answers queries over the snapshot.
  let engine: QueryEngine

  let extras: ServedExtras

  /// The offers and chains; none if they are not known.
  var book: OfferBook { extras.book ?? .empty }

  var credits: Credits { extras.credits }

  var areas: [AreaOutline] { extras.areas }

  /// The time since which the snapshot is served (RFC 3339).
  let servedSince: String

  private let places: Lazy<OfferPlaces>

  private let choices: Lazy<PageChoices>

  /// Serves a snapshot from now on; or that of another generation, with other extras.
  init(
    _ snapshot: Snapshot,
    _ extras: ServedExtras = ServedExtras(),
    like other: ServedGeneration? = nil
  ) {
    let engine = other?.engine ?? QueryEngine(snapshot)
    self.engine = engine
    self.extras = extras
    servedSince = other?.servedSince ?? Date().formatted(.iso8601)
    choices = other?.choices ?? Lazy { PageChoices(engine) }
    places = Lazy { OfferPlaces(engine, extras.book ?? .empty) }
  }

  var snapshot: Snapshot { engine.snapshot }

  /// Counts the changes of restaurants, by imports and by edits.
  var number: Int { snapshot.generation }

  /// Distinguishes this generation from those of other stores and other histories.
  var edition: UInt64 { snapshot.storeID }

  /// What the page offers to choose from.
  ///
  /// - Complexity: O(n) the first time.
  func pageChoices() -> PageChoices { choices() }

  /// The saved area with a name.
  ///
  /// - Throws: `QueryError` if there is none.
  func area(named name: String) throws(QueryError) -> AreaOutline {
    if let area = areas.first(where: { $0.saved.name.isUTF8Equal(to: name) }) { return area }
    let names = areas.map(\.saved.name)
    let similar = closest(to: name, among: names).map { "; did you mean \(quoted($0))?" }
    let all = names.isEmpty ? "" : "; there are \(names.prefix(20).joined(separator: ", "))"
    throw QueryError("within", "there is no saved area \(quoted(name))\(similar ?? all)")
  }

  /// All saved areas by name.
  ///
  /// - Complexity: O(vertices) the first time.
  func namedAreas() throws(QueryError) -> [NamedArea] {
    try areas.map { area throws(QueryError) in NamedArea(area.saved.name, try area.area().area) }
  }

  /// The offers and chains.
  ///
  /// - Throws: `Problem` 503 if they are not known.
  func offers() throws(Problem) -> OfferBook {
    guard let book = extras.book else {
      throw Problem.busy("the offers are not known before the store has been reached; try again")
    }
    return book
  }

  /// The places of offers, computed at the first use so that the start does not wait.
  ///
  /// - Throws: `Problem` 503 if the offers are not known.
  /// - Complexity: O(n) the first time.
  func offerPlaces() throws(Problem) -> OfferPlaces {
    _ = try offers()
    return places()
  }
}

/// What a page with these restaurants offers to choose from.
struct PageChoices: Sendable {
  /// The orders by keys that some restaurant has.
  let orders: [Order]

  /// Whether some restaurant has opening hours.
  let hasHours: Bool

  /// The categories that nearly all restaurants have, such as `restaurant`; no choice is made by them.
  private let common: Set<UTF8Key>

  init(_ engine: QueryEngine) {
    orders = Order.offered.filter { $0.terms.allSatisfy { engine.snapshot.hasValues(of: $0.key) } }
    hasHours = engine.snapshot.hasHours
    let facets = (try? engine.facets(by: .category, of: Query(.everywhere))) ?? []
    common = Set(
      facets.lazy.filter { $0.count * 10 >= engine.snapshot.count * 9 }
        .compactMap(\.value).map { UTF8Key(folded($0)) }
    )
  }

  /// The categories to choose from, with their numbers of restaurants, in the order of the facets.
  func categories(_ facets: [Facet]) -> [(name: String, count: Int)] {
    facets.compactMap { facet in
      facet.value.flatMap { common.contains(UTF8Key(folded($0))) ? nil : ($0, facet.count) }
    }
  }
}
