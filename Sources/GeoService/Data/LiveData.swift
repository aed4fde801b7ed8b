package import GeoQuery
package import GeoStore
import NIOConcurrencyHelpers

/// The generation that is being served, and how the next one takes its place.
///
/// Requests take `current` once and hold it to their end. If the next one cannot be opened, the old
/// one stays.
package final class LiveData: Sendable {
  /// What is known besides the data.
  struct State {
    /// How long the generation has been served.
    let age: Duration
    /// Why the last one could not be served: a word, without paths; nil if it could.
    let lastProblem: String?
  }

  private struct Slot {
    var generation: ServedGeneration
    var since: ContinuousClock.Instant
    var lastProblem: String?
  }

  private let slot: NIOLockedValueBox<Slot>

  /// Serves a snapshot, and offers.
  package init(
    _ snapshot: Snapshot,
    _ book: OfferBook = .empty
  ) {
    slot = NIOLockedValueBox(Slot(generation: ServedGeneration(snapshot, book), since: .now))
  }

  /// Serves what a store holds now.
  ///
  /// - Parameters:
  ///   - store: The store.
  ///   - notice: Receives, in a sentence, why the snapshot beside the database is not used.
  /// - Throws: `StoreError` if it cannot be read, `SnapshotError` if it has no snapshot and none can be
  ///   written.
  /// - Complexity: O(1); O(n log n) if the snapshot has to be made.
  package convenience init(
    _ store: RestaurantStore,
    notice: (String) -> Void = { _ in }
  ) throws {
    self.init(try store.snapshot(notice: notice), try store.offerBook())
  }

  /// What a request is answered from.
  var current: ServedGeneration { slot.withLockedValue { $0.generation } }

  /// What is known besides the data.
  var state: State {
    slot.withLockedValue { State(age: $0.since.duration(to: .now), lastProblem: $0.lastProblem) }
  }

  /// Serves another snapshot from now on, with the same offers unless others are given.
  func replace(with snapshot: Snapshot, _ book: OfferBook? = nil) {
    replace(with: ServedGeneration(snapshot, book ?? current.book))
  }

  /// Serves the same snapshot with other offers from now on.
  func replace(with book: OfferBook) {
    replace(with: ServedGeneration(current, book))
  }

  private func replace(with generation: ServedGeneration) {
    slot.withLockedValue { $0 = Slot(generation: generation, since: .now) }
  }

  /// Notes that the next generation could not be served; nil if there is no problem any more.
  func keep(because problem: String?) {
    slot.withLockedValue { $0.lastProblem = problem }
  }
}
