import NIOConcurrencyHelpers

/// Gives each request an id: the start of the process and a number.
final class RequestNames: Sendable {
  private let prefix = String(UInt32.random(in: .min ... .max), radix: 36)
  private let count = NIOLockedValueBox(0)

  /// The next id.
  func next() -> String {
    let number = count.withLockedValue { count in
      count += 1
      return count
    }
    return "\(prefix)-\(number)"
  }
}
