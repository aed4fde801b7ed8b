import GeoQuery

/// Determines from its first bytes how a feed is read.
struct FeedDetection {
  let format: FeedFormat
  let splitter: RecordSplitter
  let columns: ChosenColumns
  let cellNames: [String]?

  /// Whether geoq wrote the collection.
  let isOwn: Bool

  /// The list that the stores of a retailer's feed refer to, if it is buffered.
  let retailers: JSONValue?

  /// The maximum look-ahead: a record and a little more.
  private static let lookahead = FeedReader.maximumRecordBytes + FeedWindow.chunk

  /// Reads the start of a feed, and moves the window to where the records are found.
  init(_ window: inout FeedWindow, options: FeedReader) throws {
    try Self.beginText(in: &window, options.encoding)
    let forced = options.format
    let first = window.next ?? 0
    let isTable = forced == .csv || forced == .tsv || options.table.isStated
    if isTable || !Self.beginsJSON(first), let table = try Self.table(in: &window, options) {
      self = table
    } else if first == 0x1E || forced == .geojsonseq {
      self = try Self.sequence(in: &window, options)
    } else {
      self = try Self.json(in: &window, options)
    }
  }

  private init(
    _ format: FeedFormat,
    _ splitter: RecordSplitter,
    _ columns: ChosenColumns,
    root: RootObject? = nil,
    cellNames: [String]? = nil
  ) {
    (self.format, self.splitter, self.columns) = (format, splitter, columns)
    self.cellNames = cellNames
    if case .table(let table) = splitter {
      isOwn = table.isOwn
    } else {
      isOwn = root?.value(GeoJSONRecord.mark.name) == GeoJSONRecord.mark.value
    }
    retailers = format == .retailerStores ? root?.value("retailers") : nil
  }

  /// Decompresses, rejects what is not text, and skips a byte order mark and white space.
  private static func beginText(in window: inout FeedWindow, _ encoding: TextEncoding) throws {
    try window.fill(to: lookahead)
    if window.bytes.starts(with: GzipBytes.magic) {
      do {
        try window.convert(GzipBytes.init)
      } catch let error as ByteSourceError {
        throw FeedFault(error.description)
      }
      try window.fill(to: lookahead)
      if window.bytes.starts(with: GzipBytes.magic) {
        throw FeedFault("this is gzip inside gzip; decompress it once")
      }
    }
    if let units = WideUnits(of: window.bytes) {
      window.convert { ConvertedText(start: $0, then: $1, units.convert) }
      try window.fill(to: lookahead)
    }
    if let kind = UnsupportedFormat.binaryKind(of: window.bytes) { throw kind.fault() }
    if window.bytes.isEmpty { throw FeedFault("the feed is empty") }
    if encoding != .utf8 {
      if window.bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
        throw FeedFault("the feed starts with the UTF-8 byte order mark; \(Remedy.omitEncoding)")
      }
      window.convert { ConvertedText(start: $0, then: $1, encoding.conversion) }
      try window.fill(to: lookahead)
    }
    if window.bytes.starts(with: [0xEF, 0xBB, 0xBF]) { window.position = 3 }
    guard let first = try window.skipWhitespace() else {
      throw FeedFault("the feed has only white space")
    }
    try window.fill(to: lookahead)
    // a tab before the first name is an empty cell of a table
    while !beginsJSON(first), window.position > 0, window.bytes[window.position - 1] == 0x09 {
      window.position -= 1
    }
    if first == UInt8(ascii: "<") {
      let kind = UnsupportedFormat.markupKind(of: window.bytes[window.position...])
      throw kind.fault(at: window.offset)
    }
    try window.beginText()
  }

  private static func beginsJSON(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") || byte == 0x1E
  }

  // MARK: - Tables

  private static func table(
    in window: inout FeedWindow,
    _ options: FeedReader
  ) throws -> FeedDetection? {
    let forced = options.format
    let stated = Self.statedSeparator(in: &window)
    guard
      let separator = try options.table.delimiter ?? stated
        ?? foundSeparator(of: window, options)
    else { return nil }
    let reader = try TableReader(&window, separator: separator, options: options)
    let found: FeedFormat =
      reader.header.isFoursquare ? .fsqOS : separator == 0x09 ? .tsv : .csv
    if let forced, !forced.isCompatible(with: found) {
      throw mismatch(forced, found, at: 0)
    }
    return FeedDetection(forced ?? found, .table(reader), reader.header.columns)
  }

  /// The byte that separates the cells; nil if the feed is not a table.
  private static func foundSeparator(
    of window: FeedWindow,
    _ options: FeedReader
  ) throws -> UInt8? {
    if options.table.header == .firstLine {
      if let found = TableHeader.separator(of: window, options) { return found }
    }
    let formats: [FeedFormat?] = [.csv, .tsv, .fsqOS]
    let isTable =
      formats.contains(options.format) || options.table.isStated || options.isNamedAsTable
    // a brace after something else is the start of a broken document
    let hasBrace = window.bytes[window.position...].prefix(4_096).contains(UInt8(ascii: "{"))
    let guess = isTable || !hasBrace ? TableHeader.guess(of: window) : nil
    if options.table.header != .firstLine, let guess { return guess.separator }
    if UnsupportedFormat.isYAML(window.bytes[window.position...]) {
      throw UnsupportedFormat.yaml.fault(at: window.offset)
    }
    if let guess, !beginsJSON(window.next ?? 0) {
      throw FeedFault(
        "no header line found, in a table of \(guess.count) columns; \(Remedy.headerNames)",
        at: window.offset
      )
    }
    guard isTable else { return nil }
    throw FeedFault(
      "no columns found: the first line has no comma, semicolon, tab or pipe between names; "
        + "\(Remedy.delimiter)",
      at: window.offset
    )
  }

  /// Skips a line `sep=;`, which spreadsheets write before a table; returns its separator.
  private static func statedSeparator(in window: inout FeedWindow) -> UInt8? {
    let line = window.bytes[window.position...].prefix(8).split {
      $0 == 0x0A || $0 == 0x0D
    }.first
    guard let line, line.count == 5, String(decoding: line.prefix(4), as: UTF8.self) == "sep=",
      let separator = line.last
    else { return nil }
    window.position += line.count
    while let next = window.next, next == 0x0A || next == 0x0D { window.position += 1 }
    return separator
  }

  // MARK: - JSON

  private static func json(
    in window: inout FeedWindow,
    _ options: FeedReader
  ) throws -> FeedDetection {
    let found = try recognized(in: window, options)
    let root = object(at: window.position, in: window)
    try checkReferenceSystem(root, in: window)
    if let path = found.path {
      let splitter = RecordSplitter.document(DocumentWalker(path: path))
      let (columns, names) = (options.columns, found.cellNames)
      return FeedDetection(found.format, splitter, columns, root: root, cellNames: names)
    }
    let end = try? end(of: window.position, in: window)
    let rest = end.map { window.bytes[$0...] }
    let isAlone =
      window.isAtEnd && rest?.allSatisfy { blanks.contains($0) || $0 == 0x1E } == true
    let usesSeparators = rest?.first { !blanks.contains($0) } == 0x1E
    return FeedDetection(
      found.format == .geojsonseq && isAlone ? .geojson : found.format,
      .sequence(SequenceSplitter(usesSeparators: usesSeparators)),
      options.columns
    )
  }

  private static func recognized(
    in window: FeedWindow,
    _ options: FeedReader
  ) throws -> FeedRecognition {
    // the text is checked at once if it fits into the look-ahead
    do throws(JSONSyntaxError) {
      _ = try end(of: window.position, in: window)
    } catch {
      if !isCut(error, in: window) { throw FeedFault(error.moved(by: window.base)) }
    }
    let recognition = Result { () throws(FeedProblem) in
      try recognize(at: window.position, in: window)
    }
    guard let forced = options.format else {
      // if the user names members, each object is a record
      if !options.columns.isEmpty { return (try? recognition.get()) ?? .general(in: window) }
      return try recognition.mapError { FeedFault($0, at: window.offset) }.get()
    }
    if let found = try? recognition.get() {
      guard forced.isCompatible(with: found.format) else {
        throw mismatch(forced, found.format, at: window.offset)
      }
      return FeedRecognition(forced, found.path)
    }
    let path = FeedRecognition.defaultPath(of: forced)
    if let path, window.next == UInt8(ascii: "{") { return FeedRecognition(forced, path) }
    return FeedRecognition(forced, FeedRecognition.general(in: window).path)
  }

  private static let blanks: [UInt8] = [0x20, 0x09, 0x0A, 0x0D]

  /// The index after the value that starts here.
  private static func end(of start: Int, in window: FeedWindow) throws(JSONSyntaxError) -> Int {
    var scanner = JSONScanner(feed: window.bytes, start..<window.bytes.count)
    try scanner.skipValue()
    return scanner.position
  }

  /// Whether the value that starts here is longer than what is buffered.
  private static func isCut(at start: Int, in window: FeedWindow) -> Bool {
    do throws(JSONSyntaxError) {
      _ = try end(of: start, in: window)
      return false
    } catch {
      return isCut(error, in: window)
    }
  }

  private static func isCut(_ error: JSONSyntaxError, in window: FeedWindow) -> Bool {
    error.offset >= window.bytes.count && !window.isAtEnd
  }

  private static func recognize(
    at start: Int,
    in window: FeedWindow
  ) throws(FeedProblem) -> FeedRecognition {
    let root = object(at: start, in: window)
    switch window.bytes[start] {
    case UInt8(ascii: "{"):
      let starts = startsOfTexts(at: start, in: window)
      let found = try firstKnown(starts, else: notAnObject("a single value")) {
        (other: Int) throws(FeedProblem) -> FeedRecognition in
        let found = try FeedRecognition(
          other == start ? root : object(at: other, in: window),
          isCut: isCut(at: other, in: window)
        )
        // a document in a sequence is none of its records
        if other != start, found.path != nil { throw notAnObject("a single value") }
        return found
      }
      if found.path != nil, let name = root.duplicateName {
        throw FeedProblem("the root object has the member \"\(shortened(name))\" twice")
      }
      return found
    case UInt8(ascii: "["):
      let all = JSONScanner(feed: window.bytes, start..<window.bytes.count)
      let elements = all.firstElements()
      if elements[0].next == UInt8(ascii: "]") {
        throw FeedProblem("the feed is empty: its array has no records")
      }
      let starts = elements.filter { $0.next == UInt8(ascii: "{") }.map(\.position)
      return try firstKnown(starts, else: notAnObject("an array")) {
        (start: Int) throws(FeedProblem) -> FeedRecognition in
        try FeedRecognition(
          object(at: start, in: window),
          isElement: true,
          isCut: isCut(at: start, in: window)
        )
      }
    default: throw notAnObject("a single value")
    }
  }

  /// The recognition of the first of some records that is recognized.
  ///
  /// - Throws: The problem of the first record, if none is.
  private static func firstKnown(
    _ starts: some Sequence<Int>,
    else none: FeedProblem,
    _ recognize: (Int) throws(FeedProblem) -> FeedRecognition
  ) throws(FeedProblem) -> FeedRecognition {
    var problem: FeedProblem?
    for start in starts {
      do throws(FeedProblem) {
        return try recognize(start)
      } catch {
        problem = problem ?? error
      }
    }
    throw problem ?? none
  }

  /// The starts of the first objects of a sequence, as far as they are buffered; each is looked for
  /// only if those before it are not recognized.
  private static func startsOfTexts(at start: Int, in window: FeedWindow) -> some Sequence<Int> {
    Swift.sequence(first: start) { start in
      guard let end = try? end(of: start, in: window) else { return nil }
      let next = window.bytes[end...].firstIndex { !blanks.contains($0) }
      return next.flatMap { window.bytes[$0] == UInt8(ascii: "{") ? $0 : nil }
    }
    .prefix(FeedRecognition.sampleCount)
  }

  private static func notAnObject(_ kind: String) -> FeedProblem {
    FeedProblem(
      "not a feed: the root is \(kind); expected an object with \"restaurants\", or GeoJSON"
    )
  }

  private static func object(at start: Int, in window: FeedWindow) -> RootObject {
    RootObject(JSONScanner(feed: window.bytes, start..<window.bytes.count))
  }

  private static func mismatch(
    _ forced: FeedFormat,
    _ found: FeedFormat,
    at offset: Int
  ) -> FeedFault {
    FeedFault(
      "this is not \(forced.rawValue) but looks like \(found.rawValue); omit the format",
      at: offset
    )
  }

  /// Opens a sequence, recognized by its first byte or chosen by the user.
  private static func sequence(
    in window: inout FeedWindow,
    _ options: FeedReader
  ) throws -> FeedDetection {
    let usesSeparators = window.next == 0x1E
    let splitter = RecordSplitter.sequence(SequenceSplitter(usesSeparators: usesSeparators))
    var found = FeedFormat.geojsonseq
    if try SequenceSplitter.skipSeparators(in: &window) != nil {
      let start = try firstText(in: window, usesSeparators: usesSeparators)
      let root = object(at: start, in: window)
      try checkReferenceSystem(root, in: window)
      do throws(FeedProblem) {
        let recognition = try FeedRecognition(root, isCut: false)
        guard recognition.path == nil else {
          throw FeedProblem("not a sequence of Features; omit the format")
        }
        found = recognition.format
      } catch {
        if options.format == nil || error.text.hasPrefix("not a sequence") {
          throw FeedFault(error, at: window.base + start)
        }
      }
      if let forced = options.format, !forced.isCompatible(with: found) {
        throw mismatch(forced, found, at: window.base + start)
      }
    }
    return FeedDetection(options.format ?? found, splitter, options.columns)
  }

  /// The start of the first complete text, by which a sequence is recognized; of the text that is
  /// longer than a record may be, if that comes first.
  private static func firstText(in window: FeedWindow, usesSeparators: Bool) throws -> Int {
    let mark: UInt8 = usesSeparators ? 0x1E : 0x0A
    var start = window.position
    var searchedCount = 0
    while start < window.bytes.count {
      var scanner = JSONScanner(feed: window.bytes, start..<window.bytes.count)
      scanner.skipWhitespace()
      let text = scanner.position
      do throws(JSONSyntaxError) {
        // otherwise each of many unclosed arrays would be searched to the end
        let isFew = searchedCount <= window.bytes.count
        try scanner.skipValue(upTo: isFew ? .max : JSONScanner.maximumDepth)
        return text
      } catch {
        searchedCount += error.offset - text
        let stop = window.bytes[text...].firstIndex(of: mark)
        // its end is not buffered: its first members tell the format, and only it is rejected
        if stop == nil, !window.isAtEnd { return text }
        start = (stop ?? window.bytes.count) + 1
      }
    }
    throw FeedFault("not a feed: no text of the sequence is JSON", at: window.offset)
  }

  /// Checks the reference system: GeoJSON of 2008 could name another one, whose numbers are not
  /// degrees.
  private static func checkReferenceSystem(_ root: RootObject, in window: FeedWindow) throws {
    guard let range = root.range(of: "crs"), !root.isNull("crs") else { return }
    let name = root.text("crs.properties.name") ?? "that its crs describes"
    if let fault = referenceSystemFault(name) {
      throw FeedFault(fault, at: window.base + range.lowerBound)
    }
  }

  /// The problem of a reference system; nil if there is none.
  static func referenceSystemFault(_ name: String) -> String? {
    // EPSG 4979 and CRS84h have a height as well; a longer name cannot be one of those
    let parts = name.utf8.count < 200 ? name.lowercased().split { ":/#".contains($0) } : []
    switch parts.last {
    case "crs84", "crs84h": return nil
    case "4326", "4979": if parts.contains("epsg") { return nil }
    case "wgs84", "wgs 84": if parts.count == 1 { return nil }
    default: break
    }
    return
      "the reference system \(shortened(name)) is not WGS84 degrees; reproject it to EPSG:4326"
  }
}
