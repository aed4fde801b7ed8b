import Foundation

/// A value that is computed at its first use.
package final class Lazy<Value: Sendable>: @unchecked Sendable {
  // accessed under the lock only
  private var value: Value?
  private let lock = NSLock()
  private var compute: (@Sendable () -> Value)?

  /// - Parameter compute: Computes the value; it is called once.
  package init(_ compute: @escaping @Sendable () -> Value) {
    self.compute = compute
  }

  /// Whether the value is known, so that nothing has to be computed or waited for.
  package var isKnown: Bool {
    guard lock.try() else { return false }
    defer { lock.unlock() }
    return value != nil
  }

  /// Returns the value; waits while another thread computes it.
  package func callAsFunction() -> Value {
    lock.withLock {
      if let value { return value }
      guard let compute else { preconditionFailure("A value is computed once, and then known.") }
      let made = compute()
      value = made
      // what it was made from may be large
      self.compute = nil
      return made
    }
  }
}

/// A cache of the values that were used last.
///
/// `@unchecked Sendable`: everything is accessed under the lock only.
final class RecentValues<Key: Equatable & Sendable, Value: Sendable>: @unchecked Sendable {
  private let lock = NSLock()
  private let capacity: Int
  private let maximumCost: Int
  /// The one used last at the end.
  private var entries: [(key: Key, value: Value, cost: Int)] = []

  /// A cache of at most `capacity` values, which together cost at most `maximumCost`, if there are several.
  init(capacity: Int, maximumCost: Int = .max) {
    self.capacity = capacity
    self.maximumCost = maximumCost
  }

  /// The value of a key; nil if it is not in the cache.
  subscript(key: Key) -> Value? {
    lock.withLock {
      guard let index = entries.lastIndex(where: { $0.key == key }) else { return nil }
      let entry = entries.remove(at: index)
      entries.append(entry)
      return entry.value
    }
  }

  func insert(_ value: Value, for key: Key, cost: Int = 0) {
    lock.withLock {
      entries.removeAll { $0.key == key }
      entries.append((key, value, cost))
      while entries.count > capacity
        || (entries.count > 1 && entries.reduce(0) { $0 + $1.cost } > maximumCost)
      {
        entries.removeFirst()
      }
    }
  }
}
