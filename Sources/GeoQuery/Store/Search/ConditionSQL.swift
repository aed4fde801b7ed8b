import CSpatiaLite
import GRDB

/// A condition as SQL: a column of a fixed list, an operator of a fixed list, and a value that is bound.
struct ConditionSQL {
  /// The condition, with one parameter.
  let sql: String

  private let operand: Condition.Operand
  // a statement takes a text by its address, which must last as long as it
  private let bytes: BoundText

  init(_ condition: Condition) {
    operand = condition.operand
    let column = Self.column(of: condition.field)
    switch condition.operand {
    case .text(let text):
      bytes = BoundText(text)
      let folded = "geoq_folded(\(column))"
      sql =
        condition.comparison == .contains
        ? "instr(\(folded), ?) > 0" : "\(folded) \(condition.comparison.rawValue) ?"
    case .number:
      bytes = BoundText("")
      sql = "\(column) \(condition.comparison.rawValue) ?"
    case .flag:
      bytes = BoundText("")
      sql = "(\(column)) \(condition.comparison.rawValue) ?"
    }
  }

  /// Binds the value.
  func bind(_ statement: SQLStatement, at index: Int) {
    switch operand {
    case .text: statement.bind(text: bytes.buffer, at: index)
    case .number(let number): statement.bind(number, at: index)
    case .flag(let flag): statement.bind(flag ? 1 : 0 as Int64, at: index)
    }
  }

  private static func column(of field: Condition.Field) -> String {
    switch field {
    case .price: "priceLevel"
    case .open: "closed IS NULL"
    case .closed: "closed IS NOT NULL"
    case .name, .category, .address, .crossStreet, .city, .state, .postalCode, .countryCode,
      .country, .phone, .website, .source, .rating, .ratingScale, .reviewCount, .latitude,
      .longitude:
      field.rawValue
    }
  }
}

/// A text in memory that stays where it is.
private final class BoundText {
  let buffer: UnsafeRawBufferPointer

  init(_ text: String) {
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: text.utf8.count, alignment: 1)
    memory.copyBytes(from: text.utf8)
    buffer = UnsafeRawBufferPointer(memory)
  }

  deinit {
    buffer.deallocate()
  }
}

extension SQLStatement {
  /// Binds a text while a block runs.
  func bind(_ text: String, at index: Int, _ body: () throws -> Void) rethrows {
    var text = text
    try text.withUTF8 {
      bind(text: UnsafeRawBufferPointer($0), at: index)
      try body()
    }
  }
}

/// `geoq_folded(text)`: a text without case and accents, as everywhere else in geoq.
enum FoldingFunction {
  /// Makes the function known to a connection.
  ///
  /// - Throws: `DatabaseError` where SQLite is out of memory.
  static func add(to db: Database) throws {
    let code = sqlite3_create_function_v2(
      db.sqliteConnection,
      "geoq_folded",
      1,
      SQLITE_UTF8 | SQLITE_DETERMINISTIC,
      nil,
      { context, _, values in fold(values?[0], context) },
      nil,
      nil,
      nil
    )
    guard code == SQLITE_OK else { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
  }
}

/// NULL stays NULL, and a number is compared as its text.
private func fold(_ value: OpaquePointer?, _ context: OpaquePointer?) {
  guard sqlite3_value_type(value) != SQLITE_NULL, let text = sqlite3_value_text(value) else {
    return sqlite3_result_null(context)
  }
  let bytes = UnsafeRawBufferPointer(start: text, count: Int(sqlite3_value_bytes(value)))
  var result = folded(String(decoding: bytes, as: UTF8.self))
  result.withUTF8 { utf8 in
    let start = UnsafeRawPointer(utf8.baseAddress)?.assumingMemoryBound(to: CChar.self)
    guard let start else { return sqlite3_result_text(context, "", 0, nil) }
    // SQLITE_TRANSIENT: SQLite takes a copy
    let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
    sqlite3_result_text(context, start, Int32(utf8.count), transient)
  }
}
