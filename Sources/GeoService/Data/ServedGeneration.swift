import Foundation
import GeoQuery
import NIOConcurrencyHelpers

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

  /// The time since which the snapshot is served (RFC 3339).
  let takenUp: String

  private let places = NIOLockedValueBox<OfferPlaces?>(nil)

  private let choices: Lazy<PageChoices>

  /// Serves a snapshot from now on.
  init(_ snapshot: Snapshot, _ book: OfferBook? = .empty) {
    let engine = QueryEngine(snapshot)
    self.engine = engine
    knownBook = book
    takenUp = Date().formatted(.iso8601)
    choices = Lazy { PageChoices(engine) }
  }

  /// Serves the same snapshot with other offers.
  init(_ other: ServedGeneration, _ book: OfferBook) {
    engine = other.engine
    knownBook = book
    takenUp = other.takenUp
    choices = other.choices
  }

  /// The snapshot.
  var snapshot: Snapshot { engine.snapshot }

  /// Counts the changes of restaurants, by imports and by edits.
  var number: Int { snapshot.generation }

  /// Distinguishes this generation from those of other stores and other histories.
  var edition: UInt64 { snapshot.storeID }

  /// What the page offers to choose from.
  ///
  /// - Complexity: O(n) the first time.
  func pageChoices() -> PageChoices { choices() }

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

  /// The categories that nearly all restaurants have, such as `restaurant`; no choice is made by them.
  private let common: Set<UTF8Key>

  init(_ engine: QueryEngine) {
    orders = Order.offered.filter { $0.terms.allSatisfy { engine.snapshot.hasValues(of: $0.key) } }
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
