package import GeoIndex

/// Writes a snapshot: the tree first, then the restaurants, batch after batch in order of id.
package struct SnapshotWriter: ~Copyable {
  private var file: SectionFileWriter
  private let records: Shared<RecordSections>
  private let columns: Shared<ColumnSections>

  /// Begins a file.
  ///
  /// - Parameters:
  ///   - path: The path of the finished snapshot.
  ///   - tree: The index over the restaurants in order of id (UTF-8 bytes).
  ///   - old: The snapshot that runs of positions are of.
  ///   - access: Who may use the file; nil for all that the process allows.
  /// - Throws: `SnapshotError` if it cannot be written.
  package init(
    for path: String,
    tree: KDTree,
    from old: Snapshot? = nil,
    access: FileAccess? = nil
  ) throws(SnapshotError) {
    var file = try SectionFileWriter(for: path, access: access)
    try file.write(tree)
    try file.beginSection("records")
    self.file = file
    records = Shared(RecordSections(beside: path, from: old))
    columns = Shared(ColumnSections(beside: path, from: old))
  }

  /// Adds the next restaurants in order of id.
  ///
  /// - Throws: `SnapshotError` if the file cannot be written.
  package mutating func append(_ batch: PackedRecords) throws(SnapshotError) {
    let (records, columns) = (records, columns)
    Parallel.forEach(2) { part in
      if part == 0 { records.value.take(batch) } else { columns.value.take(batch) }
    }
    if let failure = records.value.failure ?? columns.value.failure { throw failure }
    try file.append(records.value.features)
  }

  /// Adds the next restaurant in order of id.
  ///
  /// - Throws: `SnapshotError` if the file cannot be written.
  package mutating func append(_ restaurant: Restaurant) throws(SnapshotError) {
    var batch = PackedRecords()
    PackedRecord.append(restaurant, to: &batch.bytes)
    batch.ends.append(batch.bytes.count)
    try append(batch)
  }

  /// Completes and renames the file.
  ///
  /// - Parameters:
  ///   - storeID: Identifies the store and the history that the restaurants are from.
  ///   - generation: The generation.
  /// - Throws: `SnapshotError` if it cannot be written, in which case an existing file stays.
  package consuming func finish(storeID: UInt64, generation: Int) throws(SnapshotError) {
    try records.value.write(to: &file)
    try columns.value.write(to: &file)
    try TileOrder.write(
      keys: records.value.tileKeys,
      categories: columns.value.categoryCodes,
      to: &file
    )
    try file.finish(storeID: storeID, generation: UInt64(generation))
  }
}

/// A value that one thread at a time uses.
///
/// `@unchecked Sendable`: each of the two parts of a snapshot is filled by one thread at a time.
private final class Shared<Value>: @unchecked Sendable {
  var value: Value

  init(_ value: Value) {
    self.value = value
  }
}

/// The records of a snapshot that is being written, with their ids and numbers.
private struct RecordSections {
  /// The Features of the last batch.
  private(set) var features: [UInt8] = []

  /// The error that occurred; nil if there was none.
  private(set) var failure: SnapshotError?

  private let ends: SpillFile
  private let splits: SpillFile
  private let ids: TextTableBuilder
  private let numbers: [SpillFile]
  private let closed: SpillFile

  /// The keys of the map's cells, by position.
  let tileKeys: SpillFile

  private var extent = ExtentBuilder()
  private var length = 0
  private let idColumn = RestaurantField.id.column
  private let closedColumn = RestaurantField.closed.column
  private let numberColumns = Columns.numberNames.map { Columns.stored($0.field) }
  private let old: Snapshot?
  private let oldNumbers: [NumberColumn]

  init(beside path: String, from old: Snapshot?) {
    self.old = old
    oldNumbers = Columns.numberNames.compactMap { old?.columns.numbers[$0.field] }
    ends = SpillFile(beside: path)
    splits = SpillFile(beside: path)
    ids = TextTableBuilder(named: ("ids", "idends"), beside: path)
    numbers = Columns.numberNames.map { _ in SpillFile(beside: path) }
    closed = SpillFile(beside: path)
    tileKeys = SpillFile(beside: path)
  }

  mutating func take(_ batch: PackedRecords) {
    features.removeAll(keepingCapacity: true)
    failure = batch.visit { (record) throws(SnapshotError) in
      try append(record)
    } runs: { (positions) throws(SnapshotError) in
      if let old { try append(positions, of: old) }
    }
  }

  private mutating func append(_ record: UnsafeRawBufferPointer) throws(SnapshotError) {
    let start = features.count
    let split = FeatureWriter.append(record, to: &features)
    length += features.count - start
    try ends.append(UInt64(length))
    try splits.append(UInt32(split))
    try append(PackedRecord.coordinate(of: record))
    var values = PackedRecord.Values(record)
    try ids.append(values.text(idColumn))
    for (index, column) in numberColumns.enumerated() {
      try numbers[index].append((values.number(column) ?? .nan).bitPattern)
    }
    try closed.append(values.number(closedColumn) == 1 ? 1 as UInt8 : 0)
  }

  private mutating func append(
    _ positions: Range<Int>,
    of old: Snapshot
  ) throws(SnapshotError) {
    let table = old.records.features
    let shift = UInt64(length) &- table.start(positions.lowerBound)
    let bytes = table[positions]
    features.append(raw: bytes)
    length += bytes.count
    for position in positions {
      try ends.append(table.end(position) &+ shift)
      try splits.append(UInt32(old.records.splitOffset(at: position)))
      try append(old.tree[position])
      for (index, column) in oldNumbers.enumerated() {
        try numbers[index].append(column[position].bitPattern)
      }
      try closed.append(old.columns.closed.bytes[position])
    }
    try ids.append(positions, of: old.ids)
  }

  private mutating func append(_ point: Coordinate?) throws(SnapshotError) {
    if let point { extent.add(point) }
    try tileKeys.append(point.map(WebMercator.key) ?? 0)
  }

  func write(to file: inout SectionFileWriter) throws(SnapshotError) {
    try file.write(ends, as: "recends")
    try file.write(splits, as: "recsplit")
    try ids.write(to: &file)
    for (column, name) in zip(numbers, Columns.numberNames) {
      try file.write(column, as: name.name)
    }
    try file.write(closed, as: "closed")
    try file.beginSection("extent")
    for box in [extent.box, extent.shownBox] {
      for edge in [box?.west, box?.south, box?.east, box?.north] {
        var bits = (edge ?? .nan).bitPattern.littleEndian
        try file.append(withUnsafeBytes(of: &bits) { Array($0) })
      }
    }
  }
}

/// The text columns of a snapshot that is being written, the order by name and the words.
private struct ColumnSections {
  /// The error that occurred; nil if there was none.
  private(set) var failure: SnapshotError?

  /// The numbers of the categories, by position.
  var categoryCodes: SpillFile { codes[0].codes }

  /// The columns in the order of `Columns.codeNames`, the category's first.
  private var codes: [CodeColumnBuilder]
  private let texts: [TextTableBuilder]
  private var index = WordIndexBuilder()
  private var words = FoldedWords()
  private var scratch: [UInt8] = []
  private var position = 0
  private let wordColumns = FoldedWords.fields.map(\.column)
  private let codeColumns = Columns.codeNames.map { Columns.stored($0.field) }
  private let textColumns = Columns.textNames.map { Columns.stored($0.field) }
  private let old: Columns?
  private let oldWords: WordIndex?
  private let oldCodes: [CodeColumn]
  private let oldTexts: [TextColumn]

  /// The new position of each old one; below 0 for those that are not here.
  private var places: [Int32]

  /// The positions of new records.
  private var added: [UInt32] = []

  init(beside path: String, from old: Snapshot?) {
    self.old = old?.columns
    oldWords = old?.words
    oldCodes = Columns.codeNames.compactMap { old?.columns.codes[$0.field] }
    oldTexts = Columns.textNames.compactMap { old?.columns.texts[$0.field] }
    places = Array(repeating: -1, count: old?.count ?? 0)
    codes = Columns.codeNames.map { CodeColumnBuilder($0.name, beside: path) }
    texts = Columns.textNames.map {
      TextTableBuilder(named: ("\($0.name).f", "\($0.name).g"), beside: path)
    }
  }

  mutating func take(_ batch: PackedRecords) {
    failure = batch.visit { (record) throws(SnapshotError) in
      try append(record)
    } runs: { (positions) throws(SnapshotError) in
      try append(positions)
    }
  }

  private mutating func append(_ positions: Range<Int>) throws(SnapshotError) {
    for (index, column) in oldCodes.enumerated() {
      try codes[index].append(positions, of: column)
    }
    for (index, column) in oldTexts.enumerated() {
      try texts[index].append(positions, of: column.folded)
    }
    for old in positions {
      places[old] = Int32(truncatingIfNeeded: position)
      position += 1
    }
  }

  private mutating func append(_ record: UnsafeRawBufferPointer) throws(SnapshotError) {
    var values = PackedRecord.Values(record)
    for (index, column) in codeColumns.enumerated() {
      try codes[index].append(values.text(column))
    }
    for (index, column) in textColumns.enumerated() {
      guard let text = values.text(column) else {
        try texts[index].appendNone()
        continue
      }
      fold(text)
      try scratch.withRawBytes { (bytes) throws(SnapshotError) in try texts[index].append(bytes) }
    }
    words.removeAll()
    for column in wordColumns {
      if let text = values.text(column) { words.addSearched(utf8: text) }
    }
    index.append(words, at: position)
    added.append(UInt32(position))
    position += 1
  }

  mutating func write(to file: inout SectionFileWriter) throws(SnapshotError) {
    for column in codes { try column.write(to: &file) }
    for column in texts { try column.write(to: &file) }
    // the old order with gaps, then what is new
    let kept: [UInt32] =
      old.map { old in
        old.names.positions.compactMap { places[$0] < 0 ? nil : UInt32(places[$0]) }
      } ?? []
    try NameOrder.write(texts[0], at: kept + added, to: &file)
    if let oldWords { index.merge(oldWords, at: places) }
    try index.write(to: &file)
  }

  /// Copies a text without case and accents to `scratch`; nearly all texts are ASCII.
  private mutating func fold(_ text: UnsafeRawBufferPointer) {
    scratch.removeAll(keepingCapacity: true)
    var isASCII = true
    for byte in text {
      isASCII = isASCII && byte < 0x80
      scratch.append(byte &- 0x41 < 26 ? byte | 0x20 : byte)
    }
    if !isASCII { scratch = Array(folded(String(decoding: text, as: UTF8.self)).utf8) }
  }
}

extension Columns {
  /// The number of a column's field in packed records.
  fileprivate static func stored(_ field: Condition.Field) -> Int {
    guard let field = RestaurantField(rawValue: field.rawValue) else {
      preconditionFailure("A column must be of a stored key.")
    }
    return field.column
  }
}
