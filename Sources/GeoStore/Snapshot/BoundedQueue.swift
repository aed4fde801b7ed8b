import Foundation
import GeoFeed
import GeoQuery

/// A queue between two threads that holds a few elements at most: the faster thread waits.
///
/// `@unchecked Sendable`: everything is touched under the lock only.
final class BoundedQueue<Element: Sendable>: @unchecked Sendable {
  private let condition = NSCondition()
  private let capacity: Int
  private var elements: [Element] = []
  private var failure: (any Error)?
  private var isFinished = false
  private var isCancelled = false

  init(capacity: Int) {
    self.capacity = capacity
  }

  /// Adds an element, as soon as there is room.
  ///
  /// - Returns: False where nobody takes elements any more.
  func put(_ element: Element) -> Bool {
    condition.lock()
    defer { condition.unlock() }
    while elements.count >= capacity, !isCancelled { condition.wait() }
    guard !isCancelled else { return false }
    elements.append(element)
    condition.broadcast()
    return true
  }

  /// Says that no element follows, and why where that is an error.
  func finish(_ error: (any Error)? = nil) {
    condition.lock()
    defer { condition.unlock() }
    failure = error
    isFinished = true
    condition.broadcast()
  }

  /// Takes the next element, as soon as there is one; nil after the last.
  ///
  /// - Throws: What the other thread finished with, after the elements before it.
  func take() throws -> Element? {
    condition.lock()
    defer { condition.unlock() }
    while elements.isEmpty, !isFinished { condition.wait() }
    guard elements.isEmpty else {
      condition.broadcast()
      return elements.removeFirst()
    }
    if let failure { throw failure }
    return nil
  }

  /// Says that no more elements are taken.
  func cancel() {
    condition.lock()
    defer { condition.unlock() }
    isCancelled = true
    elements = []
    condition.broadcast()
  }

  /// Waits until the other thread has said that no element follows.
  func waitForEnd() {
    condition.lock()
    defer { condition.unlock() }
    while !isFinished { condition.wait() }
  }
}
