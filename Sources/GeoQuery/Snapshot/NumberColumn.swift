import GeoIndex

/// A number by position: 64-bit floats in one section, NaN for none.
struct NumberColumn: Sendable {
  private let numbers: MappedSection

  /// Opens a snapshot's column; nil if it does not have the length of `count` numbers.
  init?(_ name: String, of file: SectionFile, count: Int) {
    guard let numbers = file.section(name), numbers.bytes.count == count * 8 else { return nil }
    self.numbers = numbers
  }

  /// The number at a position; NaN if there is none.
  @inline(__always)
  subscript(position: Int) -> Double {
    numbers.bytes.loadUnaligned(fromByteOffset: position &* 8, as: Double.self)
  }

  /// Calls a closure while the numbers are mapped.
  func whileMapped<Result>(_ body: () throws -> Result) rethrows -> Result {
    try withExtendedLifetime(numbers, body)
  }
}

/// A text by position that few restaurants share, such as the name: folded, one per restaurant.
///
/// Sections: `NAME.f` (texts) and `NAME.g` (ends).
struct TextColumn: Sendable {
  /// The folded texts.
  let folded: TextTable

  /// A snapshot's column; nil if its sections do not fit together.
  init?(_ name: String, of file: SectionFile, count: Int) {
    guard
      let folded = TextTable(file.section("\(name).f"), file.section("\(name).g"), count: count)
    else { return nil }
    self.folded = folded
  }

  /// The positions whose folded text passes a test.
  func positions(where fits: (UnsafeRawBufferPointer) -> Bool) -> PositionSet {
    folded.whileMapped {
      PositionSet(capacity: folded.count) { folded.has($0) && fits(folded[$0]) }
    }
  }
}

/// Makes a `TextTable`, one text after another.
struct TextTableBuilder {
  private let names: (texts: String, ends: String)
  private(set) var texts: Spool
  private(set) var ends: Spool

  init(named names: (texts: String, ends: String), beside path: String) {
    self.names = names
    texts = Spool(beside: path)
    ends = Spool(beside: path)
  }

  /// Adds the next text; nil for none.
  func append(_ text: UnsafeRawBufferPointer?) throws(SnapshotError) {
    guard let text else { return try appendNone() }
    try texts.append(text)
    try ends.append(UInt64(texts.count))
  }

  /// Adds a missing text.
  func appendNone() throws(SnapshotError) {
    try ends.append(UInt64(texts.count) | TextTable.absent)
  }

  /// Adds texts of another table.
  func append(_ numbers: Range<Int>, of table: TextTable) throws(SnapshotError) {
    let shift = UInt64(texts.count) &- table.start(numbers.lowerBound)
    try texts.append(table[numbers])
    for number in numbers { try ends.append(table.end(number) &+ shift) }
  }

  /// Writes the sections.
  func write(to file: inout SectionFileWriter) throws(SnapshotError) {
    try file.write(texts, as: names.texts)
    try file.write(ends, as: names.ends)
  }
}
