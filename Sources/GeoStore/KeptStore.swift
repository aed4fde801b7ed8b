import Foundation
import GeoFeed
import GeoQuery

/// A store for repeated use: its connection stays open between calls.
///
/// It is opened again after an error, and when its file has been replaced. A server that cannot be reached
/// is retried after growing pauses of random length.
///
/// `@unchecked Sendable`: mutable state is used under the lock only.
package final class KeptStore: @unchecked Sendable {
  /// Where the store is.
  package let place: StorePlace

  private let lock = NSLock()
  private var store: (any Store)?
  private var file: FileIdentity?
  private var failures = 0
  private var pause: (end: ContinuousClock.Instant, reason: any Error)?

  /// If the connection was lost between calls, the next call fails within this time.
  private static let lossShowsWithin = Duration.seconds(1)

  private static let firstPause = 0.2
  private static let longestPause = 5.0

  /// Keeps the store of a place; it is opened when it is first used.
  package init(_ place: StorePlace) {
    self.place = place
  }

  deinit {
    try? store?.close()
  }

  /// Calls a closure with the store.
  ///
  /// - Parameter body: What to do; called again if the connection was lost since the last use.
  /// - Returns: The result of the closure.
  /// - Throws: `StoreError` if the store cannot be opened (at once during a pause); errors of the closure.
  package func use<Result>(_ body: (any Store) throws -> Result) throws -> Result {
    let (store, isNew) = try opened()
    let start = ContinuousClock.now
    do {
      let result = try body(store)
      lock.withLock { failures = 0 }
      return result
    } catch let error as UnknownRestaurant {
      throw error
    } catch {
      let wasCurrent = drop(store)
      let isLost = !isNew && (error as? StoreError)?.kind == .unavailable
      if isLost, start.duration(to: .now) < Self.lossShowsWithin { return try use(body) }
      if wasCurrent { lock.withLock { noteFailure(error) } }
      throw error
    }
  }

  /// Closes the connection.
  package func close() {
    let open = lock.withLock { () -> (any Store)? in store.take() }
    try? open?.close()
  }

  /// Closes a store.
  ///
  /// - Returns: Whether it was the one that is kept.
  private func drop(_ failed: any Store) -> Bool {
    let wasCurrent = lock.withLock {
      defer { if store === failed { store = nil } }
      return store === failed
    }
    try? failed.close()
    return wasCurrent
  }

  private func opened() throws -> (store: any Store, isNew: Bool) {
    try lock.withLock {
      var found: FileIdentity?
      if case .file(let path) = place { found = FileIdentity(path) }
      if let store, file == found { return (store, false) }
      try? store.take()?.close()
      if let pause, pause.end > .now { throw pause.reason }
      do {
        let new = try place.open(for: "serve")
        // a service reads for as long as it runs, and writers need not change the mode each time
        (new as? RestaurantStore)?.keepLog()
        (store, file) = (new, found)
        return (new, true)
      } catch {
        noteFailure(error)
        throw error
      }
    }
  }

  private func noteFailure(_ error: any Error) {
    guard case .postgres = place else { return }
    let most = min(Self.longestPause, Self.firstPause * exp2(Double(min(failures, 10))))
    failures += 1
    pause = (.now + .seconds(most * Double.random(in: 0.5...1)), error)
  }
}
