import NIOConcurrencyHelpers

/// How many heavy queries run or wait at a time: the next one is told to come back.
final class QueryGate: Sendable {
  private let limit: Int
  private let running = NIOLockedValueBox(0)

  init(limit: Int = ServiceLimits.queries) {
    self.limit = limit
  }

  /// Takes a place; false where none is free.
  func enter() -> Bool {
    running.withLockedValue { running in
      guard running < limit else { return false }
      running += 1
      return true
    }
  }

  /// Gives a place back.
  func leave() {
    running.withLockedValue { $0 -= 1 }
  }
}
