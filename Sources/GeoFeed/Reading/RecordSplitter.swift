import GeoQuery

/// Finds the records of a feed, depending on where they are.
enum RecordSplitter {
  case document(DocumentWalker)
  case sequence(SequenceSplitter)
  case table(TableReader)

  /// The next record, or nil after the last; records that are recognized are not parsed.
  mutating func next(
    in window: inout FeedWindow,
    _ recognition: RecordRecognition? = nil
  ) throws -> RecordText? {
    switch self {
    case .document(var walker):
      // replaced first, so that the walker is changed in place and not copied
      self = .sequence(SequenceSplitter(usesSeparators: false))
      defer { self = .document(walker) }
      return try walker.next(in: &window, recognition)
    case .sequence(var splitter): return try splitter.next(in: &window, recognition)
    case .table(let reader): return try reader.next(in: &window)
    }
  }

  /// Whether the meaning of a record depends on its text alone: a row also depends on the header,
  /// and a retailer's store on a list.
  func readsText(_ format: FeedFormat) -> Bool {
    if case .table = self { return false }
    // a record in an object has its name there as its id
    if case .document(let walker) = self, walker.path.last == .members { return false }
    return format != .retailerStores
  }

  /// Checks the members next to the records, at the end of the feed.
  ///
  /// - Throws: `FeedFault` if the feed says that it is incomplete, which it may be if `allowsPart`,
  ///   or not in degrees.
  func checkEnd(of format: FeedFormat, _ count: Int, allowsPart: Bool) throws(FeedFault) {
    guard case .document(let walker) = self else { return }
    let root = walker.root
    if let problem = Self.refusal(format, root) { throw FeedFault(problem) }
    if !allowsPart, let problem = Self.missingPart(root, count) { throw FeedFault(problem) }
    if format == .retailers, walker.hasMember("stores") {
      throw FeedFault(
        "the stores of this feed come too far after its retailers; import them as two feeds"
      )
    }
    guard let system = root.value("crs") else { return }
    let name = JSONFields(system).find(["properties", "name"])?.value.asText
    if let fault = FeedDetection.referenceSystemFault(name ?? "that its crs describes") {
      throw FeedFault(fault)
    }
  }

  /// The link to the next page of an answer of an OGC API; nil if there is none.
  var nextPage: String? {
    guard case .document(let walker) = self else { return nil }
    return Self.link(walker.root)
  }

  private static func link(_ root: JSONFields) -> String? {
    guard case .array(let links)? = root.value("links") else { return nil }
    let pages = links.map { JSONFields($0) }.filter { $0.value("rel") == .string("next") }
    return pages.first?.value("href")?.asText
  }

  /// What a page of an answer says of the records that it does not have; nil if it is the whole.
  ///
  /// A total by itself may count anything; it tells of more records only next to a page or an
  /// offset.
  private static func missingPart(_ root: JSONFields, _ count: Int) -> String? {
    func number(_ names: [String]) -> Int? {
      names.lazy.compactMap { root.value($0)?.asText.flatMap { Int($0) } }.first
    }
    var next = link(root)
    for name in nextNames where next == nil {
      guard case .string(let text)? = root.value(name), !text.isEmpty else { continue }
      next = text
    }
    let isPage = pageNames.contains { root.value($0) != nil }
    let all = number(["numberMatched", "totalFeatures"] + (isPage ? totalNames : []))
    let isCut = [[], ["properties"]].contains {
      root.find($0 + ["exceededTransferLimit"])?.value == .bool(true)
    }
    guard next != nil || isCut || all.map({ $0 > count }) == true else { return nil }
    let address = next.flatMap {
      $0.contains("://") ? "; next page: \(shortened($0, to: 300))" : nil
    }
    return "the feed says that it is a part, \(count) of \(all.map(String.init) ?? "more") records"
      + (address ?? "") + "; import all of it, or \(Remedy.keepMissing)"
  }

  private static let nextNames = [
    "next", "nextPageToken", "next_page_token", "next_page", "nextLink", "@odata.nextLink",
    "nextCursor", "next_cursor",
  ]
  private static let pageNames = [
    "page", "offset", "limit", "per_page", "perPage", "pageSize", "page_size", "results_start",
    "results_shown", "start", "skip",
  ]
  private static let totalNames = ["total", "total_count", "totalCount", "results_found"]

  /// The message of a service next to the records, or instead of them, if its answer is incomplete.
  private static func refusal(_ format: FeedFormat, _ root: JSONFields) -> String? {
    switch format {
    case .overpass:
      return root.value("remark")?.asText.map {
        "Overpass did not finish: \(shortened($0, to: 200)); ask it for less, or give it time"
      }
    case .googleLegacy:
      guard let status = root.value("status")?.asText,
        ![UTF8Key("OK"), "ZERO_RESULTS"].contains(UTF8Key(status))
      else { return nil }
      let message = root.value("error_message")?.asText.map { " (\(shortened($0, to: 200)))" } ?? ""
      return "Google did not answer: \(shortened(status))\(message); ask it again"
    default: return nil
    }
  }
}

/// The text of one record, before its meaning is known.
struct RecordText {
  enum Content {
    /// A value to read.
    case value(JSONValue)
    /// The text of a record with unchanged bytes, by the position of its row in the store.
    case known(Int)
    /// Invalid text that affects only this record, at an offset in the feed.
    case broken(JSONSyntaxError)
    /// A text that is too long.
    case tooLong
  }

  let content: Content

  /// The range of the text in the feed.
  let range: Range<Int>

  /// The line of its start, if its first byte is no longer buffered.
  var line: Int?

  var warning: String?

  /// The record with the name under which it is in an object, unless it has an id of its own.
  func withID(_ id: String) -> RecordText {
    guard case .value(.object(let members)) = content,
      !members.contains(where: { FieldAliases.isID($0.name) })
    else { return self }
    let value = JSONValue.object([JSONMember(name: "id", value: .string(id))] + members)
    return RecordText(content: .value(value), range: range, line: line, warning: warning)
  }
}

/// Finds the texts of a sequence: after record separators (RFC 8142), one per line, or back to back.
///
/// A broken text in the middle affects only itself (RFC 8142 §2.3); an incomplete one at the end
/// means that the file is truncated, and the whole feed is rejected.
struct SequenceSplitter {
  /// Whether texts are separated by record separators; otherwise by line ends.
  let usesSeparators: Bool

  private static let recordSeparator: UInt8 = 0x1E
  private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

  /// The next text, or nil after the last.
  mutating func next(
    in window: inout FeedWindow,
    _ recognition: RecordRecognition? = nil
  ) throws -> RecordText? {
    guard try Self.skipSeparators(in: &window) != nil else { return nil }
    let start = window.offset
    let line = window.line(at: start)
    do {
      return try window.readRecord(depth: 0, recognition)
    } catch let error as JSONSyntaxError {
      return try skipBroken(error, from: start, line: line, in: &window)
    }
  }

  /// Moves past white space and record separators; nil at the end of the feed.
  static func skipSeparators(in window: inout FeedWindow) throws -> UInt8? {
    let start = window.offset
    var next = try window.skipWhitespace()
    while let first = next {
      if first == byteOrderMark[0] { try window.fill(to: byteOrderMark.count) }
      if first == recordSeparator {
        window.position += 1
      } else if window.bytes[window.position...].starts(with: byteOrderMark) {
        // files with one were joined
        window.position += byteOrderMark.count
      } else {
        break
      }
      try window.checkBlank(since: start)
      next = try window.skipWhitespace()
    }
    return next
  }

  /// Skips a broken text up to the next mark.
  private func skipBroken(
    _ error: JSONSyntaxError,
    from start: Int,
    line: Int,
    in window: inout FeedWindow
  ) throws -> RecordText {
    let isCut = window.isAtEnd && error.offset >= window.base + window.bytes.count
    // the start is no longer buffered if the text was too long
    let isHeld = window.base <= start
    if isHeld { window.position = start - window.base }
    try skipToMark(in: &window)
    let end = window.offset
    var fault = error
    if isHeld, end - start <= FeedReader.maximumRecordBytes {
      fault = Self.fault(in: window, start..<end) ?? error
    }
    let text = RecordText(content: .broken(fault), range: start..<end, line: line)
    guard isCut, try Self.isLast(in: &window) else { return text }
    throw FeedFault("the feed ends inside a record: \(error.problem)", at: start, line: line)
  }

  /// Whether only white space follows, so that everything left is buffered.
  private static func isLast(in window: inout FeedWindow) throws -> Bool {
    let position = window.position
    let isSeparated = window.next == recordSeparator
    defer { window.position = position }
    return try skipSeparators(in: &window) == nil && !isSeparated
  }

  private func skipToMark(in window: inout FeedWindow) throws {
    let mark: UInt8 = usesSeparators ? Self.recordSeparator : 0x0A
    var held = 0
    repeat {
      if let stop = window.bytes[(window.position + held)...].firstIndex(of: mark) {
        window.position = stop
        return
      }
      held = window.bytes.count - window.position
      if held > FeedReader.maximumRecordBytes {
        window.position = window.bytes.count
        held = 0
      }
    } while try window.fill()
    window.position = window.bytes.count
  }

  /// The error found in one text by itself: a broken text may run on into the next.
  private static func fault(in window: FeedWindow, _ range: Range<Int>) -> JSONSyntaxError? {
    let (from, to) = (range.lowerBound - window.base, range.upperBound - window.base)
    guard from >= 0 else { return nil }
    var scanner = JSONScanner(feed: window.bytes, from..<to)
    do throws(JSONSyntaxError) {
      try scanner.skipValue(upTo: JSONScanner.maximumDepth)
      return nil
    } catch {
      return error.moved(by: window.base)
    }
  }
}

/// One step of the path from a document's root to its records.
enum PathStep: Hashable {
  /// Into a member of an object.
  case member(UTF8Key)
  /// Into every element of an array.
  case elements
  /// Into every member of an object, whose names are the ids of the records.
  case members

  /// The steps of a path such as `response.groups[].items[]`.
  static func path(_ text: String) -> [PathStep] {
    text.split(separator: ".").flatMap { part -> [PathStep] in
      part.hasSuffix("[]")
        ? [.member(UTF8Key(String(part.dropLast(2)))), .elements]
        : [.member(UTF8Key(String(part)))]
    }
  }
}

/// Finds the records of one JSON document at a known path, without holding the document.
///
/// Everything else is parsed and skipped, so that errors after the records are found; short members
/// of the root are kept for the formats that use them.
struct DocumentWalker {
  /// The path of the records: `restaurants[]` is `[.member("restaurants"), .elements]`.
  let path: [PathStep]

  /// The members of the root with a text, a number or a small object, in their order.
  var root: JSONFields { JSONFields(.object(rootMembers)) }

  private var rootMembers: [JSONMember] = []
  /// For each open container on the path to the records, whether an item of it has begun.
  private var hasItems: [Bool] = []
  private var rootOffset: Int?
  private var rootLine = 1
  private var names: Set<UTF8Key> = []
  private var hasMetRecords = false

  private static let maximumKeptBytes = 4_096
  private static let maximumKeptMembers = 64
  private static let maximumNames = 4_096

  init(path: [PathStep]) {
    self.path = path
  }

  /// The next record, or nil after the end of the document.
  mutating func next(
    in window: inout FeedWindow,
    _ recognition: RecordRecognition? = nil
  ) throws -> RecordText? {
    do {
      if rootOffset == nil { try openRoot(in: &window) }
      while !hasItems.isEmpty {
        guard try beginItem(in: &window) else { continue }
        if let record = try readItem(in: &window, recognition) { return record }
      }
      try checkEnd(in: &window)
      return nil
    } catch let error as JSONSyntaxError {
      throw FeedFault(error)
    }
  }

  /// Whether the root has had a member with this name.
  func hasMember(_ name: String) -> Bool { names.contains(UTF8Key(name)) }

  private mutating func openRoot(in window: inout FeedWindow) throws {
    _ = try window.skipWhitespace()
    rootOffset = window.offset
    rootLine = window.line(at: window.offset)
    try open(in: &window, label: "the root")
    hasMetRecords = path.count == 1
  }

  /// Opens the container that the next step of the path needs.
  private mutating func open(in window: inout FeedWindow, label: String) throws {
    let isObject = path[hasItems.count] != .elements
    guard try window.skipWhitespace() == UInt8(ascii: isObject ? "{" : "[") else {
      throw FeedFault(
        "not a feed: \(label) is not an \(isObject ? "object" : "array")",
        at: window.offset
      )
    }
    window.position += 1
    hasItems.append(false)
  }

  /// Moves to the next item of the innermost container; false if it has ended.
  private mutating func beginItem(in window: inout FeedWindow) throws -> Bool {
    let last = hasItems.count - 1
    let close: Unicode.Scalar = path[last] == .elements ? "]" : "}"
    if try window.take(close) {
      hasItems.removeLast()
      return false
    }
    if hasItems[last], try !window.take(",") {
      throw window.unexpected("\",\" or \"\(close)\"")
    }
    hasItems[last] = true
    return true
  }

  private mutating func readItem(
    in window: inout FeedWindow,
    _ recognition: RecordRecognition?
  ) throws -> RecordText? {
    let depth = hasItems.count
    var step = PathStep.elements
    var id: String?
    if path[depth - 1] != .elements {
      let name = try window.readName()
      step = .member(UTF8Key(name))
      if path[depth - 1] == .members {
        (step, id) = (.members, name)
      } else if depth == 1 {
        try note(name)
      }
    }
    let next = try window.skipWhitespace()
    guard step == path[depth - 1] else {
      if depth == 1, case .member(let name) = step {
        try keep(name.text, in: &window)
      } else {
        try window.skipValue()
      }
      return nil
    }
    guard depth < path.count else {
      hasMetRecords = true
      let record = try window.readRecord(depth: depth, id == nil ? recognition : nil)
      return id.map(record.withID) ?? record
    }
    // next to lists of records there may be anything
    if let id, path[depth] == .elements, next != UInt8(ascii: "[") {
      try keep(id, in: &window)
      return nil
    }
    // a group with null instead of a list is empty
    if next == UInt8(ascii: "n"), depth > 1 {
      try window.skipValue()
      return nil
    }
    try open(in: &window, label: label(of: step))
    // the list of the records, or the groups with their lists
    hasMetRecords = hasMetRecords || path[depth] == .elements
    return nil
  }

  private func label(of step: PathStep) -> String {
    switch step {
    case .member(let name): "\"\(name.text)\""
    case .elements: "an element"
    case .members: "a member"
    }
  }

  /// Rejects a repeated name at the root, because readers differ on which one counts.
  private mutating func note(_ name: String) throws {
    let key = UTF8Key(name)
    guard names.count < Self.maximumNames || path.first == .member(key) else { return }
    guard names.insert(key).inserted else {
      throw FeedFault(
        "the root object has the member \"\(shortened(name))\" twice",
        at: rootOffset,
        line: rootLine
      )
    }
  }

  private mutating func keep(_ name: String, in window: inout FeedWindow) throws {
    let start = window.offset
    try window.skipValue()
    let count = window.offset - start
    guard rootMembers.count < Self.maximumKeptMembers, count <= Self.maximumKeptBytes,
      start >= window.base
    else { return }
    var scanner = JSONScanner(feed: window.bytes, start - window.base..<window.position)
    guard let value = try? scanner.readValue() else { return }
    rootMembers.append(JSONMember(name: name, value: value))
  }

  private func checkEnd(in window: inout FeedWindow) throws {
    guard try SequenceSplitter.skipSeparators(in: &window) == nil else {
      throw FeedFault("text after the end of the feed", at: window.offset)
    }
    guard hasMetRecords else {
      let names = path.compactMap { if case .member(let name) = $0 { name.text } else { nil } }
      throw FeedFault("not a feed: the root has no \"\(names.joined(separator: "."))\"")
    }
  }
}
