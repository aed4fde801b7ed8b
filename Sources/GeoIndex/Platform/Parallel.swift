import Dispatch

/// Work on several cores at once: the only code that starts threads.
package enum Parallel {
  /// The default number of threads: one per core.
  package static let coreCount = SystemCall.coreCount

  /// Runs a body once for each number 0..<count, in parallel, and waits for all.
  package static func forEach(_ count: Int, _ body: @Sendable (Int) -> Void) {
    guard count > 1 else {
      if count == 1 { body(0) }
      return
    }
    DispatchQueue.concurrentPerform(iterations: count, execute: body)
  }

  /// Runs a body for the parts of a range, one part per thread, and waits for all.
  ///
  /// - Returns: the results of the body, in the order of the range.
  @discardableResult
  package static func mapParts<Result>(
    of range: Range<Int>,
    threads: Int,
    _ body: @Sendable (Range<Int>) -> Result
  ) -> [Result] {
    let parts = min(threads, max(1, range.count))
    return [Result](unsafeUninitializedCapacity: parts) { buffer, count in
      // each part writes to a different element
      nonisolated(unsafe) let results = buffer
      forEach(parts) { part in
        let start = range.lowerBound + range.count * part / parts
        let end = range.lowerBound + range.count * (part + 1) / parts
        results.initializeElement(at: part, to: body(start..<end))
      }
      count = parts
    }
  }
}
