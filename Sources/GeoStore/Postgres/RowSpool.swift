import Foundation
import GeoIndex
import GeoQuery

/// Collects packed records in a nameless file, so that they can be sorted once all are there.
struct RowSpool {
  private let spool: Spool
  private var ends: [Int] = []

  /// - Parameter path: A file in the folder where it is made.
  init(beside path: String) {
    spool = Spool(beside: path)
  }

  /// Adds a record.
  mutating func append(_ packed: UnsafeRawBufferPointer) throws(SnapshotError) {
    try spool.append(packed)
    ends.append((ends.last ?? 0) + packed.count)
  }

  /// Calls a closure with all records.
  ///
  /// - Throws: `SnapshotError` if they cannot be read; errors of the closure.
  func withRows<Result>(_ body: (SpooledRows) throws -> Result) throws -> Result {
    try spool.withBytes { try body(SpooledRows(bytes: $0, ends: ends)) }
  }
}

/// The records of a spool, in the order in which they were added.
struct SpooledRows {
  private let bytes: UnsafeRawBufferPointer
  private let ends: [Int]

  fileprivate init(bytes: UnsafeRawBufferPointer, ends: [Int]) {
    self.bytes = bytes
    self.ends = ends
  }

  /// The record at an index.
  subscript(position: Int) -> UnsafeRawBufferPointer {
    let start = position == 0 ? 0 : ends[position - 1]
    return UnsafeRawBufferPointer(rebasing: bytes[start..<ends[position]])
  }

  /// The indexes, sorted by id (UTF-8 bytes).
  func positionsInOrderOfID() -> [Int] {
    // the id is a record's first value: the number of its field, four bytes of length, the text
    let ids = ends.indices.map { position in
      let record = self[position]
      let count = Int(record.loadUnaligned(fromByteOffset: 1, as: UInt32.self))
      return UnsafeRawBufferPointer(rebasing: record[5..<5 + count])
    }
    return ends.indices.sorted { left, right in
      let (left, right) = (ids[left], ids[right])
      let count = min(left.count, right.count)
      guard count > 0, let one = left.baseAddress, let other = right.baseAddress else {
        return left.count < right.count
      }
      let difference = memcmp(one, other, count)
      return difference == 0 ? left.count < right.count : difference < 0
    }
  }
}
