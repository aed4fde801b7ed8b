package import GeoQuery
import NIOConcurrencyHelpers

/// The generation that is being served, and how the next one takes its place.
///
/// Requests take `current` once and hold it to their end. Where the next one cannot be made, the old
/// one stays.
package final class LiveData: Sendable {
  /// What is known besides the data.
  struct State {
    /// How long the generation has been served.
    let age: Duration
    /// Why the last one could not be taken up: a word, without paths; nil where it could.
    let lastProblem: String?
  }

  private struct Slot {
    var generation: ServedGeneration
    var since: ContinuousClock.Instant
    var lastProblem: String?
  }

  private let slot: NIOLockedValueBox<Slot>

  /// Serves some data.
  init(_ data: any ServedData) {
    slot = NIOLockedValueBox(Slot(generation: ServedGeneration(data), since: .now))
  }

  /// Serves what a store holds now.
  ///
  /// - Throws: `StoreError` where it cannot be read, `PreparationError` where it cannot be held.
  package convenience init(_ store: RestaurantStore) throws {
    self.init(try PreparedData(store))
  }

  /// What a request is answered from.
  var current: ServedGeneration { slot.withLockedValue { $0.generation } }

  /// What is known besides the data.
  var state: State {
    slot.withLockedValue { State(age: $0.since.duration(to: .now), lastProblem: $0.lastProblem) }
  }

  /// Serves other data from now on.
  func replace(with data: any ServedData) {
    let generation = ServedGeneration(data)
    slot.withLockedValue { $0 = Slot(generation: generation, since: .now) }
  }

  /// Notes that the next generation could not be taken up; nil where there is none any more.
  func keep(because problem: String?) {
    slot.withLockedValue { $0.lastProblem = problem }
  }
}
