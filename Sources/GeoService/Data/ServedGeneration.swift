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

  private let orders: NIOLockedValueBox<[Order]?>

  /// Serves a snapshot from now on.
  init(_ snapshot: Snapshot, _ book: OfferBook? = .empty) {
    engine = QueryEngine(snapshot)
    knownBook = book
    takenUp = Date().formatted(.iso8601)
    orders = NIOLockedValueBox(nil)
  }

  /// Serves the same snapshot with other offers.
  init(_ other: ServedGeneration, _ book: OfferBook) {
    engine = other.engine
    knownBook = book
    takenUp = other.takenUp
    orders = other.orders
  }

  /// The snapshot.
  var snapshot: Snapshot { engine.snapshot }

  /// Counts the changes of restaurants, by imports and by edits.
  var number: Int { snapshot.generation }

  /// Distinguishes this generation from those of other stores and other histories.
  var edition: UInt64 { snapshot.storeID }

  /// The orders that the page offers: those by keys that some restaurant has.
  ///
  /// - Complexity: O(n) the first time, if no restaurant has one of the keys.
  func offeredOrders() -> [Order] {
    if let known = orders.withLockedValue({ $0 }) { return known }
    // not under the lock: two requests may compute the same
    let found = Order.offered.filter { snapshot.hasValues(of: $0.key) }
    orders.withLockedValue { $0 = found }
    return found
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
