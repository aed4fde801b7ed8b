import CPostgres
import GeoFeed
import GeoQuery

/// Writes rows to PostgreSQL in the binary form of COPY.
struct CopyWriter {
  private let connection: PostgresConnection
  private var bytes: [UInt8]
  private static let size = 1 << 16

  /// Eleven bytes of a signature, four of flags, four of a length.
  private static let head =
    Array("PGCOPY\n".utf8) + [0xFF, 0x0D, 0x0A, 0] + [UInt8](repeating: 0, count: 8)

  /// - Parameters:
  ///   - connection: A connection in a transaction; it must not be used otherwise until `finish`.
  ///   - table: The table and its columns in SQL, such as `offers (id, name)`.
  /// - Throws: `PostgresFailure` if the server rejects the COPY.
  init(_ connection: PostgresConnection, into table: String) throws {
    self.connection = connection
    bytes = Self.head
    try connection.beginCopy("COPY \(table) FROM STDIN (FORMAT binary)", status: GEOQ_PQ_COPY_IN)
  }

  /// Begins a row.
  mutating func beginRow(columns: Int) throws {
    if bytes.count >= Self.size { try flush() }
    append(Int16(columns))
  }

  mutating func putNull() { append(-1 as Int32) }

  mutating func put(_ number: some FixedWidthInteger) {
    append(Int32(number.bitWidth / 8))
    append(number)
  }

  mutating func put(_ number: Double?) {
    guard let number else { return putNull() }
    put(number.bitPattern)
  }

  mutating func put(_ flag: Bool) {
    append(1 as Int32)
    bytes.append(flag ? 1 : 0)
  }

  mutating func put(_ text: UnsafeRawBufferPointer) {
    append(Int32(text.count))
    bytes.append(contentsOf: text)
  }

  mutating func put(_ text: String?) {
    guard var text else { return putNull() }
    text.withUTF8 { put(UnsafeRawBufferPointer($0)) }
  }

  /// Sends the remaining bytes and ends the COPY.
  ///
  /// - Throws: `PostgresFailure` if the server rejects the rows.
  mutating func finish() throws {
    append(-1 as Int16)
    try flush()
    guard connection.library.putEnd(connection.handle, nil) == 1 else { throw connection.failure }
    try connection.endCopy()
  }

  private mutating func flush() throws {
    let done = bytes.withUnsafeBytes { all in
      connection.library.putData(
        connection.handle,
        all.baseAddress?.assumingMemoryBound(to: CChar.self),
        Int32(all.count)
      )
    }
    bytes.removeAll(keepingCapacity: true)
    guard done != 1 else { return }
    // the server may have sent the reason why it accepts no more
    try connection.endCopy()
    throw connection.failure
  }

  private mutating func append(_ number: some FixedWidthInteger) {
    withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
  }
}

extension PostgresConnection {
  /// Reads the rows of a query by COPY, one at a time, so that they are never all in memory.
  ///
  /// - Parameters:
  ///   - query: A SELECT without arguments.
  ///   - columns: The number of its columns.
  ///   - body: Is called with each row, which is valid only during the call.
  /// - Throws: `PostgresFailure`; errors of the closure, after which the connection is closed.
  func copyOut(_ query: String, columns: Int, _ body: (PostgresRow) throws -> Void) throws {
    try beginCopy("COPY (\(query)) TO STDOUT (FORMAT binary)", status: GEOQ_PQ_COPY_OUT)
    var reader = CopyReader(columns: columns)
    do {
      while true {
        var message: UnsafeMutablePointer<CChar>?
        let count = library.getData(handle, &message, 0)
        guard count > 0, let message else {
          guard count == -1 else { throw failure }
          break
        }
        defer { library.free(message) }
        try reader.take(UnsafeRawBufferPointer(start: message, count: Int(count)), body)
      }
      try endCopy()
      guard reader.isComplete else { throw CopyReader.malformed }
    } catch {
      // does not wait for what the server still sends
      if isCopying {
        isCopying = false
        close()
      }
      throw error
    }
  }
}

/// Splits the bytes of a COPY into rows.
private struct CopyReader {
  /// Whether the mark after the last row has come.
  private(set) var isComplete = false

  private let columns: Int
  private var rest: [UInt8] = []
  private var hasHead = false
  private var row = PostgresRow()

  static let malformed = PostgresFailure(
    state: "",
    message: "the server's rows are not in the format of COPY",
    isLost: true
  )

  init(columns: Int) {
    self.columns = columns
  }

  /// Reads the next bytes.
  ///
  /// The server sends whole rows, but the protocol does not promise that.
  mutating func take(_ bytes: UnsafeRawBufferPointer, _ body: (PostgresRow) throws -> Void) throws {
    guard rest.isEmpty else {
      rest.append(contentsOf: bytes)
      let all = rest
      let used = try all.withUnsafeBytes { try rows(of: $0, body) }
      rest.removeFirst(used)
      return
    }
    let used = try rows(of: bytes, body)
    if used < bytes.count { rest = Array(bytes[used...]) }
  }

  /// Visits the complete rows at the beginning of some bytes.
  ///
  /// - Returns: Their length in bytes.
  private mutating func rows(
    of bytes: UnsafeRawBufferPointer,
    _ body: (PostgresRow) throws -> Void
  ) throws -> Int {
    var place = 0
    if !hasHead {
      guard let length = headLength(bytes) else { return 0 }
      place = length
      hasHead = true
    }
    while !isComplete, let end = try row(at: place, of: bytes) {
      if isComplete { return end }
      try body(row)
      place = end
    }
    if isComplete, place < bytes.count { throw Self.malformed }
    return place
  }

  private func headLength(_ bytes: UnsafeRawBufferPointer) -> Int? {
    guard bytes.count >= 19 else { return nil }
    let extra = Int(UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: 15, as: UInt32.self)))
    return bytes.count >= 19 + extra ? 19 + extra : nil
  }

  /// Reads a row if it is complete.
  ///
  /// - Returns: The offset of its end; nil if bytes are missing.
  private mutating func row(at start: Int, of bytes: UnsafeRawBufferPointer) throws -> Int? {
    guard bytes.count - start >= 2 else { return nil }
    let count = Int16(bigEndian: bytes.loadUnaligned(fromByteOffset: start, as: Int16.self))
    if count == -1 {
      isComplete = true
      return start + 2
    }
    guard count == columns else { throw Self.malformed }
    row.fields.removeAll(keepingCapacity: true)
    var place = start + 2
    for _ in 0..<columns {
      guard bytes.count - place >= 4 else { return nil }
      let length = Int(
        Int32(bigEndian: bytes.loadUnaligned(fromByteOffset: place, as: Int32.self))
      )
      place += 4
      guard length >= 0 else {
        guard length == -1 else { throw Self.malformed }
        row.fields.append(nil)
        continue
      }
      guard bytes.count - place >= length else { return nil }
      row.fields.append(UnsafeRawBufferPointer(rebasing: bytes[place..<place + length]))
      place += length
    }
    return place
  }
}
