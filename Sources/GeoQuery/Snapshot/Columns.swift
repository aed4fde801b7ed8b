import GeoIndex

/// The values for filters, orders and counts, by position.
struct Columns: Sendable {
  /// The texts that many restaurants share.
  let codes: [Condition.Field: CodeColumn]

  /// The texts that few restaurants share, such as the name: folded, one per restaurant (sections `NAME.f`
  /// and `NAME.g`).
  let texts: [Condition.Field: TextTable]

  /// The numbers, except coordinates.
  let numbers: [Condition.Field: NumberColumn]

  private let ratings: NumberColumn
  private let scales: NumberColumn

  /// 1 for restaurants that are closed for good, otherwise 0.
  let closed: MappedSection

  /// The order by name.
  let names: NameOrder

  /// The section names of the columns, and the stored field of each.
  static let codeNames: [(field: Condition.Field, name: String)] = [
    (.category, "categ"), (.city, "city"), (.state, "state"), (.postalCode, "postal"),
    (.countryCode, "ccode"), (.country, "countr"), (.source, "source"), (.chain, "chain"),
  ]
  static let textNames: [(field: Condition.Field, name: String)] = [
    (.name, "name"), (.address, "addr"), (.crossStreet, "cross"), (.phone, "phone"),
    (.website, "web"),
  ]
  static let numberNames: [(field: Condition.Field, name: String)] = [
    (.rating, "rating"), (.ratingScale, "scale"), (.reviewCount, "reviews"),
    (.priceLevel, "price"),
  ]

  /// A snapshot's columns; nil if one of them is missing or has another length.
  init?(of file: SectionFile, count: Int) {
    var codes: [Condition.Field: CodeColumn] = [:]
    var texts: [Condition.Field: TextTable] = [:]
    var numbers: [Condition.Field: NumberColumn] = [:]
    for (field, name) in Self.codeNames {
      guard let column = CodeColumn(name, of: file, count: count) else { return nil }
      codes[field] = column
    }
    for (field, name) in Self.textNames {
      let (bytes, ends) = (file.section("\(name).f"), file.section("\(name).g"))
      guard let table = TextTable(bytes, ends, count: count) else { return nil }
      texts[field] = table
    }
    for (field, name) in Self.numberNames {
      guard let column = NumberColumn(name, of: file, count: count) else { return nil }
      numbers[field] = column
    }
    guard let closed = file.section("closed"), closed.bytes.count == count,
      let ratings = numbers[.rating], let scales = numbers[.ratingScale],
      let folded = texts[.name], let names = NameOrder(of: file, names: folded)
    else { return nil }
    self.codes = codes
    self.texts = texts
    self.numbers = numbers
    (self.ratings, self.scales) = (ratings, scales)
    self.closed = closed
    self.names = names
  }

  /// The rating at a position divided by its scale, which is 5 if the feed gives none; NaN without
  /// a rating.
  @inline(__always)
  func ratingShare(at position: Int) -> Double {
    let scale = scales[position]
    return ratings[position] / (scale.isNaN ? 5 : scale)
  }

  /// The fault of the columns; nil if there is none.
  func fault() -> String? {
    for (field, column) in codes {
      if let fault = column.fault(field.rawValue) { return fault }
    }
    for (field, table) in texts {
      if let fault = table.fault(field.rawValue) { return fault }
    }
    return names.fault()
  }
}

/// A column of texts that many restaurants share, such as the category: a number for each
/// restaurant (32 bits, all ones for none), and the texts by number, original and folded.
///
/// Sections: `NAME.c` (numbers), `NAME.t` and `NAME.e` (texts and their ends), `NAME.f` and `NAME.g`
/// (folded). Texts are numbered in the order of their first use, by position.
struct CodeColumn: Sendable {
  /// The texts as the feeds have them.
  let texts: TextTable

  /// The same texts, folded.
  let folded: TextTable

  private let codes: MappedSection

  static let none = UInt32.max

  /// A snapshot's column; nil if its sections do not fit together.
  init?(_ name: String, of file: SectionFile, count: Int) {
    guard let codes = file.section("\(name).c"), codes.bytes.count == count * 4,
      let texts = TextTable(file.section("\(name).t"), file.section("\(name).e")),
      let folded = TextTable(
        file.section("\(name).f"),
        file.section("\(name).g"),
        count: texts.count
      )
    else { return nil }
    self.codes = codes
    self.texts = texts
    self.folded = folded
  }

  /// The number of the text at a position; nil if there is none.
  @inline(__always)
  func code(at position: Int) -> Int? {
    let code = codes.bytes.loadUnaligned(fromByteOffset: position &* 4, as: UInt32.self)
    // a damaged file may contain any number
    return code < texts.count ? Int(code) : nil
  }

  /// The positions whose folded text passes a test.
  func positions(where fits: (UnsafeRawBufferPointer) -> Bool) -> BitSet {
    positions(ofCodes: folded.whileMapped { (0..<folded.count).map { fits(folded[$0]) } })
  }

  /// The positions of some texts, a flag for each text by its number.
  func positions(ofCodes wanted: [Bool]) -> BitSet {
    let count = codes.bytes.count / 4
    guard wanted.contains(true) else { return BitSet(capacity: count) }
    return withExtendedLifetime(codes) {
      BitSet(capacity: count) { position in code(at: position).map { wanted[$0] } ?? false }
    }
  }

  /// The texts of some positions (nil for none), each with its number of positions.
  func counts(of positions: some Sequence<Int>) -> [(code: Int?, count: Int)] {
    var counts = [Int](repeating: 0, count: texts.count)
    var without = 0
    withExtendedLifetime(codes) {
      for position in positions {
        if let code = code(at: position) { counts[code] += 1 } else { without += 1 }
      }
    }
    return counts.enumerated().filter { $0.element > 0 }.map { ($0.offset, $0.element) }
      + (without > 0 ? [(nil, without)] : [])
  }

  /// The fault of the column; nil if there is none.
  func fault(_ name: String) -> String? {
    if let fault = texts.fault(name) ?? folded.fault(name) { return fault }
    return withExtendedLifetime(codes) {
      let isSound = (0..<codes.bytes.count / 4).allSatisfy { position in
        let code = codes.bytes.loadUnaligned(fromByteOffset: position * 4, as: UInt32.self)
        return code == Self.none || code < texts.count
      }
      return isSound ? nil : "\(name) has a number without a text"
    }
  }
}

/// Makes a `CodeColumn`, one position after another.
struct CodeColumnBuilder {
  /// The numbers, by position.
  let codes: SpillFile

  private let name: String
  private var texts = TextInterner()
  private var last = 0
  // this column's numbers for another column's texts; `none` until first used
  private var numbers: [UInt32] = []

  init(_ name: String, beside path: String) {
    self.name = name
    codes = SpillFile(beside: path)
  }

  /// Adds the text of the next position; nil for none.
  mutating func append(_ text: UnsafeRawBufferPointer?) throws(SnapshotError) {
    guard let text else { return try codes.append(CodeColumn.none) }
    // restaurants with adjacent ids often have the same country, state and source
    if last >= texts.count || !texts.isEqual(last, text) { last = texts.number(of: text).number }
    try codes.append(UInt32(last))
  }

  /// Adds texts from another column; every call must pass the same one.
  mutating func append(
    _ positions: Range<Int>,
    of column: CodeColumn
  ) throws(SnapshotError) {
    if numbers.isEmpty { numbers = Array(repeating: CodeColumn.none, count: column.texts.count) }
    for position in positions {
      guard let code = column.code(at: position) else {
        try codes.append(CodeColumn.none)
        continue
      }
      if numbers[code] == CodeColumn.none {
        numbers[code] = UInt32(texts.number(of: column.texts[code]).number)
      }
      try codes.append(numbers[code])
    }
  }

  /// Writes the sections.
  func write(to file: inout SectionFileWriter) throws(SnapshotError) {
    try file.write(codes, as: "\(name).c")
    let known = (0..<texts.count).lazy.map { texts[$0] }
    try file.write(known, as: ("\(name).t", "\(name).e"))
    let plain = known.map { folded(String(decoding: $0, as: UTF8.self)).utf8 }
    try file.write(plain, as: ("\(name).f", "\(name).g"))
  }
}

extension SectionFileWriter {
  /// Writes texts as the two sections of a `TextTable`.
  mutating func write(
    _ texts: some Sequence<some Collection<UInt8>>,
    as names: (texts: String, ends: String)
  ) throws(SnapshotError) {
    var (bytes, ends): ([UInt8], [UInt8]) = ([], [])
    for text in texts {
      bytes.append(contentsOf: text)
      withUnsafeBytes(of: UInt64(bytes.count).littleEndian) { ends.append(contentsOf: $0) }
    }
    try beginSection(names.texts)
    try append(bytes)
    try beginSection(names.ends)
    try append(ends)
  }

  /// Writes a spool as a section.
  mutating func write(_ spool: SpillFile, as name: String) throws(SnapshotError) {
    try beginSection(name)
    var offset = 0
    while offset < spool.count {
      let piece = try spool.piece(from: offset)
      try append(piece)
      offset += piece.count
    }
  }
}

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

extension TextTable {
  /// The positions whose text passes a test.
  func positions(where fits: (UnsafeRawBufferPointer) -> Bool) -> BitSet {
    whileMapped { BitSet(capacity: count) { has($0) && fits(self[$0]) } }
  }
}

/// Makes a `TextTable`, one text after another.
struct TextTableBuilder {
  private let names: (texts: String, ends: String)
  private(set) var texts: SpillFile
  private(set) var ends: SpillFile

  init(named names: (texts: String, ends: String), beside path: String) {
    self.names = names
    texts = SpillFile(beside: path)
    ends = SpillFile(beside: path)
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
