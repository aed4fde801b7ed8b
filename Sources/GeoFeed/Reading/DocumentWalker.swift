import GeoQuery

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
  private(set) var rootMembers: [JSONMember] = []

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
  ///
  /// - Throws: `FeedFault` if the document is broken or is followed by something else.
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
    guard rootMembers.count < Self.maximumKeptMembers else {
      return try window.skipValue()
    }
    let start = window.offset
    try window.skipValue()
    let count = window.offset - start
    guard count <= Self.maximumKeptBytes, start >= window.base else { return }
    let range = start - window.base..<start - window.base + count
    var scanner = JSONScanner(feed: window.bytes, range)
    guard let value = try? scanner.readValue() else { return }
    rootMembers.append(JSONMember(name: name, value: value))
  }

  private func checkEnd(in window: inout FeedWindow) throws {
    guard try SequenceSplitter.skipSeparators(in: &window) == nil else {
      throw FeedFault("text after the end of the feed", at: window.offset)
    }
    guard hasMetRecords else {
      throw FeedFault("not a feed: the root has no \(pathText)")
    }
  }

  private var pathText: String {
    let names = path.compactMap { step in
      if case .member(let name) = step { name.text } else { nil }
    }
    return "\"\(names.joined(separator: "."))\""
  }
}
