import Foundation
import GeoIndex
import GeoQuery

/// New and changed rows in a nameless file, in any order, for a snapshot that is made from an older one.
struct RowSpool {
  private let spool: SpillFile
  private var ends: [Int] = []
  private var coordinates: [Coordinate] = []

  /// - Parameter path: A file in the folder where it is made.
  init(beside path: String) {
    spool = SpillFile(beside: path)
  }

  /// Adds a packed row.
  mutating func append(
    _ packed: UnsafeRawBufferPointer,
    at coordinate: Coordinate
  ) throws(SnapshotError) {
    try spool.append(packed)
    ends.append((ends.last ?? 0) + packed.count)
    coordinates.append(coordinate)
  }

  /// Writes the snapshot of these rows and of what an older one keeps.
  ///
  /// - Parameters:
  ///   - merge: The older snapshot, without the rows that are removed.
  ///   - state: The generation, and its random number.
  ///   - file: The path of the file.
  ///   - access: Who may use the file; nil for all that the process allows.
  /// - Throws: `SnapshotError` if a file cannot be written or read.
  func write(
    _ merge: SnapshotMerge,
    _ state: StoreState,
    to file: String,
    access: FileAccess?
  ) throws(SnapshotError) {
    try spool.withBytes { (bytes) throws(SnapshotError) in
      let rows = SpooledRows(bytes: bytes, ends: ends)
      let order = rows.positionsInOrderOfID()
      try merge.write(
        order.map { coordinates[$0] },
        to: file,
        access: access,
        storeID: state.edition,
        generation: state.generation
      ) { rows[order[$0]] }
    }
  }
}

/// The rows of a spool, in the order in which they were added.
private struct SpooledRows {
  private let bytes: UnsafeRawBufferPointer
  private let ends: [Int]

  init(bytes: UnsafeRawBufferPointer, ends: [Int]) {
    self.bytes = bytes
    self.ends = ends
  }

  /// The row at an index.
  subscript(position: Int) -> UnsafeRawBufferPointer {
    let start = position == 0 ? 0 : ends[position - 1]
    return UnsafeRawBufferPointer(rebasing: bytes[start..<ends[position]])
  }

  /// The indexes, sorted by id (UTF-8 bytes).
  func positionsInOrderOfID() -> [Int] {
    // the id is a row's first value: the number of its field, four bytes of length, the text
    let ids = ends.indices.map { position in
      let row = self[position]
      let count = Int(row.loadUnaligned(fromByteOffset: 1, as: UInt32.self))
      return UnsafeRawBufferPointer(rebasing: row[5..<5 + count])
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
