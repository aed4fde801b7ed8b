import Foundation
public import GeoIndex

/// Writes a snapshot: the tree first, then the restaurants, batch after batch in order of id.
package struct SnapshotWriter: ~Copyable {
  private var file: SectionFileWriter
  private let records: Part<RecordSections>
  private let columns: Part<ColumnSections>

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
    records = Part(RecordSections(beside: path, from: old))
    columns = Part(ColumnSections(beside: path, from: old))
  }

  /// Adds the next restaurants in order of id.
  ///
  /// - Throws: `SnapshotError` if the file cannot be written.
  package mutating func append(_ batch: PackedRecords) throws(SnapshotError) {
    let (records, columns) = (records, columns)
    let results = Parallel.mapParts(of: 0..<2, threads: 2) { part in
      Result { () throws(SnapshotError) in
        try part.lowerBound == 0 ? records.value.append(batch) : columns.value.append(batch)
      }
    }
    for result in results { try result.get() }
    try file.append(records.value.features.bytes)
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

extension Snapshot {
  /// Writes restaurants as a snapshot file, which ``init(path:)`` opens.
  ///
  /// ```swift
  /// let feed = try FeedReader(source: "lunch").read(bytes)
  /// try Snapshot.write(feed.restaurants, to: path)
  /// let engine = QueryEngine(try Snapshot(path: path))
  /// ```
  ///
  /// The file appears complete or not at all, and replaces an existing one; snapshots that are open
  /// stay valid. Equal restaurants in any order give equal bytes, those that a store's snapshot of
  /// them has (its store id and the header's checksum aside).
  ///
  /// - Parameters:
  ///   - restaurants: The restaurants in any order; no two may have the same id (UTF-8 bytes).
  ///   - path: The path of the file, in a writable folder.
  ///   - generation: The number that ``generation`` will have.
  /// - Throws: `SnapshotError` if a restaurant cannot be kept, two have one id, or the file cannot be
  ///   written.
  /// - Complexity: O(n log n) for n restaurants, on all cores.
  public static func write(
    _ restaurants: [Restaurant],
    to path: String,
    generation: Int = 1
  ) throws(SnapshotError) {
    try write(restaurants, to: path, storeID: 0, generation: generation)
  }

  /// Writes a snapshot file as the other function does, and does not block the caller's actor.
  public static func write(
    _ restaurants: [Restaurant],
    to path: String,
    generation: Int = 1
  ) async throws(SnapshotError) {
    try write(restaurants, to: path, storeID: 0, generation: generation)
  }

  /// Makes a snapshot of restaurants in a temporary file, which is removed at once: it takes no room
  /// in memory, and nothing of it is left after the last reference.
  ///
  /// ```swift
  /// let engine = QueryEngine(try Snapshot(feed.restaurants))
  /// ```
  ///
  /// - Parameter restaurants: The restaurants in any order; no two may have the same id.
  /// - Throws: `SnapshotError` as writing a file does.
  /// - Complexity: O(n log n) for n restaurants, on all cores.
  public convenience init(_ restaurants: [Restaurant]) throws(SnapshotError) {
    try self.init(temporary: restaurants)
  }

  /// Makes a snapshot as the other initializer does, and does not block the caller's actor.
  public convenience init(_ restaurants: [Restaurant]) async throws(SnapshotError) {
    try self.init(temporary: restaurants)
  }

  private convenience init(temporary restaurants: [Restaurant]) throws(SnapshotError) {
    let name = "geoq-\(UUID().uuidString).geoqx"
    let path = FileManager.default.temporaryDirectory.appendingPathComponent(name).path
    defer { try? FileManager.default.removeItem(atPath: path) }
    try Self.write(restaurants, to: path, storeID: 0, generation: 1)
    try self.init(path: path)
  }

  /// Writes restaurants as a snapshot of a store and a history.
  package static func write(
    _ restaurants: [Restaurant],
    to path: String,
    storeID: UInt64,
    generation: Int
  ) throws(SnapshotError) {
    let ordered = restaurants.sorted { UTF8Key($0.id) < UTF8Key($1.id) }
    for (one, next) in zip(ordered, ordered.dropFirst()) where one.id.isUTF8Equal(to: next.id) {
      throw .notWritten(path, because: "two restaurants have the id \"\(shortened(one.id))\"")
    }
    var writer = try SnapshotWriter(for: path, tree: KDTree(ordered.map(\.coordinate)))
    var batch = PackedRecords()
    for restaurant in ordered {
      if let fault = restaurant.fault {
        let id = shortened(restaurant.id)
        throw .notWritten(path, because: "the restaurant with the id \"\(id)\" \(fault)")
      }
      PackedRecord.append(restaurant, to: &batch.bytes)
      batch.ends.append(batch.bytes.count)
      if batch.bytes.count >= SnapshotMerge.batchLength {
        try writer.append(batch)
        batch.removeAll()
      }
    }
    try writer.append(batch)
    try writer.finish(storeID: storeID, generation: generation)
  }
}

/// A part of the sections, which another thread may change.
///
/// `@unchecked Sendable`: each of the two parts of a snapshot is used by one thread at a time.
private final class Part<Sections>: @unchecked Sendable {
  var value: Sections

  init(_ value: Sections) {
    self.value = value
  }
}

/// The records of a snapshot that is being written, with their ids and numbers.
private struct RecordSections {
  /// The Features of the last batch.
  private(set) var features = JSONWriter()

  /// The keys of the map's cells, by position.
  let tileKeys: SpillFile

  private let ends: SpillFile
  private let splits: SpillFile
  private let ids: TextTableBuilder
  private let closed: SpillFile
  private let numbers: [(column: Int, old: NumberColumn<Double>?, spill: SpillFile)]
  private var extent = ExtentBuilder()
  private var length = 0
  private let idColumn = RestaurantField.id.column
  private let closedColumn = RestaurantField.closed.column
  private let old: Snapshot?

  init(beside path: String, from old: Snapshot?) {
    self.old = old
    tileKeys = SpillFile(beside: path)
    ends = SpillFile(beside: path)
    splits = SpillFile(beside: path)
    ids = TextTableBuilder(named: ("ids", "idends"), beside: path)
    closed = SpillFile(beside: path)
    numbers = Columns.numberNames.map { field, _ in
      (Columns.stored(field), old?.columns.numbers[field], SpillFile(beside: path))
    }
  }

  mutating func append(_ batch: PackedRecords) throws(SnapshotError) {
    features.append { $0.removeAll(keepingCapacity: true) }
    try batch.visit { (record) throws(SnapshotError) in
      try append(record)
    } runs: { (positions) throws(SnapshotError) in
      if let old { try append(positions, of: old) }
    }
  }

  private mutating func append(_ record: UnsafeRawBufferPointer) throws(SnapshotError) {
    let start = features.bytes.count
    let split = FeatureWriter.append(record, to: &features)
    length += features.bytes.count - start
    try ends.append(UInt64(length))
    try splits.append(UInt32(split))
    try append(PackedRecord.coordinate(of: record))
    try ids.append(PackedRecord.text(idColumn, of: record))
    for index in numbers.indices {
      let number = PackedRecord.number(numbers[index].column, of: record) ?? .nan
      try numbers[index].spill.append(number.bitPattern)
    }
    try closed.append(PackedRecord.number(closedColumn, of: record) == 1 ? 1 as UInt8 : 0)
  }

  private mutating func append(
    _ positions: Range<Int>,
    of old: Snapshot
  ) throws(SnapshotError) {
    let table = old.records.features
    let shift = UInt64(length) &- table.start(positions.lowerBound)
    let bytes = table[positions]
    features.append { $0.append(raw: bytes) }
    length += bytes.count
    for position in positions {
      try ends.append(table.end(position) &+ shift)
      try splits.append(UInt32(old.records.splitOffset(at: position)))
      try append(old.tree[position])
      for index in numbers.indices {
        try numbers[index].spill.append((numbers[index].old?[position] ?? .nan).bitPattern)
      }
      try closed.append(old.columns.closed[position])
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
    for (number, (_, name)) in zip(numbers, Columns.numberNames) {
      try file.write(number.spill, as: name)
    }
    try file.write(closed, as: "closed")
    let boxes = [extent.box, extent.shownBox]
    let edges = boxes.flatMap { [$0?.west, $0?.south, $0?.east, $0?.north] }
    try file.write(edges.map { $0 ?? .nan }, as: "extent")
  }
}

/// The text columns of a snapshot that is being written, the order by name and the words.
private struct ColumnSections {
  /// The numbers of the categories, by position.
  var categoryCodes: SpillFile { codes[0].builder.codes }

  /// The columns in the order of `Columns.codeNames`, the category's first.
  private var codes: [(column: Int, old: CodeColumn?, builder: CodeColumnBuilder)]

  /// The columns in the order of `Columns.textNames`, the name's first.
  private let texts: [(column: Int, old: TextTable?, builder: TextTableBuilder)]
  private var hours: CodeColumnBuilder
  private let hoursColumn = RestaurantField.hours.column
  private var index = WordIndexBuilder()
  private var words = FoldedWords()
  private var scratch: [UInt8] = []
  private let wordColumns = FoldedWords.fields.map(\.column)
  private let old: Snapshot?

  /// The number of restaurants so far.
  private var count: Int32 = 0

  /// The new position of each old one; below 0 for those that are not here.
  private var places: [Int32]

  /// The positions of new records.
  private var added: [UInt32] = []

  init(beside path: String, from old: Snapshot?) {
    self.old = old
    places = Array(repeating: -1, count: old?.count ?? 0)
    codes = Columns.codeNames.map { field, name in
      let builder = CodeColumnBuilder(name, beside: path)
      return (Columns.stored(field), old?.columns.codes[field], builder)
    }
    hours = CodeColumnBuilder("hours", beside: path)
    texts = Columns.textNames.map { field, name in
      let builder = TextTableBuilder(named: ("\(name).f", "\(name).g"), beside: path)
      return (Columns.stored(field), old?.columns.texts[field], builder)
    }
  }

  mutating func append(_ batch: PackedRecords) throws(SnapshotError) {
    try batch.visit { (record) throws(SnapshotError) in
      try append(record)
    } runs: { (positions) throws(SnapshotError) in
      try append(positions)
    }
  }

  private mutating func append(_ positions: Range<Int>) throws(SnapshotError) {
    for index in codes.indices {
      if let old = codes[index].old { try codes[index].builder.append(positions, of: old) }
    }
    for text in texts {
      if let old = text.old { try text.builder.append(positions, of: old) }
    }
    if let old {
      for position in positions { try hours.append(old.columns.hours.text(at: position)) }
    }
    for old in positions {
      places[old] = count
      count += 1
    }
  }

  private mutating func append(_ record: UnsafeRawBufferPointer) throws(SnapshotError) {
    for index in codes.indices {
      try codes[index].builder.append(PackedRecord.text(codes[index].column, of: record))
    }
    for index in texts.indices {
      guard let value = PackedRecord.text(texts[index].column, of: record) else {
        try texts[index].builder.append(nil)
        continue
      }
      scratch.removeAll(keepingCapacity: true)
      appendFolded(value, to: &scratch)
      try scratch.withUnsafeBufferPointer { (bytes) throws(SnapshotError) in
        try texts[index].builder.append(UnsafeRawBufferPointer(bytes))
      }
    }
    try hours.append(PackedRecord.text(hoursColumn, of: record))
    words.removeAll()
    for column in wordColumns {
      if let text = PackedRecord.text(column, of: record) { words.addSearched(utf8: text) }
    }
    index.append(words, at: count)
    added.append(UInt32(count))
    count += 1
  }

  mutating func write(to file: inout SectionFileWriter) throws(SnapshotError) {
    for column in codes { try column.builder.write(to: &file) }
    for column in texts { try column.builder.write(to: &file) }
    try hours.writeHours(to: &file)
    // the old order with gaps, then what is new
    let kept: [UInt32]? = old?.columns.names.positions.compactMap { UInt32(exactly: places[$0]) }
    try NameOrder.write(texts[0].builder, at: (kept ?? []) + added, to: &file)
    if let old { index.merge(old.words, at: places) }
    try index.write(to: &file)
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
