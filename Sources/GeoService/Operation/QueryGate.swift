import NIOConcurrencyHelpers

/// How many heavy queries run, wait or have their answers sent at a time: the next one is told to come back.
final class QueryGate: Sendable {
  private let limit: Int
  private let running = NIOLockedValueBox(0)

  init(limit: Int = ServiceLimits.queries) {
    self.limit = limit
  }

  /// Takes a place that is given back with the last reference to it; nil where none is free.
  func place() -> Place? { enter() ? Place(in: self) : nil }

  /// A place in a gate.
  final class Place: Sendable {
    private let gate: QueryGate

    fileprivate init(in gate: QueryGate) {
      self.gate = gate
    }

    deinit { gate.leave() }
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
