import Foundation
import GeoQuery
import NIOConcurrencyHelpers

/// What one request is answered from, from its first byte to its last.
///
/// A reference: requests hold it as long as they run, and its mapping goes when the last one leaves.
final class ServedGeneration: Sendable {
  /// Answers queries over the snapshot.
  let engine: QueryEngine

  /// The offers and chains, which change without a new snapshot.
  let book: OfferBook

  /// Since when the snapshot is served (RFC 3339).
  let takenUp: String

  private let places = NIOLockedValueBox<OfferPlaces?>(nil)

  /// Serves a snapshot from now on.
  init(_ snapshot: Snapshot, _ book: OfferBook = .empty) {
    engine = QueryEngine(snapshot)
    self.book = book
    takenUp = Date().formatted(.iso8601)
  }

  /// Serves the same snapshot with other offers.
  init(_ other: ServedGeneration, _ book: OfferBook) {
    engine = other.engine
    self.book = book
    takenUp = other.takenUp
  }

  /// The snapshot.
  var snapshot: Snapshot { engine.snapshot }

  /// Counts the imports that changed something.
  var number: Int { snapshot.generation }

  /// The number that tells this generation from one of another store or another history.
  var edition: UInt64 { snapshot.storeID }

  /// Tells where offers are had; prepared when it is first asked for, so that nothing waits at start.
  ///
  /// - Complexity: O(n) the first time.
  func offerPlaces() -> OfferPlaces {
    if let known = places.withLockedValue({ $0 }) { return known }
    // not under the lock: two requests may prepare the same
    let made = OfferPlaces(engine, book)
    places.withLockedValue { $0 = made }
    return made
  }
}
