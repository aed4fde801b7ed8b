import CSpatiaLite
import GRDB
import GeoFeed
import GeoQuery

/// A prepared statement of SQLite's C interface, for operations that run millions of times.
///
/// GRDB's statements copy every text they bind or read; this one passes the bytes to SQLite in
/// place. It belongs to the connection that made it, and is used only while that connection is
/// accessed.
final class SQLStatement {
  private let connection: OpaquePointer?
  private var statement: OpaquePointer?
  private let sql: String

  /// Prepares a statement.
  ///
  /// - Throws: `DatabaseError` if SQLite fails.
  init(_ db: Database, _ sql: String) throws {
    connection = db.sqliteConnection
    self.sql = sql
    let code = sqlite3_prepare_v2(connection, sql, -1, &statement, nil)
    guard code == SQLITE_OK else { throw failure }
  }

  deinit {
    close()
  }

  /// Finalizes the statement, which cannot be used afterwards.
  ///
  /// Otherwise `deinit` would do it, perhaps on a thread that does not own the connection.
  func close() {
    sqlite3_finalize(statement)
    statement = nil
  }

  /// Binds an integer; parameters count from 1.
  func bind(_ value: Int64, at index: Int) {
    sqlite3_bind_int64(statement, Int32(index), value)
  }

  /// Binds a real number.
  func bind(_ value: Double, at index: Int) {
    sqlite3_bind_double(statement, Int32(index), value)
  }

  /// Binds the UTF-8 of a text, which must stay in memory until the statement has run.
  func bind(text: UnsafeRawBufferPointer, at index: Int) {
    let start = text.baseAddress?.assumingMemoryBound(to: CChar.self)
    // a null address would bind NULL, which an empty text is not
    guard let start else {
      sqlite3_bind_text(statement, Int32(index), "", 0, nil)
      return
    }
    sqlite3_bind_text(statement, Int32(index), start, Int32(text.count), nil)
  }

  /// Binds bytes, which must stay in memory until the statement has run.
  func bind(blob: UnsafeRawBufferPointer, at index: Int) {
    sqlite3_bind_blob(statement, Int32(index), blob.baseAddress, Int32(blob.count), nil)
  }

  /// Binds a text that SQLite copies, or NULL.
  func bind(copyOf text: String?, at index: Int) {
    guard var text else {
      sqlite3_bind_null(statement, Int32(index))
      return
    }
    let copies = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
    text.withUTF8 { bytes in
      bytes.withMemoryRebound(to: CChar.self) {
        _ = sqlite3_bind_text(statement, Int32(index), $0.baseAddress, Int32($0.count), copies)
      }
    }
  }

  /// Sets every parameter to NULL.
  func clear() {
    sqlite3_clear_bindings(statement)
  }

  /// Runs a statement that returns no rows.
  ///
  /// - Throws: `DatabaseError` if it fails.
  func run() throws {
    while try step() {}
  }

  /// Steps to the next row; resets the statement after the last.
  ///
  /// - Returns: Whether there is a row.
  /// - Throws: `DatabaseError` if the statement fails.
  func step() throws -> Bool {
    switch sqlite3_step(statement) {
    case SQLITE_ROW: return true
    case SQLITE_DONE:
      sqlite3_reset(statement)
      return false
    default:
      let error = failure
      sqlite3_reset(statement)
      throw error
    }
  }

  /// Resets the statement before it has reached the last row.
  func reset() {
    sqlite3_reset(statement)
  }

  /// The current row; columns count from 0.
  var row: SQLiteRow { SQLiteRow(statement) }

  /// An integer of the row; 0 if the value is not a number.
  func integer(_ column: Int) -> Int64 { sqlite3_column_int64(statement, Int32(column)) }

  /// A number of the row; 0 if the value is not a number.
  func real(_ column: Int) -> Double { sqlite3_column_double(statement, Int32(column)) }

  /// The bytes of a text or blob of the row, valid until the next step.
  func bytes(_ column: Int) -> UnsafeRawBufferPointer { row.bytes(column) }

  private var failure: DatabaseError {
    DatabaseError(
      resultCode: ResultCode(rawValue: sqlite3_extended_errcode(connection)),
      message: sqlite3_errmsg(connection).map { String(cString: $0) },
      sql: sql
    )
  }
}

/// The current row of a statement, read in place: valid until the next step.
struct SQLiteRow: StoreRow {
  private let statement: OpaquePointer?

  fileprivate init(_ statement: OpaquePointer?) {
    self.statement = statement
  }

  private func type(_ column: Int) -> Int32 { sqlite3_column_type(statement, Int32(column)) }

  func isNull(_ column: Int) -> Bool { type(column) == SQLITE_NULL }

  func utf8(_ column: Int) -> UnsafeRawBufferPointer? {
    type(column) == SQLITE_TEXT ? bytes(column) : nil
  }

  func integer(_ column: Int) -> Int64? {
    type(column) == SQLITE_INTEGER ? sqlite3_column_int64(statement, Int32(column)) : nil
  }

  func double(_ column: Int) -> Double? {
    let type = type(column)
    guard type == SQLITE_INTEGER || type == SQLITE_FLOAT else { return nil }
    return sqlite3_column_double(statement, Int32(column))
  }

  func bool(_ column: Int) -> Bool? {
    switch integer(column) {
    case 0?: false
    case 1?: true
    default: nil
    }
  }

  /// The bytes of a text or blob.
  func bytes(_ column: Int) -> UnsafeRawBufferPointer {
    let start = sqlite3_column_blob(statement, Int32(column))
    return UnsafeRawBufferPointer(
      start: start,
      count: Int(sqlite3_column_bytes(statement, Int32(column)))
    )
  }
}
