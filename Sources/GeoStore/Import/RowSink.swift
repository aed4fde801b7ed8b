import GeoFeed
import GeoQuery

/// The values kept with a row that are not its own.
struct RowChange {
  /// The row number.
  var number: Int64
  var isNew = false
  /// The hash of its contents.
  var fingerprint: UInt64 = 0
  /// The key of the record that it came from.
  var record = RecordKey.none
}

/// Receives new and changed rows.
protocol RowSink {
  /// Receives the packed values of a row.
  mutating func put(_ packed: UnsafeRawBufferPointer, of row: RowChange) throws
}

/// Discards rows.
struct NoSink: RowSink {
  func put(_ packed: UnsafeRawBufferPointer, of row: RowChange) {}
}
