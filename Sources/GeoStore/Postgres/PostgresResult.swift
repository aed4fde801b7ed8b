import Foundation
import GeoFeed
import GeoQuery

/// A row in PostgreSQL's binary form, valid until the next one; columns count from 0.
///
/// Numbers are big-endian, texts and JSON are in UTF-8. A value whose length is not that of its type counts
/// as missing.
struct PostgresRow {
  /// The bytes of each column; nil for NULL.
  var fields: [UnsafeRawBufferPointer?] = []

  /// The bytes of a value; nil for NULL.
  func bytes(_ column: Int) -> UnsafeRawBufferPointer? { fields[column] }

  /// A text or JSON.
  func text(_ column: Int) -> String? {
    fields[column].map { String(decoding: $0, as: UTF8.self) }
  }

  /// A `smallint`, `integer` or `bigint`.
  func integer(_ column: Int) -> Int64? {
    guard let bytes = fields[column] else { return nil }
    return switch bytes.count {
    case 2: Int64(Int16(bigEndian: bytes.loadUnaligned(as: Int16.self)))
    case 4: Int64(Int32(bigEndian: bytes.loadUnaligned(as: Int32.self)))
    case 8: Int64(bigEndian: bytes.loadUnaligned(as: Int64.self))
    default: nil
    }
  }

  /// A `double precision`.
  func double(_ column: Int) -> Double? {
    guard let bytes = fields[column], bytes.count == 8 else { return nil }
    return Double(bitPattern: UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)))
  }

  /// A `boolean`.
  func bool(_ column: Int) -> Bool? {
    guard let bytes = fields[column], bytes.count == 1 else { return nil }
    return bytes[0] != 0
  }
}

/// The rows of a result, all in memory: for small results.
final class PostgresRows {
  private let library: PostgresLibrary
  private let result: UnsafeMutableRawPointer

  /// - Parameters:
  ///   - library: The library.
  ///   - result: A result of the library, which this value frees.
  init(_ library: PostgresLibrary, _ result: UnsafeMutableRawPointer) {
    self.library = library
    self.result = result
  }

  deinit {
    library.clear(result)
  }

  /// The number of rows.
  var count: Int { Int(library.rowCount(result)) }

  /// The number of rows that a command changed.
  var changedCount: Int {
    library.commandCount(result).flatMap { Int(String(cString: $0)) } ?? 0
  }

  /// The tag of the command, such as `COMMIT`.
  var command: String { library.commandStatus(result).map { String(cString: $0) } ?? "" }

  /// Calls a closure with a row, which is valid only during the call.
  func withRow<Result>(_ number: Int, _ body: (PostgresRow) throws -> Result) rethrows -> Result {
    let columns = library.columnCount(result)
    let row = PostgresRow(
      fields: (0..<columns).map { column in
        guard library.isNull(result, Int32(number), column) == 0 else { return nil }
        return UnsafeRawBufferPointer(
          start: library.value(result, Int32(number), column),
          count: Int(library.length(result, Int32(number), column))
        )
      }
    )
    return try withExtendedLifetime(self) { try body(row) }
  }

  /// The first row; nil if there is none.
  func first<Result>(_ body: (PostgresRow) throws -> Result) rethrows -> Result? {
    count > 0 ? try withRow(0, body) : nil
  }

  /// Every row.
  func map<Result>(_ body: (PostgresRow) throws -> Result) rethrows -> [Result] {
    try (0..<count).map { try withRow($0, body) }
  }
}
