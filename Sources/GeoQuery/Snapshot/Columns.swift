import GeoIndex

/// The values for filters, orders and counts, by position.
struct Columns: Sendable {
  /// The texts that many restaurants share.
  let codes: [Condition.Field: CodeColumn]

  /// The texts that few restaurants share, such as the name, folded (sections `NAME.f`, `NAME.g`).
  let texts: [Condition.Field: TextTable]

  /// The numbers, except coordinates.
  let numbers: [Condition.Field: NumberColumn<Double>]

  /// 1 for restaurants that are closed for good, otherwise 0.
  let closed: NumberColumn<UInt8>

  /// The opening hours.
  let hours: HoursColumn

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
    func opened<Column>(
      _ names: [(field: Condition.Field, name: String)],
      _ open: (String) -> Column?
    ) -> [Condition.Field: Column]? {
      let columns = names.compactMap { field, name in open(name).map { (field, $0) } }
      return columns.count == names.count ? Dictionary(uniqueKeysWithValues: columns) : nil
    }
    guard
      let codes = opened(Self.codeNames, { CodeColumn($0, of: file, count: count) }),
      let texts = opened(
        Self.textNames,
        { TextTable(("\($0).f", "\($0).g"), of: file, count: count) }
      ),
      let numbers = opened(Self.numberNames, { NumberColumn<Double>($0, of: file, count: count) }),
      let closed = NumberColumn<UInt8>("closed", of: file, count: count),
      let hours = HoursColumn(of: file, count: count),
      let names = texts[.name].flatMap({ NameOrder(of: file, names: $0) })
    else { return nil }
    self.codes = codes
    self.texts = texts
    self.numbers = numbers
    self.closed = closed
    self.hours = hours
    self.names = names
  }

  func fault() -> String? {
    codes.lazy.compactMap { $1.fault($0.rawValue) }.first
      ?? texts.lazy.compactMap { $1.fault($0.rawValue) }.first ?? hours.fault() ?? names.fault()
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

  private let codes: NumberColumn<UInt32>

  static let none = UInt32.max

  /// A snapshot's column; nil if its sections do not fit together.
  init?(_ name: String, of file: SectionFile, count: Int) {
    guard let codes = NumberColumn<UInt32>("\(name).c", of: file, count: count),
      let texts = TextTable(("\(name).t", "\(name).e"), of: file),
      let folded = TextTable(("\(name).f", "\(name).g"), of: file, count: texts.count)
    else { return nil }
    self.codes = codes
    self.texts = texts
    self.folded = folded
  }

  /// The number of the text at a position; nil if there is none.
  ///
  /// Inlined: `geoq list --category` at a million looks a code up for each restaurant.
  @inline(__always)
  func code(at position: Int) -> Int? {
    let code = codes[position]
    // a damaged file may contain any number
    return code < texts.count ? Int(code) : nil
  }

  /// The positions whose folded text passes a test, or whose text as it is does.
  func positions(
    isExact: Bool = false,
    where fits: (UnsafeRawBufferPointer) -> Bool
  ) -> BitSet {
    let table = isExact ? texts : folded
    return positions(ofCodes: table.whileMapped { (0..<table.count).map { fits(table[$0]) } })
  }

  /// The positions of some texts, a flag for each text by its number.
  func positions(ofCodes wanted: [Bool]) -> BitSet {
    guard wanted.contains(true) else { return BitSet(capacity: codes.count) }
    return codes.whileMapped {
      BitSet(capacity: codes.count) { position in code(at: position).map { wanted[$0] } ?? false }
    }
  }

  /// The texts of some positions (nil for none), each with its number of positions.
  func counts(of positions: some Sequence<Int>) -> [(code: Int?, count: Int)] {
    var counts = [Int](repeating: 0, count: texts.count)
    var without = 0
    codes.whileMapped {
      for position in positions {
        if let code = code(at: position) { counts[code] += 1 } else { without += 1 }
      }
    }
    return counts.enumerated().filter { $0.element > 0 }.map { ($0.offset, $0.element) }
      + (without > 0 ? [(nil, without)] : [])
  }

  func fault(_ name: String) -> String? {
    if let fault = texts.fault(name) ?? folded.fault(name) { return fault }
    let isSound = codes.whileMapped {
      codes.all.allSatisfy { $0 == Self.none || $0 < texts.count }
    }
    return isSound ? nil : "\(name) has a number without a text"
  }
}

/// The entries of the categories of a snapshot, numbered in the order of their first use.
///
/// Entries that are equal when folded are one, spelled as the first.
struct CategoryTable: Sendable {
  private(set) var names: [String] = []

  private(set) var folded: [String] = []

  private var entries: [[UInt32]] = []

  /// The entries of a column of categories.
  ///
  /// - Complexity: O(bytes of the different categories).
  init(_ column: CodeColumn?) {
    guard let column else { return }
    var numbers: [UTF8Key: UInt32] = [:]
    for code in 0..<column.texts.count {
      entries.append([])
      for name in categoryEntries(of: column.texts.string(code)) {
        let key = GeoQuery.folded(name)
        let number = numbers[UTF8Key(key), default: UInt32(names.count)]
        if number == names.count {
          numbers[UTF8Key(key)] = number
          names.append(name)
          folded.append(key)
        }
        if !entries[code].contains(number) { entries[code].append(number) }
      }
    }
  }

  /// The numbers of the entries of a category, each once, by the category's number in its column.
  subscript(code: Int) -> [UInt32] { entries[code] }

  var count: Int { entries.count }
}

extension Snapshot {
  /// The positions whose category is one of those that a filter wants.
  func positions(inCategories names: CategoryNames) -> BitSet {
    guard let column = columns.codes[.category] else { return BitSet(capacity: count) }
    let table = categories
    let isWanted = table.folded.map { names.contain(folded: $0) }
    return column.positions(
      ofCodes: (0..<table.count).map { code in
        table[code].contains { isWanted[Int($0)] }
          || names.contain(folded: column.folded.string(code))
      }
    )
  }
}

/// Makes a `CodeColumn`, one position after another.
struct CodeColumnBuilder {
  /// The numbers, by position.
  let codes: SpillFile

  private let name: String
  private var texts = TextInterner()
  private var last = 0

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

  /// Adds texts of another column.
  mutating func append(_ positions: Range<Int>, of column: CodeColumn) throws(SnapshotError) {
    for position in positions { try append(column.code(at: position).map { column.texts[$0] }) }
  }

  func write(to file: inout SectionFileWriter) throws(SnapshotError) {
    let plain = try writeTexts(to: &file).lazy.map { folded(String(decoding: $0, as: UTF8.self)) }
    try file.write(plain.map(\.utf8), as: ("\(name).f", "\(name).g"))
  }

  /// Writes the numbers and the texts as they are, and returns these.
  func writeTexts(to file: inout SectionFileWriter) throws(SnapshotError) -> [ArraySlice<UInt8>] {
    let known = (0..<texts.count).map { texts[$0] }
    try file.write(codes, as: "\(name).c")
    try file.write(known, as: ("\(name).t", "\(name).e"))
    return known
  }
}

extension SectionFileWriter {
  /// Writes texts as the two sections of a `TextTable`.
  mutating func write(
    _ texts: some Sequence<some Collection<UInt8>>,
    as names: (texts: String, ends: String)
  ) throws(SnapshotError) {
    var (bytes, ends): ([UInt8], [UInt64]) = ([], [])
    for text in texts {
      bytes.append(contentsOf: text)
      ends.append(UInt64(bytes.count))
    }
    try write(bytes, as: names.texts)
    try write(ends, as: names.ends)
  }

  mutating func write(_ numbers: [some BitwiseCopyable], as name: String) throws(SnapshotError) {
    try beginSection(name)
    try numbers.withUnsafeBufferPointer { (numbers) throws(SnapshotError) in
      try append(UnsafeRawBufferPointer(numbers))
    }
  }

  mutating func write(_ spill: SpillFile, as name: String) throws(SnapshotError) {
    try beginSection(name)
    try spill.withBytes { (bytes) throws(SnapshotError) in try append(bytes) }
  }
}

/// Numbers of one size by position, in one section: for `Double`, NaN stands for none.
///
/// A section begins at a multiple of 4 096 bytes, so its numbers are aligned.
struct NumberColumn<Number: BitwiseCopyable>: Sendable {
  let count: Int

  private let section: MappedSection

  /// Opens a section; nil if it does not have the length of `count` numbers, or of whole ones.
  init?(_ name: String, of file: SectionFile, count: Int? = nil) {
    guard let section = file.section(name) else { return nil }
    self.count = count ?? section.bytes.count / MemoryLayout<Number>.size
    guard section.bytes.count == self.count * MemoryLayout<Number>.size else { return nil }
    self.section = section
  }

  subscript(position: Int) -> Number {
    section.bytes.load(fromByteOffset: position &* MemoryLayout<Number>.size, as: Number.self)
  }

  /// All numbers, valid while the section is mapped.
  var all: UnsafeBufferPointer<Number> { section.bytes.bindMemory(to: Number.self) }

  /// Calls a closure while the numbers are mapped.
  func whileMapped<Result>(_ body: () throws -> Result) rethrows -> Result {
    try withExtendedLifetime(section, body)
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
  let texts: SpillFile
  let ends: SpillFile

  private let names: (texts: String, ends: String)

  init(named names: (texts: String, ends: String), beside path: String) {
    self.names = names
    texts = SpillFile(beside: path)
    ends = SpillFile(beside: path)
  }

  /// Adds the next text; nil for none.
  func append(_ text: UnsafeRawBufferPointer?) throws(SnapshotError) {
    if let text { try texts.append(text) }
    try ends.append(UInt64(texts.count) | (text == nil ? TextTable.absent : 0))
  }

  /// Adds texts of another table.
  func append(_ numbers: Range<Int>, of table: TextTable) throws(SnapshotError) {
    let shift = UInt64(texts.count) &- table.start(numbers.lowerBound)
    try texts.append(table[numbers])
    for number in numbers { try ends.append(table.end(number) &+ shift) }
  }

  func write(to file: inout SectionFileWriter) throws(SnapshotError) {
    try file.write(texts, as: names.texts)
    try file.write(ends, as: names.ends)
  }
}
