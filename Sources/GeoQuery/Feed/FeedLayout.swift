/// Where the records of a checked feed lie in its text.
struct FeedLayout {
  /// The format found, or the one asked for.
  let format: FeedFormat

  /// Whether geoq wrote the collection.
  private(set) var isOwn = false

  /// The records in the feed's order.
  private(set) var records: [Record] = []

  /// The text of one record.
  struct Record {
    let range: Range<Int>

    /// What is wrong with the text of one line of a sequence; the other lines still count.
    var fault: JSONSyntaxError?
  }

  private static let recordSeparator: UInt8 = 0x1E

  /// Checks the grammar of the whole text and finds its records.
  ///
  /// - Throws: `FeedFault` where the text is broken or no feed of a format that geoq reads.
  init(_ bytes: [UInt8], start: Int, format forced: FeedFormat?) throws(FeedFault) {
    var scanner = JSONScanner(bytes)
    scanner.position = start
    let isSequence = scanner.skipSeparators()
    if isSequence || forced == .geojsonseq {
      format = .geojsonseq
      try findSequence(&scanner, usesSeparators: isSequence)
      try checkFirstRecord(in: bytes, isForced: forced != nil)
      return
    }
    let rootStart = scanner.position
    try Self.wrapped { () throws(JSONSyntaxError) in try scanner.skipValue() }
    let root = try Self.root(bytes, at: rootStart)

    let afterRoot = scanner.position
    let hasSeparators = scanner.skipSeparators()
    let found =
      if let forced {
        try Self.agreed(forced, root, at: rootStart)
      } else {
        try Self.recognise(root, at: rootStart)
      }
    try Self.checkReferenceSystem(root)

    if found == .geojson, root.text("type") == "Feature" {
      format = scanner.next == nil ? .geojson : .geojsonseq
      records = [Record(range: rootStart..<afterRoot)]
      try findSequence(&scanner, usesSeparators: hasSeparators)
      return
    }
    if scanner.next != nil {
      throw FeedFault("text after the end of the feed", at: scanner.position)
    }
    format = found
    isOwn = root.text(GeoJSONRecord.mark.name).map(JSONValue.string) == GeoJSONRecord.mark.value
    try findElements(of: found == .geojson ? "features" : "restaurants", in: root, bytes)
  }

  /// A sequence is judged by its first text that is whole.
  private func checkFirstRecord(in bytes: [UInt8], isForced: Bool) throws(FeedFault) {
    guard let first = records.first(where: { $0.fault == nil }) else {
      throw FeedFault(
        "not a feed: no text of the sequence is JSON",
        at: records.first?.range.lowerBound
      )
    }
    let root = try Self.root(bytes, at: first.range.lowerBound)
    try Self.checkReferenceSystem(root)
    if isForced, (try? FeedFormat.recognise(root)) == nil { return }
    let format = try Self.recognise(root, at: first.range.lowerBound)
    guard format == .geojson, root.text("type") == "Feature" else {
      throw FeedFault(
        "not a sequence of Features; leave the format out",
        at: first.range.lowerBound
      )
    }
  }

  /// The format that was asked for, unless the feed plainly has another one.
  private static func agreed(
    _ forced: FeedFormat,
    _ root: RootObject,
    at start: Int
  ) throws(FeedFault) -> FeedFormat {
    guard let found = try? FeedFormat.recognise(root), found != forced else { return forced }
    throw FeedFault(
      "this is not \(forced.rawValue) but looks like \(found.rawValue); leave the format out",
      at: start
    )
  }

  private static func recognise(
    _ root: RootObject,
    at start: Int
  ) throws(FeedFault) -> FeedFormat {
    do {
      return try FeedFormat.recognise(root)
    } catch {
      throw FeedFault(error.text, at: start)
    }
  }

  private static func root(_ bytes: [UInt8], at start: Int) throws(FeedFault) -> RootObject {
    guard bytes[start] == UInt8(ascii: "{") else {
      let kind = bytes[start] == UInt8(ascii: "[") ? "an array" : "a single value"
      throw FeedFault(
        "not a feed: the root is \(kind); expected an object with \"restaurants\", or GeoJSON",
        at: start
      )
    }
    let root = try wrapped { () throws(JSONSyntaxError) in
      try RootObject(JSONScanner(bytes, range: start..<bytes.count))
    }
    if let name = root.duplicateName {
      throw FeedFault("the root names \"\(shortened(name))\" twice", at: start)
    }
    return root
  }

  /// GeoJSON of 2008 could name another reference system; its numbers are then no degrees.
  private static func checkReferenceSystem(_ root: RootObject) throws(FeedFault) {
    guard let range = root.range(of: "crs"), !root.isNull("crs") else { return }
    let name = root.text("crs.properties.name") ?? "that its crs describes"
    let isDegrees =
      name.hasSuffix("CRS84") || (name.contains("EPSG:") && name.hasSuffix(":4326"))
    guard isDegrees else {
      throw FeedFault(
        "the reference system \(shortened(name)) is not WGS84 degrees; reproject it to EPSG:4326",
        at: range.lowerBound
      )
    }
  }

  private mutating func findElements(
    of name: String,
    in root: RootObject,
    _ bytes: [UInt8]
  ) throws(FeedFault) {
    guard let range = root.range(of: name) else {
      throw FeedFault("not a feed: the root has no \"\(name)\"")
    }
    guard bytes[range.lowerBound] == UInt8(ascii: "[") else {
      throw FeedFault("not a feed: \"\(name)\" is not an array", at: range.lowerBound)
    }
    var scanner = JSONScanner(bytes, range: range)
    var found: [Record] = []
    try Self.wrapped { () throws(JSONSyntaxError) in
      try scanner.eachElement(depth: 1) { (scanner, deeper) throws(JSONSyntaxError) in
        scanner.skipWhitespace()
        let start = scanner.position
        try scanner.skipValue(depth: deeper)
        found.append(Record(range: start..<scanner.position))
      }
    }
    records = found
  }

  /// Finds the texts that follow the first one.
  ///
  /// A broken text in the middle costs only itself (RFC 8142 §2.3); one that breaks off at the very
  /// end means that the file was cut, and nothing of it can be trusted to be complete.
  private mutating func findSequence(
    _ scanner: inout JSONScanner,
    usesSeparators: Bool
  ) throws(FeedFault) {
    while scanner.next != nil {
      let start = scanner.position
      do {
        try scanner.skipValue()
        records.append(Record(range: start..<scanner.position))
      } catch {
        let mark = usesSeparators ? Self.recordSeparator : 0x0A
        let stop = scanner.bytes[start..<scanner.end].firstIndex(of: mark) ?? scanner.end
        scanner.position = stop
        let isLast = !scanner.skipSeparators() && scanner.next == nil
        if isLast, error.offset == scanner.end {
          throw FeedFault("the feed breaks off inside a record: \(error.problem)", at: start)
        }
        let fault = Self.fault(in: scanner.bytes, start..<stop) ?? error
        records.append(Record(range: start..<stop, fault: fault))
      }
      _ = scanner.skipSeparators()
    }
  }

  /// What is wrong with one text of a sequence: a broken one may run on into those that follow.
  private static func fault(in bytes: [UInt8], _ range: Range<Int>) -> JSONSyntaxError? {
    var scanner = JSONScanner(bytes, range: range)
    do throws(JSONSyntaxError) {
      try scanner.skipValue()
      return nil
    } catch {
      return error
    }
  }

  private static func wrapped<Result>(
    _ body: () throws(JSONSyntaxError) -> Result
  ) throws(FeedFault) -> Result {
    do {
      return try body()
    } catch {
      throw FeedFault(error)
    }
  }
}

extension JSONScanner {
  /// Moves past white space and RFC 8142 record separators; true where there was a separator.
  fileprivate mutating func skipSeparators() -> Bool {
    skipWhitespace()
    var found = false
    while next == 0x1E {
      found = true
      position += 1
      skipWhitespace()
    }
    return found
  }
}
