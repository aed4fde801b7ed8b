import Foundation
package import GeoQuery
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

  /// Serves a snapshot, offers if they are known, and saved areas.
  package init(
    _ snapshot: Snapshot,
    _ book: OfferBook? = .empty,
    credits: Credits = .none,
    areas: [AreaOutline] = []
  ) {
    let generation = ServedGeneration(snapshot, book, credits, areas)
    slot = NIOLockedValueBox(State(generation: generation))
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
    let (snapshot, book) = (try store.snapshot(), try store.offerBook())
    let generation = ServedGeneration(
      snapshot,
      book,
      try store.credits(),
      try store.areaBook()
    )
    slot = NIOLockedValueBox(State(generation: generation))
  }

  /// Serves the newest snapshot that this machine has of a store in PostgreSQL; nil if there is none.
  ///
  /// The server is not asked, so offers and credits are not known.
  ///
  /// - Complexity: O(1).
  package init?(cachedOf place: StorePlace) {
    guard let (snapshot, age) = place.cachedSnapshot() else { return nil }
    var first = State(generation: ServedGeneration(snapshot, nil))
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

  /// Serves another snapshot from now on, with the same offers, credits and areas unless others are
  /// given.
  func replace(
    with snapshot: Snapshot,
    _ book: OfferBook? = nil,
    _ credits: Credits? = nil,
    _ areas: [AreaOutline]? = nil
  ) {
    let old = current
    replace(
      with: ServedGeneration(
        snapshot,
        book ?? old.knownBook,
        credits ?? old.credits,
        areas ?? old.areas
      )
    )
  }

  /// Serves the same snapshot with other offers from now on, and with other credits and areas if they are
  /// given.
  func replace(
    with book: OfferBook,
    _ credits: Credits? = nil,
    _ areas: [AreaOutline]? = nil
  ) {
    let old = current
    replace(with: ServedGeneration(old, book, credits ?? old.credits, areas ?? old.areas))
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

/// The data that one request is answered from, from its first byte to its last.
///
/// A reference: each request holds it as long as it runs, and the file is unmapped with the last
/// one.
final class ServedGeneration: Sendable {
  /// Answers queries over the snapshot.
  let engine: QueryEngine

  /// The offers and chains, which change without a new snapshot; nil if no store has told them yet.
  let knownBook: OfferBook?

  /// The offers and chains; none if they are not known.
  var book: OfferBook { knownBook ?? .empty }

  /// The credits of the sources, which change without a new snapshot.
  let credits: Credits

  /// The saved areas by name, which change without a new snapshot.
  let areas: [AreaOutline]

  /// The time since which the snapshot is served (RFC 3339).
  let servedSince: String

  private let places = NIOLockedValueBox<OfferPlaces?>(nil)

  private let choices: Lazy<PageChoices>

  /// Serves a snapshot from now on.
  init(
    _ snapshot: Snapshot,
    _ book: OfferBook? = .empty,
    _ credits: Credits = .none,
    _ areas: [AreaOutline] = []
  ) {
    let engine = QueryEngine(snapshot)
    self.engine = engine
    knownBook = book
    self.credits = credits
    self.areas = areas
    servedSince = Date().formatted(.iso8601)
    choices = Lazy { PageChoices(engine) }
  }

  /// Serves the same snapshot with other offers, credits and areas.
  init(
    _ other: ServedGeneration,
    _ book: OfferBook,
    _ credits: Credits,
    _ areas: [AreaOutline]
  ) {
    engine = other.engine
    knownBook = book
    self.credits = credits
    self.areas = areas
    servedSince = other.servedSince
    choices = other.choices
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
    guard let knownBook else {
      throw Problem.busy("the offers are not known before the store has been reached; try again")
    }
    return knownBook
  }

  /// The places of offers, computed at the first use so that the start does not wait.
  ///
  /// - Throws: `Problem` 503 if the offers are not known.
  /// - Complexity: O(n) the first time.
  func offerPlaces() throws(Problem) -> OfferPlaces {
    if let known = places.withLockedValue({ $0 }) { return known }
    // not under the lock: two requests may compute the same
    let made = OfferPlaces(engine, try offers())
    places.withLockedValue { $0 = made }
    return made
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
