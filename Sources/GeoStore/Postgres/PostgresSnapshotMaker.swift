import Foundation
import GeoFeed
import GeoIndex
import GeoQuery

/// Makes the snapshot of a store's rows: of all of them, or of an older snapshot and the rows that have
/// changed since.
///
/// The rows come by one COPY in any order, and are sorted here, so that the server need not sort them for
/// every replica.
struct PostgresSnapshotMaker {
  private let connection: PostgresConnection

  /// - Parameter connection: A connection in a transaction.
  init(_ connection: PostgresConnection) {
    self.connection = connection
  }

  /// Writes the snapshot.
  ///
  /// - Parameters:
  ///   - state: The state of the transaction.
  ///   - old: A sound snapshot of a generation that `PostgresGeneration.remembers(_:)`.
  ///   - file: The path of the file.
  /// - Throws: `SnapshotError` if the file cannot be written; `StoreError` and `PostgresFailure` if the
  ///   rows cannot be read.
  func write(_ state: StoreState, from old: Snapshot? = nil, to file: String) throws {
    var merge = SnapshotMerge(old)
    let since = old.map { " WHERE generation > \($0.generation)" } ?? ""
    if old != nil {
      try connection.copyOut("SELECT id FROM geoq_removed" + since, columns: 1) { row in
        if let id = row.bytes(0) { merge.remove(id: id) }
      }
    }
    let corrections = Corrections(try connection.corrections())
    var spool = RowSpool(beside: file)
    let shown = connection.address.shown
    var packed: [UInt8] = []
    // an error of the file must not end the connection, which is used again
    var failure: SnapshotError?
    try connection.copyOut(
      "SELECT \(PostgresSchema.selection) FROM restaurants" + since,
      columns: PostgresRestaurant.columnCount
    ) { row in
      guard failure == nil else { return }
      packed.removeAll(keepingCapacity: true)
      try PostgresRestaurant.pack(row, shown: shown, to: &packed)
      guard corrections.apply(to: &packed) else {
        if let id = row.bytes(0) { merge.remove(id: id) }
        return
      }
      do {
        try packed.withUnsafeBytes { record in
          if let point = PackedRecord.coordinate(of: record) { try spool.append(record, at: point) }
        }
      } catch let error as SnapshotError {
        failure = error
      }
    }
    if let failure { throw failure }
    try spool.write(merge, state, to: file, access: .thisUser)
  }
}
