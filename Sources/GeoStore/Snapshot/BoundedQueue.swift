import Foundation
import GeoFeed
import GeoQuery

/// A queue between two threads with a small capacity, so that the faster thread waits.
///
/// `@unchecked Sendable`: everything is accessed under the lock only.
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

  /// Starts a thread that adds the elements, and ends the queue, with its error if there is one.
  func fill(_ body: @escaping @Sendable (BoundedQueue) throws -> Void) {
    let thread = Thread { [self] in
      do {
        try body(self)
        finish()
      } catch {
        finish(error)
      }
    }
    thread.stackSize = 8 << 20
    thread.start()
  }

  /// Adds an element, and waits for room if necessary.
  ///
  /// - Returns: False if the consumer has stopped.
  func put(_ element: Element) -> Bool {
    condition.lock()
    defer { condition.unlock() }
    while elements.count >= capacity, !isCancelled { condition.wait() }
    guard !isCancelled else { return false }
    elements.append(element)
    condition.broadcast()
    return true
  }

  /// Ends the queue, with an error if there was one.
  private func finish(_ error: (any Error)? = nil) {
    condition.lock()
    defer { condition.unlock() }
    failure = error
    isFinished = true
    condition.broadcast()
  }

  /// Removes the next element, and waits for one if necessary; nil after the last.
  ///
  /// - Throws: The error of the other thread, after the elements before it.
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

  /// Removes the elements that are there.
  func removeAll() {
    condition.lock()
    let all = elements
    elements = []
    condition.unlock()
    _ = consume all
  }

  /// Stops the queue, because the consumer needs no more elements.
  func cancel() {
    condition.lock()
    defer { condition.unlock() }
    isCancelled = true
    elements = []
    condition.broadcast()
  }

  /// Waits until the other thread has ended the queue.
  func waitForEnd() {
    condition.lock()
    defer { condition.unlock() }
    while !isFinished { condition.wait() }
  }
}
