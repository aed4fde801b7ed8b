package import GeoQuery

/// The records of a feed, read one at a time, in memory that does not grow with the feed.
///
/// A bad record is a rejected entry and does not affect others. An error of the feed as a whole (it
/// is truncated, continues after its end, or is not UTF-8) is thrown where it is found, after
/// accepted entries: the consumer must be able to undo these.
///
/// ```swift
/// var stream = try FeedReader(source: "lunch").stream(MemoryBytes(bytes))
/// while let entry = try stream.next() {
///   if case .accepted(let record) = entry { print(record.restaurant.name) }
/// }
/// ```
public struct FeedStream {
  /// The format of the records.
  public let format: FeedFormat

  /// The source of records that name none.
  public let source: String

  /// The name of the feed in errors.
  public private(set) var name: String

  /// The number of records read, accepted or not.
  public private(set) var recordCount = 0

  /// The number of bytes of text read, after decompression.
  public var byteCount: Int { earlierBytes + window.offset }

  /// The number of pages read; 1 unless further ones are followed.
  package private(set) var pageCount = 1

  /// A warning about the feed as a whole.
  public private(set) var notice: String?

  /// Reads the values of the records, on another thread if one likes: it does not change.
  package private(set) var reader: RecordReader

  private var window: FeedWindow
  private var splitter: RecordSplitter
  private let recordLimit: Int
  private let options: FeedReader
  private var earlierBytes = 0
  private var openPage: OpenPage?
  private var manner: [String]?
  private var recognition: RecordRecognition?
  private var lastRange = 0..<0

  init(_ bytes: any ByteSource, options: FeedReader) throws {
    var window = FeedWindow(bytes)
    do {
      let opening = try FeedDetection(&window, options: options)
      let aliases = FieldAliases(opening.columns)
      aliases.order = options.pairOrder
      if let problem = options.columns.problem(for: opening.format) { throw FeedFault(problem) }
      format = opening.format
      splitter = opening.splitter
      reader = RecordReader(format: opening.format, options: options)
      reader.isOwn = opening.isOwn
      reader.aliases = aliases
      reader.retailers = RetailerList(opening.retailers)
      reader.columns = opening.cellNames
    } catch let fault as FeedFault {
      throw window.error(of: fault, name: options.name)
    }
    source = options.source
    name = options.name
    recordLimit = options.recordLimit ?? .max
    self.options = options
    self.window = window
    if options.pairOrder == nil { findOrder() }
    guard splitter.readsText(format), reader.columns == nil else { return }
    let order = reader.aliases.order?.rawValue ?? ""
    manner = options.manner + [format.rawValue, "\(reader.isOwn)", order]
  }

  /// Reads two numbers in the other order if only that is possible for all of the first records.
  private mutating func findOrder() {
    guard reader.isGeneral else { return }
    let record = GeneralRecord(aliases: reader.aliases, isTable: false)
    let pairs = sample(FeedRecognition.sampleCount).compactMap(record.pair).filter {
      $0.isPossible($0.usualOrder) || $0.isPossible($0.usualOrder.reversed)
    }
    guard let usual = pairs.first?.usualOrder,
      !pairs.contains(where: { $0.isPossible($0.usualOrder) })
    else { return }
    reader.aliases.order = usual.reversed
    let words = usual == .latitudeFirst ? "longitude, latitude" : "latitude, longitude"
    notice =
      "positions are read as \(words), because the first \(pairs.count) are not possible otherwise; "
      + "\(Remedy.pairOrder)"
  }

  /// The first records, as far as they are buffered.
  private func sample(_ limit: Int) -> [JSONValue] {
    var (splitter, window) = (splitter, window.buffered)
    var values: [JSONValue] = []
    while values.count < limit, let text = try? splitter.next(in: &window, nil) {
      if case .value(let value) = text.content { values.append(value) }
    }
    return values
  }

  /// What the columns or members of the first records mean; empty for formats whose names are known.
  ///
  /// Call it before the first record is read.
  package var mapping: FeedMapping {
    reader.isGeneral || [.geojson, .geojsonseq].contains(format) && !reader.isOwn
      ? FeedMapping(sample(FeedMapping.sampleCount), reader) : FeedMapping()
  }

  /// The names of a table's columns; nil if the feed is not a table.
  var tableColumns: [String]? {
    if case .table(let table) = splitter { table.header.names } else { nil }
  }

  /// The next record, or nil after the last.
  ///
  /// - Throws: `FeedError` if the feed as a whole is bad; the error of its source if reading fails.
  public mutating func next() throws -> FeedEntry? {
    guard let found = try nextFound(), case .read(let entry, _) = reader.entry(of: found) else {
      return nil
    }
    return entry
  }

  /// Whether its records name chains that are not in the feed.
  package var needsChains: Bool { format == .retailerStores && reader.retailers.isEmpty }

  /// Adds to stores the chains that they name.
  package mutating func join(_ chains: [Chain]) {
    reader.retailers.add(chains)
  }

  /// The next offer or chain, or nil after the last.
  package mutating func nextOffer() throws -> OfferEntry? {
    guard let found = try nextRecord() else { return nil }
    do throws(FeedError) {
      return try found.read { (value) throws(FeedProblem) in
        format == .retailers
          ? .chain(try ChainRecord.read(value, source: source), found.place)
          : .offer(try OfferRecord.read(value, source: source), found.place)
      }
    } catch {
      return .rejected(error)
    }
  }

  /// The next record before its value is read, or nil after the last.
  mutating func nextRecord(_ recognition: RecordRecognition? = nil) throws -> FoundRecord? {
    guard recordCount < recordLimit else { return nil }
    do {
      guard let text = try splitter.next(in: &window, recognition) else {
        if try openNextPage() { return try nextRecord(recognition) }
        try splitter.checkEnd(of: format, recordCount, allowsPart: options.allowsPart)
        return nil
      }
      recordCount += 1
      lastRange = text.range
      let start = text.range.lowerBound
      let line = text.line ?? window.line(at: start)
      let place = FeedPlace(source: name, record: recordCount, line: line, byte: start)
      var found = FoundRecord(place: place, content: content(of: text, at: place))
      found.warning = text.warning
      return found
    } catch let fault as FeedFault {
      throw window.error(of: fault, name: name)
    }
  }

  /// Opens the page of a feed that a link leads to, which may be relative.
  public typealias OpenPage = (_ link: String) throws -> (name: String, bytes: any ByteSource)

  /// From now on reads the pages that the feed names as its next ones, as one feed.
  public mutating func follow(_ open: @escaping OpenPage) {
    if !options.allowsPart { openPage = open }
  }

  /// Continues with the next page, if the feed names one and it is followed.
  private mutating func openNextPage() throws -> Bool {
    guard let openPage, let link = splitter.nextPage, format == .geojson || format == .jsonl else {
      return false
    }
    let page = try openPage(link)
    (name, pageCount) = (page.name, pageCount + 1)
    earlierBytes += window.offset
    window = FeedWindow(page.bytes)
    lastRange = 0..<0
    let opening = try FeedDetection(&window, options: options)
    guard opening.format == format, case .document = opening.splitter else {
      throw FeedFault("this page looks like \(opening.format.rawValue), not like the first one")
    }
    splitter = opening.splitter
    return true
  }

  /// From now on recognizes records with unchanged bytes, if the format allows it.
  package mutating func recognize(_ known: KnownRecords?, key: SipHash.Key) {
    recognition = manner.map { RecordRecognition(known, key: key, manner: $0) }
  }

  /// The next record, which may be a known one, before its values are read; nil after the last.
  package mutating func nextFound() throws -> FoundRecord? {
    guard format.content == .restaurants else {
      throw FeedError(
        source: name,
        problem: "this is a feed of \(format.content.rawValue), not of restaurants"
      )
    }
    guard var found = try nextRecord(recognition) else { return nil }
    if case .known = found.content { return found }
    found.byteCount = lastRange.count
    if let recognition { found.key = withLastText { recognition.key(of: $0) } ?? .none }
    return found
  }

  /// The bytes of the record that `next` returned last; empty if it was too long.
  public var recordText: [UInt8] {
    withLastText { Array($0) } ?? []
  }

  /// Calls a body with the text of the last record; nil if it is no longer buffered.
  private func withLastText<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result? {
    let start = lastRange.lowerBound - window.base
    guard start >= 0 else { return nil }
    return window.bytes.withUnsafeBytes { bytes in
      body(.init(rebasing: bytes[start..<start + lastRange.count]))
    }
  }

  private mutating func content(of text: RecordText, at place: FeedPlace) -> FoundRecord.Content {
    switch text.content {
    case .known(let row): return .known(row)
    case .value(let value): return .value(value)
    case .broken(let error):
      let line = error.offset >= window.base ? window.line(at: error.offset) : place.line
      let (record, byte) = (place.record, error.offset)
      return .broken(
        FeedError(source: name, record: record, line: line, byte: byte, problem: error.problem)
      )
    case .tooLong:
      let limit = FeedReader.maximumRecordBytes
      return .broken(place.error("the record has \(text.range.count) bytes; the limit is \(limit)"))
    }
  }
}

extension FeedWindow {
  /// An error with the name of its feed and its line.
  mutating func error(of fault: FeedFault, name: String) -> FeedError {
    let held = fault.offset.flatMap { $0 >= base ? line(at: $0) : nil }
    let problem = fault.sentence(name: name)
    return FeedError(source: name, line: fault.line ?? held, byte: fault.offset, problem: problem)
  }
}

/// Which columns or members of a feed the keys of the record are read from.
package struct FeedMapping: Sendable {
  /// The keys in their order, each with the name of its column or the path of its member, one of
  /// several, and the first value there.
  package private(set) var entries: [(field: RestaurantField, column: String, value: String)] = []

  /// The columns that no key is read from, in the feed's order; they are kept in `extra`.
  package private(set) var others: [String] = []

  /// The values that their keys cannot have, which are kept in `extra`: the first one of each column and
  /// the number of all.
  package private(set) var misfits:
    [(field: RestaurantField, column: String, value: String, count: Int)] = []

  /// The number of records that were looked at.
  package private(set) var recordCount = 0

  /// The number of first records that are looked at.
  static let sampleCount = 1_000

  init() {}

  /// Reads some records to find out.
  init(_ records: [JSONValue], _ reader: RecordReader) {
    var found: [RestaurantField: (field: RestaurantField, column: String, value: String)] = [:]
    reader.aliases.trace = { field, column, value in
      guard found[field] == nil else { return }
      found[field] = (field, column, value.asText ?? "\(value)")
    }
    var misfits = misfits
    reader.aliases.misfit = { field, column, value in
      let known = misfits.firstIndex { $0.field == field && $0.column.isUTF8Equal(to: column) }
      if known == nil { misfits.append((field, column, value.asText ?? "\(value)", 0)) }
      misfits[known ?? misfits.count - 1].count += 1
    }
    defer { (reader.aliases.trace, reader.aliases.misfit) = (nil, nil) }
    var seen: Set<UTF8Key> = []
    for record in records {
      guard let restaurant = try? reader.read(record).restaurant else { continue }
      for member in restaurant.extra where seen.insert(UTF8Key(member.name)).inserted {
        if !reader.aliases.knows(member) { others.append(member.name) }
      }
    }
    entries = RestaurantField.allCases.compactMap { found[$0] }
    (self.misfits, recordCount) = (misfits, records.count)
  }
}
