import NIOConcurrencyHelpers

/// How many bytes of answers wait for their readers: readers that take nothing must not take the
/// memory of all.
final class UnsentBytes: Sendable {
  private let limit: Int
  private let waiting = NIOLockedValueBox(0)

  init(limit: Int = ServiceLimits.unsentBytes) {
    self.limit = limit
  }

  /// Whether as much waits as may.
  var isUsedUp: Bool { waiting.withLockedValue { $0 >= limit } }

  /// The right to keep so many bytes until they are sent; nil where as much waits as may.
  ///
  /// The last one may go beyond the limit: an answer is never too large for an idle service.
  func share(of count: Int) -> Share? {
    waiting.withLockedValue { waiting in
      guard waiting < limit else { return nil }
      waiting += count
      return Share(of: self, count)
    }
  }

  /// A right that ends with its last user.
  final class Share: Sendable {
    private let whole: UnsentBytes
    private let count: Int

    fileprivate init(of whole: UnsentBytes, _ count: Int) {
      self.whole = whole
      self.count = count
    }

    deinit { whole.waiting.withLockedValue { $0 -= count } }
  }
}
