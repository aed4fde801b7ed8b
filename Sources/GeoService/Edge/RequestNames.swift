import NIOConcurrencyHelpers

/// Names requests: the process's start and a number.
final class RequestNames: Sendable {
  private let prefix = String(UInt32.random(in: .min ... .max), radix: 36)
  private let count = NIOLockedValueBox(0)

  /// The next name.
  func next() -> String {
    let number = count.withLockedValue { count in
      count += 1
      return count
    }
    return "\(prefix)-\(number)"
  }
}
