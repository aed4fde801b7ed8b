package import GeoIndex

/// A restaurant as bytes, which imports write, compare by their hash, and put into snapshots.
///
/// The values of its fields one after another, in the order of `RestaurantField.stored`: the field's
/// number there, then eight bytes of a number, or four of a length and a text in UTF-8. Fields without a
/// value are omitted, so equal restaurants have equal bytes. Lists and objects are texts in JSON.
/// Whole numbers are 64-bit integers, the others 64-bit floats, -0.0 only in degrees; all little-endian.
package enum PackedRecord {
  /// The stored fields that are numbers, a bit each: one test of a bit tells a value's type.
  private static let numbers = mask(of: .real, .whole, .flag)

  /// The stored fields that are 64-bit floats, a bit each.
  package static let reals = mask(of: .real)

  /// The stored fields of some kinds, a bit each.
  static func mask(of kinds: RestaurantField.Kind...) -> UInt64 {
    mask(of: RestaurantField.stored.filter { kinds.contains($0.kind) })
  }

  static func mask(of fields: [RestaurantField]) -> UInt64 {
    fields.reduce(0) { $0 | 1 << UInt64($1.column) }
  }

  package enum Value {
    /// A text in UTF-8, valid as long as the record.
    case text(UnsafeRawBufferPointer)
    /// The bits of a number.
    case number(UInt64)
  }

  package static func append(_ restaurant: Restaurant, to bytes: inout [UInt8]) {
    for (column, field) in RestaurantField.stored.enumerated() {
      let column = UInt8(column)
      switch field.access {
      case .required(let value): append(column, value(restaurant), to: &bytes)
      case .given(let value), .text(let value, _): append(column, value(restaurant), to: &bytes)
      case .degrees(let value): append(column, value(restaurant).bitPattern, to: &bytes)
      case .real(let value, _, _): append(column, value(restaurant).map(bits), to: &bytes)
      case .whole(let value, _, _): append(column, value(restaurant).map(bits), to: &bytes)
      case .flag(let value, _): append(column, value(restaurant) ? 1 : nil, to: &bytes)
      case .texts, .object: append(column, restaurant[field].map(JSONWriter.of), to: &bytes)
      case .answer: break
      }
    }
  }

  /// Appends a text under a field's number.
  package static func append(
    _ column: UInt8,
    _ text: UnsafeRawBufferPointer,
    to bytes: inout [UInt8]
  ) {
    appendNumber(column, UInt32(text.count), to: &bytes)
    bytes.append(raw: text)
  }

  /// Appends a number's bits under a field's number; nothing for nil.
  package static func append(_ column: UInt8, _ bits: UInt64?, to bytes: inout [UInt8]) {
    guard let bits else { return }
    appendNumber(column, bits, to: &bytes)
  }

  /// Visits the values of a record in the order of the fields.
  package static func visit(
    _ record: UnsafeRawBufferPointer,
    _ body: (_ column: Int, _ value: Value) throws -> Void
  ) rethrows {
    let numbers = numbers
    var offset = 0
    while offset < record.count {
      let column = Int(record[offset])
      offset &+= 1
      if numbers.hasBit(column) {
        try body(column, .number(record.loadUnaligned(fromByteOffset: offset, as: UInt64.self)))
        offset &+= 8
      } else {
        let count = Int(record.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
        offset &+= 4
        let text = UnsafeRawBufferPointer(rebasing: record[offset..<offset &+ count])
        try body(column, .text(text))
        offset &+= count
      }
    }
  }

  /// The stored fields that a record has, a bit each.
  package static func columns(of record: UnsafeRawBufferPointer) -> UInt64 {
    var columns: UInt64 = 0
    visit(record) { column, _ in columns |= 1 << UInt64(column) }
    return columns
  }

  /// The position of a record's restaurant; nil if it has none.
  package static func coordinate(of record: UnsafeRawBufferPointer) -> Coordinate? {
    guard let latitude = number(latitudeColumn, of: record),
      let longitude = number(longitudeColumn, of: record)
    else { return nil }
    return Coordinate(latitude: latitude, longitude: longitude)
  }

  /// The text of a column; nil if the record has none.
  package static func text(
    _ column: Int,
    of record: UnsafeRawBufferPointer
  ) -> UnsafeRawBufferPointer? {
    guard let start = offset(of: column, in: record) else { return nil }
    let count = Int(record.loadUnaligned(fromByteOffset: start, as: UInt32.self))
    return UnsafeRawBufferPointer(rebasing: record[(start &+ 4)..<(start &+ 4 &+ count)])
  }

  /// The number of a column; nil if the record has none.
  static func number(_ column: Int, of record: UnsafeRawBufferPointer) -> Double? {
    guard let start = offset(of: column, in: record) else { return nil }
    let bits = record.loadUnaligned(fromByteOffset: start, as: UInt64.self)
    return reals.hasBit(column) ? Double(bitPattern: bits) : Double(Int64(bitPattern: bits))
  }

  /// The offset of a column's value.
  private static func offset(of column: Int, in record: UnsafeRawBufferPointer) -> Int? {
    let numbers = numbers
    var offset = 0
    while offset < record.count {
      let found = Int(record[offset])
      offset &+= 1
      if found >= column { return found == column ? offset : nil }
      offset &+=
        numbers.hasBit(found)
        ? 8 : 4 &+ Int(record.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
    }
    return nil
  }

  private static let latitudeColumn = RestaurantField.latitude.column
  private static let longitudeColumn = RestaurantField.longitude.column

  private static func bits(_ number: Int) -> UInt64 { UInt64(bitPattern: Int64(number)) }
  private static func bits(_ number: Double) -> UInt64 { (number + 0).bitPattern }

  private static func append(_ column: UInt8, _ text: String?, to bytes: inout [UInt8]) {
    guard var text else { return }
    text.withUTF8 { append(column, UnsafeRawBufferPointer($0), to: &bytes) }
  }

  private static func appendNumber(
    _ column: UInt8,
    _ number: some FixedWidthInteger,
    to bytes: inout [UInt8]
  ) {
    bytes.append(column)
    withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
  }

  /// The hash of a feed's record: its own id and all values except the source.
  ///
  /// It is the same for a feed's row and for the stored row, whatever the public id and the source are.
  ///
  /// - Returns: The hash, or 0 if the record has no id or no source.
  package static func fingerprint(of record: UnsafeRawBufferPointer, key: SipHash.Key) -> UInt64 {
    guard let parts = Parts(record) else { return 0 }
    var chained = key
    var hash: UInt64 = 0
    for part in [parts.sourceID ?? parts.id, parts.head, parts.tail] {
      hash = SipHash.short(part, key: chained)
      chained = SipHash.Key(low: chained.low ^ hash, high: key.high)
    }
    return hash
  }

  /// Appends a feed's record under another public id; the feed's own becomes the source id.
  package static func append(
    _ record: UnsafeRawBufferPointer,
    publicID: String,
    to bytes: inout [UInt8]
  ) {
    guard let parts = Parts(record) else { return }
    append(idColumn, publicID, to: &bytes)
    bytes.append(raw: parts.head)
    append(sourceColumn, parts.source, to: &bytes)
    append(sourceIDColumn, parts.id, to: &bytes)
    bytes.append(raw: parts.tail)
  }

  /// Appends a feed's record with another id of its own.
  package static func append(
    _ record: UnsafeRawBufferPointer,
    id: String,
    to bytes: inout [UInt8]
  ) {
    guard let old = text(Int(idColumn), of: record) else { return }
    append(idColumn, id, to: &bytes)
    bytes.append(raw: UnsafeRawBufferPointer(rebasing: record[(5 + old.count)...]))
  }

  /// Appends a record with other values of some fields.
  ///
  /// - Parameters:
  ///   - record: The record.
  ///   - values: The columns, ascending, each with the bytes of `value(_:of:)`; no bytes remove a value.
  ///   - bytes: Receives the record.
  package static func append(
    _ record: UnsafeRawBufferPointer,
    replacing values: [(column: Int, bytes: [UInt8])],
    to bytes: inout [UInt8]
  ) {
    var rest = values[...]
    visit(record) { column, value in
      while let next = rest.first, next.column <= column {
        bytes += next.bytes
        rest.removeFirst()
        if next.column == column { return }
      }
      switch value {
      case .text(let text): append(UInt8(column), text, to: &bytes)
      case .number(let bits): append(UInt8(column), bits, to: &bytes)
      }
    }
    for next in rest { bytes += next.bytes }
  }

  /// The bytes of a value in a record.
  ///
  /// - Parameters:
  ///   - text: A text; the digits of a number; `true`; JSON of a list.
  ///   - field: A field that feeds set, the name, or a coordinate.
  /// - Returns: Nil if the field cannot have the value.
  package static func value(_ text: String, of field: RestaurantField) -> [UInt8]? {
    var bytes: [UInt8] = []
    let number = decimal(text).flatMap { $0.isFinite ? $0 : nil }
    switch field.access {
    case .text where !text.isEmpty, .required where field == .name && !text.isEmpty:
      append(UInt8(field.column), text, to: &bytes)
    case .texts:
      guard case .array(let items)? = try? JSONValue(parsing: Array(text.utf8)), !items.isEmpty,
        items.allSatisfy({ $0.asText != nil })
      else { return nil }
      append(UInt8(field.column), text, to: &bytes)
    case .degrees:
      let limit: Double = field == .latitude ? 90 : 180
      guard let number, abs(number) <= limit else { return nil }
      append(UInt8(field.column), number.bitPattern, to: &bytes)
    case .real(_, _, let bound):
      guard let number, number > bound else { return nil }
      append(UInt8(field.column), number.bitPattern, to: &bytes)
    case .whole(_, _, let range):
      guard let number = wholeNumber(text), range.contains(number) else { return nil }
      append(UInt8(field.column), bits(number), to: &bytes)
    case .flag where text.utf8.elementsEqual("true".utf8):
      append(UInt8(field.column), 1, to: &bytes)
    default: return nil
    }
    return bytes
  }

  private static let idColumn = UInt8(RestaurantField.id.column)
  private static let sourceColumn = UInt8(RestaurantField.source.column)
  private static let sourceIDColumn = UInt8(RestaurantField.sourceID.column)

  /// A record divided at its ids and its source.
  private struct Parts {
    let id: UnsafeRawBufferPointer
    let source: UnsafeRawBufferPointer
    let sourceID: UnsafeRawBufferPointer?
    /// The fields between id and source.
    let head: UnsafeRawBufferPointer
    /// The fields after source and source id.
    let tail: UnsafeRawBufferPointer

    init?(_ record: UnsafeRawBufferPointer) {
      guard let id = text(Int(idColumn), of: record),
        let source = text(Int(sourceColumn), of: record),
        let start = record.baseAddress, let sourceStart = source.baseAddress
      else { return nil }
      // a text follows its column and its length
      let headLength = 5
      let headEnd = sourceStart - start - headLength
      var tailStart = sourceStart - start + source.count
      let sourceID = text(Int(sourceIDColumn), of: record)
      if let sourceID { tailStart += headLength + sourceID.count }
      (self.id, self.source, self.sourceID) = (id, source, sourceID)
      head = UnsafeRawBufferPointer(rebasing: record[headLength + id.count..<headEnd])
      tail = UnsafeRawBufferPointer(rebasing: record[tailStart...])
    }
  }
}

/// A sequence of packed records and of runs of positions in an older snapshot.
package struct PackedRecords: Sendable {
  package var bytes: [UInt8] = []

  /// The end of each record.
  package var ends: [Int] = []

  /// Runs of positions, each with the number of records before it.
  private(set) var runs: [(place: Int, positions: Range<Int>)] = []

  /// The number of positions in the runs.
  private(set) var runLength = 0

  package init() {}

  /// Adds a run of positions after the records so far.
  mutating func append(_ positions: Range<Int>) {
    runs.append((ends.count, positions))
    runLength += positions.count
  }

  mutating func removeAll() {
    bytes.removeAll(keepingCapacity: true)
    ends.removeAll(keepingCapacity: true)
    runs.removeAll(keepingCapacity: true)
    runLength = 0
  }

  /// Visits the records and the runs in their order.
  func visit(
    _ body: (UnsafeRawBufferPointer) throws(SnapshotError) -> Void,
    runs run: (Range<Int>) throws(SnapshotError) -> Void
  ) throws(SnapshotError) {
    try bytes.withUnsafeBufferPointer { (bytes) throws(SnapshotError) in
      let all = UnsafeRawBufferPointer(bytes)
      var (start, next) = (0, 0)
      for place in 0...ends.count {
        while next < runs.count, runs[next].place == place {
          try run(runs[next].positions)
          next += 1
        }
        guard place < ends.count else { break }
        try body(UnsafeRawBufferPointer(rebasing: all[start..<ends[place]]))
        start = ends[place]
      }
    }
  }
}

extension UInt64 {
  package func hasBit(_ number: Int) -> Bool {
    self &>> UInt64(truncatingIfNeeded: number) & 1 != 0
  }
}

extension [UInt8] {
  /// Appends raw bytes in one copy; as a sequence they would be appended one by one.
  mutating func append(raw bytes: UnsafeRawBufferPointer) {
    append(contentsOf: bytes.bindMemory(to: UInt8.self))
  }

  /// Appends a number in LEB128: seven bits per byte.
  mutating func append(leb128 number: UInt64) {
    var rest = number
    while rest > 0x7F {
      append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    append(UInt8(truncatingIfNeeded: rest))
  }
}
