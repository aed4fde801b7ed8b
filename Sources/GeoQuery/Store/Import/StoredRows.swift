import GRDB

/// Sources by number, in the order in which an import meets them.
struct SourceNumbers {
  private(set) var names: [String] = []
  private var numbers: [ByteKey: UInt32] = [:]

  /// The number of a source.
  mutating func number(of name: String) -> UInt32 {
    if let number = numbers[ByteKey(name)] { return number }
    let number = UInt32(names.count)
    numbers[ByteKey(name)] = number
    names.append(name)
    return number
  }
}

/// What an import has to know of the rows that a store has.
struct StoredRows {
  private(set) var known = KnownRows()

  /// The records that they came of; nil where that is not known.
  private(set) var records: KnownRecords?
  private(set) var sources = SourceNumbers()
  private(set) var lastRow: Int64 = 0
  private(set) var generation = 0

  /// Nothing: a store that is yet to be made.
  init() {}

  /// Reads ids, sources and hashes of all rows, without the rows themselves.
  init(_ db: Database, key: SipHash.Key) throws {
    generation = try Int.fetchOne(db, sql: "SELECT generation FROM geoq_store") ?? 0
    lastRow = try Int64.fetchOne(db, sql: "SELECT max(pk) FROM restaurants") ?? 0
    let count = try Int.fetchOne(db, sql: "SELECT count(*) FROM restaurants") ?? 0
    known = KnownRows(capacity: count)
    let owners = try readOwners(db)
    let fingerprints = try RowHashes.fingerprints.read(db)
    // files of version 2 do not have it
    let keys = try db.tableIsThere("geoq_records") ? RowHashes.records.read(db) : nil
    var recordKeys: [RecordKey] = []
    let ids = try SQLStatement(db, "SELECT pk, id FROM restaurants ORDER BY id")
    while try ids.step() {
      let row = ids.integer(0)
      let (position, _) = known.position(of: IDKey(ids.bytes(1), key: key))
      known[position].row = row
      known[position].owner = owners?[row] ?? 0
      known[position].fingerprint = fingerprints[row] ?? 0
      if let keys { recordKeys.append(keys.recordKey(ofRow: row)) }
    }
    if keys != nil { records = KnownRecords(recordKeys) }
  }

  /// How many rows a source has.
  func count(ofOwner owner: UInt32) -> Int {
    (0..<known.count).reduce(0) { $0 + (known[$1].owner == owner ? 1 : 0) }
  }

  /// The source of each row; nil where all rows are of the first.
  private mutating func readOwners(_ db: Database) throws -> RowValues<UInt32>? {
    var name = try String.fetchOne(db, sql: "SELECT min(source) FROM restaurants")
    while let source = name {
      _ = sources.number(of: source)
      name = try String.fetchOne(
        db,
        sql: "SELECT min(source) FROM restaurants WHERE source > ?",
        arguments: [source]
      )
    }
    guard sources.names.count > 1 else { return nil }
    var owners = RowValues<UInt32>(filling: 0)
    let rows = try SQLStatement(db, "SELECT pk FROM restaurants WHERE source = ?")
    for source in sources.names.dropFirst() {
      let number = sources.number(of: source)
      var text = source
      try text.withUTF8 { utf8 in
        rows.bind(text: UnsafeRawBufferPointer(utf8), at: 1)
        while try rows.step() { owners[rows.integer(0)] = number }
      }
    }
    return owners
  }
}

/// A value for each row number, in memory that follows the rows there are, not the largest number.
struct RowValues<Value> {
  private var blocks: [Int64: Int] = [:]
  private var values: [Value] = []
  private let filling: Value

  /// Row numbers that lie together.
  static var blockSize: Int64 { Int64(RowChunk.size) }

  /// - Parameter filling: The value of rows that have none.
  init(filling: Value) {
    self.filling = filling
  }

  subscript(row: Int64) -> Value? {
    get {
      guard let block = blocks[row / Self.blockSize] else { return nil }
      return values[block + Int(row % Self.blockSize)]
    }
    set {
      guard let newValue else { return }
      let number = row / Self.blockSize
      let block = blocks[number] ?? values.count
      if block == values.count {
        blocks[number] = block
        values += repeatElement(filling, count: Int(Self.blockSize))
      }
      values[block + Int(row % Self.blockSize)] = newValue
    }
  }
}
