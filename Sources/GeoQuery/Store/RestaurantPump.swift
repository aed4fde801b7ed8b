import Foundation

/// Reads restaurants on a thread of its own, a few batches ahead of whoever takes them: one core reads
/// the file while another writes the answer.
struct RestaurantPump {
  private static let batchSize = 256
  private let queue = BoundedQueue<[Restaurant]>(capacity: 4)

  /// Begins to read.
  ///
  /// - Parameters:
  ///   - rows: A statement that selects `RestaurantRow.selection`. Nobody else may use its connection
  ///     before `stop` has returned.
  ///   - path: What errors call the file.
  init(_ rows: SQLStatement, path: String) {
    // whoever made the statement waits for this thread before using the connection again
    nonisolated(unsafe) let rows = rows
    let thread = Thread { [queue] in
      do {
        try Self.read(rows, path: path, into: queue)
        rows.close()
        queue.finish()
      } catch {
        rows.close()
        queue.finish(error)
      }
    }
    thread.stackSize = 1 << 20
    thread.start()
  }

  private static func read(
    _ rows: SQLStatement,
    path: String,
    into queue: BoundedQueue<[Restaurant]>
  ) throws {
    var batch: [Restaurant] = []
    batch.reserveCapacity(batchSize)
    while try rows.step() {
      batch.append(try RestaurantRow.restaurant(rows.row, path: path))
      guard batch.count == batchSize else { continue }
      guard queue.put(batch) else { return }
      batch.removeAll(keepingCapacity: true)
    }
    _ = queue.put(batch)
  }

  /// The next restaurants, or nil after the last.
  ///
  /// - Throws: What is wrong with a row, after the rows before it.
  func next() throws -> [Restaurant]? { try queue.take() }

  /// Stops reading, and waits until the connection is free again.
  func stop() {
    queue.cancel()
    queue.waitForEnd()
  }
}
