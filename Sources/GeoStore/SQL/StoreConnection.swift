import GeoFeed
package import GeoIndex
package import GeoQuery

/// Identifies the contents of a store that a reader would get now.
package struct StoreState: Sendable, Hashable {
  /// Counts the changes of restaurants, by imports and by edits.
  package let generation: Int

  /// The random number of the generation, by which two histories of a store differ.
  package let edition: UInt64

  /// The generations and revisions that geoq accepts: more than any store has, and far from overflow.
  static let counts: ClosedRange<Int64> = 0...1 << 53
}

/// A row of a result, valid only while it is visited; columns count from 0.
///
/// A value of another type counts as missing: other programs write to these tables as well.
package protocol StoreRow {
  /// The bytes of a text or JSON.
  func utf8(_ column: Int) -> UnsafeRawBufferPointer?

  /// A whole number.
  func integer(_ column: Int) -> Int64?

  /// A number.
  func double(_ column: Int) -> Double?

  /// A truth value.
  func bool(_ column: Int) -> Bool?
}

extension StoreRow {
  /// A text or JSON.
  func text(_ column: Int) -> String? {
    utf8(column).map { String(decoding: $0, as: UTF8.self) }
  }
}

/// A value of a new row.
package enum StoreValue {
  case null
  case text(String)
  case real(Double)
  case integer(Int32)
  case flag(Bool)

  /// A text, or null.
  init(_ text: String?) { self = text.map(StoreValue.text) ?? .null }

  /// Members of an object as JSON, or null if there are none.
  init(_ members: [JSONMember]) {
    self = members.isEmpty ? .null : .text(JSONWriter.of(.object(members)))
  }
}

/// A connection to the tables of a store, in SQLite or PostgreSQL, and the few things in which their
/// SQL differs.
///
/// Statements here are understood by both: names with capitals are quoted, arguments are the texts of
/// `$1` and so on, and CAST makes numbers of them. They are for small results; imports have ways of
/// their own.
package protocol StoreConnection {
  /// A row of a result.
  associatedtype Row: StoreRow

  /// The name of the store in errors.
  var storeName: String { get }

  /// SQL for the present time, such as `2026-11-27T12:00:00Z`.
  static var now: String { get }

  /// The columns that make a restaurant, quoted: perhaps its point, then `RestaurantField.stored`.
  static var restaurantColumns: [String] { get }

  /// What to do about a damaged row.
  static var remedy: Remedy { get }

  /// The position in the restaurant's columns of a row, which begin at `first`; nil if it has none.
  static func coordinate(of row: Row, from first: Int) -> Coordinate?

  /// The maximum length of a source's name in bytes.
  static var longestSourceName: Int { get }

  /// SQL for the texts of a JSON array, as a query with one column.
  static func elements(of parameter: String) -> String

  /// Runs a query, and calls a closure with each row.
  func fetch<Result>(
    _ sql: String,
    _ arguments: [String?],
    _ body: (Row) throws -> Result
  ) throws -> [Result]

  /// Runs a statement, and returns the number of rows that it has changed.
  @discardableResult
  func run(_ sql: String, _ arguments: [String?]) throws -> Int

  /// Writes rows to a table.
  func insert(_ rows: [[StoreValue]], into table: String, _ columns: [String]) throws

  /// Whether a table has a column, which an older version of the store may be without.
  func hasColumn(_ column: String, of table: String) throws -> Bool

  /// Whether this user may add columns to a table.
  func owns(_ table: String) throws -> Bool

  /// Runs a block whose statements fail if they have not ended within some seconds.
  func within<Result>(_ seconds: Int, _ body: () throws -> Result) rethrows -> Result

  /// Tells others of a change of offers or areas, with the commit.
  func announceOffers() throws

  /// Makes the tables that a store of an earlier version is without, and raises the version.
  func upgrade() throws

  /// The version of the tables.
  func schemaVersion() throws -> Int

  /// Gives the restaurants of a source to another one, hashes included.
  func moveRestaurants(of source: String, to newName: String, generation: Int) throws
}

extension StoreConnection {
  /// Runs a query without arguments.
  func fetch<Result>(_ sql: String, _ body: (Row) throws -> Result) throws -> [Result] {
    try fetch(sql, [], body)
  }

  /// Runs a statement without arguments.
  @discardableResult
  func run(_ sql: String) throws -> Int { try run(sql, []) }

  /// The whole number in the first row of a result; 0 if there is none.
  func number(_ sql: String, _ arguments: [String?] = []) throws -> Int {
    try fetch(sql, arguments) { $0.integer(0) }.first.flatMap { $0.map(Int.init) } ?? 0
  }

  /// Whether a query has a row.
  func has(_ sql: String, _ arguments: [String?]) throws -> Bool {
    try !fetch(sql, arguments) { _ in }.isEmpty
  }

  /// Generation and edition.
  ///
  /// - Throws: `StoreError` if the row is damaged.
  func state() throws -> StoreState {
    let row = try storeRow("generation, edition") { ($0.integer(0), $0.integer(1)) }
    guard let edition = row?.1 else { throw damage("edition is not a whole number") }
    return StoreState(
      generation: try count(row?.0, "generation"),
      edition: UInt64(bitPattern: edition)
    )
  }

  /// Counts the changes of restaurants, by imports and by edits.
  func generation() throws -> Int {
    try count(storeRow("generation") { $0.integer(0) } ?? nil, "generation")
  }

  /// Counts the changes of offers and chains.
  func offersRevision() throws -> Int {
    try count(storeRow(#""offersRevision""#) { $0.integer(0) } ?? nil, "offersRevision")
  }

  /// The id of the store.
  func storeID() throws -> StoreID {
    let text = try storeRow(#""storeID""#) { $0.text(0) } ?? nil
    guard let id = text.flatMap(StoreID.init) else { throw damage("storeID is not an id") }
    return id
  }

  /// Columns of the store's only row, which another program may have written.
  private func storeRow<Result>(
    _ columns: String,
    _ body: (Row) throws -> Result
  ) throws -> Result? {
    try within(5) { try fetch("SELECT \(columns) FROM geoq_store LIMIT 1", body) }.first
  }

  private func count(_ value: Int64?, _ column: String) throws -> Int {
    guard let value, StoreState.counts.contains(value) else {
      throw damage("\(column) is \(value.map(String.init) ?? "not a whole number")")
    }
    return Int(value)
  }

  private func damage(_ what: String) -> StoreError {
    StoreError.damagedRow(of: "geoq_store", what, path: storeName)
  }

  /// An error of this store.
  func problem(
    _ kind: StoreError.Kind,
    _ message: String,
    source: String? = nil
  ) -> StoreError {
    StoreError(kind, path: storeName, message, source: source)
  }
}
