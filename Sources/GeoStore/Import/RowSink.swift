import GeoFeed
import GeoQuery

/// What is kept of a row besides its values.
struct RowChange {
  /// The number under which it is written.
  var number: Int64
  var isNew = false
  /// The hash of its contents.
  var fingerprint: UInt64 = 0
  /// The key of the record that it came of.
  var record = RecordKey.none
}

/// Where new and changed rows go.
protocol RowSink {
  /// Takes the values of a row, packed.
  mutating func put(_ packed: UnsafeRawBufferPointer, of row: RowChange) throws
}

/// Takes rows that nobody wants written.
struct NoSink: RowSink {
  func put(_ packed: UnsafeRawBufferPointer, of row: RowChange) {}
}
