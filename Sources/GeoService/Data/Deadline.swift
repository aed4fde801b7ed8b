/// When a query has to be done.
struct Deadline: Sendable {
  /// How long a query may take.
  static let queryLimit = Duration.seconds(5)

  private let instant: ContinuousClock.Instant

  /// A deadline so long from now.
  init(in duration: Duration = queryLimit) {
    instant = ContinuousClock.now.advanced(by: duration)
  }

  /// Ends a search that has run out of time.
  ///
  /// - Throws: `DeadlineExceeded`.
  func check() throws {
    if ContinuousClock.now >= instant { throw DeadlineExceeded() }
  }
}

/// A query took longer than it may.
struct DeadlineExceeded: Error {}
