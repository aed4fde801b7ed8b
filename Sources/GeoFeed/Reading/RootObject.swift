import GeoQuery

/// An object of a JSON feed, its root or a record, as far as it is buffered.
///
/// Members are found by name without building their values.
struct RootObject {
  private let scanner: JSONScanner
  private let members: [(name: String, range: Range<Int>)]

  /// Finds the members of the object that starts at the scanner's position.
  init(_ scanner: JSONScanner) {
    self.scanner = scanner
    members = scanner.outline()
  }

  /// The members' names in order.
  var names: [String] { members.map(\.name) }

  /// A repeated name; readers differ on which one counts.
  var duplicateName: String? {
    var seen: Set<UTF8Key> = []
    return members.first { !seen.insert(UTF8Key($0.name)).inserted }?.name
  }

  /// The range of the value at a path of names: `features.properties.names`.
  ///
  /// On the path, an array stands for the first of its first elements that has the rest.
  func range(of path: String) -> Range<Int>? {
    range(of: path.split(separator: ".").map { UTF8Key(String($0)) }[...])
  }

  private func range(of path: ArraySlice<UTF8Key>) -> Range<Int>? {
    let range = members.first { UTF8Key($0.name) == path.first }?.range
    guard let range, path.count > 1 else { return range }
    return elements(at: range).lazy.compactMap { $0.range(of: path.dropFirst()) }.first
  }

  /// The first objects of the list at a path of names.
  func elements(of path: String) -> [RootObject] {
    range(of: path).map { Array(elements(at: $0)) } ?? []
  }

  private func elements(at range: Range<Int>) -> LazyMapSequence<[JSONScanner], RootObject> {
    JSONScanner(feed: scanner.bytes, range).firstElements().lazy.map(RootObject.init)
  }

  /// Whether a path of names exists.
  func has(_ path: String) -> Bool { range(of: path) != nil }

  /// Whether the value at a path of names is an object.
  func isObject(_ path: String) -> Bool {
    range(of: path).map { scanner.bytes[$0.lowerBound] == UInt8(ascii: "{") } ?? false
  }

  /// Whether the value at a path of names is a list without elements.
  func isEmptyList(_ path: String) -> Bool { value(path) == .array([]) }

  /// Whether the value at a path of names is null.
  func isNull(_ path: String) -> Bool {
    guard let range = range(of: path) else { return false }
    return scanner.bytes[range].elementsEqual("null".utf8)
  }

  /// The value at a path of names if it is a string.
  func text(_ path: String) -> String? {
    if case .string(let text)? = value(path) { text } else { nil }
  }

  /// The value at a path of names if all of it is buffered.
  func value(_ path: String) -> JSONValue? { range(of: path).flatMap(value) }

  private func value(at range: Range<Int>) -> JSONValue? {
    var value = JSONScanner(feed: scanner.bytes, range)
    return try? value.readValue()
  }

  /// The members with short values, which may be a position.
  var shortMembers: [JSONMember] {
    members.compactMap { member in
      guard member.range.count <= 4_096, let value = value(at: member.range) else { return nil }
      return JSONMember(name: member.name, value: value)
    }
  }

  /// The names on the paths to lists of objects, each at most `depth` long.
  func pathsOfObjects(depth: Int = 3) -> [[String]] {
    let named = members.lazy.filter { $0.name.utf8.count <= 40 && !$0.name.contains("'") }
    return named.prefix(64).flatMap { member -> [[String]] in
      var inner = JSONScanner(feed: scanner.bytes, member.range)
      if inner.take("[") {
        inner.skipWhitespace()
        return inner.next == UInt8(ascii: "{") ? [[member.name]] : []
      }
      guard inner.next == UInt8(ascii: "{"), depth > 1 else { return [] }
      return RootObject(inner).pathsOfObjects(depth: depth - 1).map { [member.name] + $0 }
    }
  }

  /// The objects by which records are known by their names: the root, or one of its members; two or
  /// more members, all of them objects.
  var keyedObjects: (path: [String], records: [RootObject])? {
    if let records = objects { return ([], records) }
    return members.lazy.compactMap { member in
      RootObject(JSONScanner(feed: scanner.bytes, member.range)).objects
        .map { ([member.name], $0) }
    }
    .first
  }

  /// The first members, if there are two or more and all are objects.
  private var objects: [RootObject]? {
    guard members.count >= 2,
      members.allSatisfy({ scanner.bytes[$0.range.lowerBound] == UInt8(ascii: "{") })
    else { return nil }
    return members.prefix(FeedRecognition.sampleCount)
      .map { RootObject(JSONScanner(feed: scanner.bytes, $0.range)) }
  }

  /// The columns that an export of Socrata describes before its rows.
  var socrataColumns: [String]? {
    guard has("data"), case .array(let columns)? = value("meta.view.columns") else { return nil }
    let names = columns.compactMap { JSONFields($0).value("name")?.asText }
    return names.count == columns.count ? names : nil
  }
}

extension JSONScanner {
  /// The names of an object's members with the range of each value, without building the values.
  ///
  /// Where the text breaks off or is broken, what came before counts, and the value that was begun.
  func outline() -> [(name: String, range: Range<Int>)] {
    var scanner = self
    var members: [(name: String, range: Range<Int>)] = []
    scanner.skipWhitespace()
    guard scanner.next == UInt8(ascii: "{") else { return [] }
    try? scanner.eachItem(depth: 0) { (scanner, _) throws(JSONSyntaxError) in
      let name = try scanner.readString()
      try scanner.expectColon()
      scanner.skipWhitespace()
      let start = scanner.position
      do throws(JSONSyntaxError) {
        try scanner.skipValue()
        members.append((name, start..<scanner.position))
      } catch {
        members.append((name, start..<scanner.end))
        throw error
      }
    }
    return members
  }

  /// Scanners at the first elements of the array that starts here, as far as they are buffered, or
  /// at the value itself.
  func firstElements() -> [JSONScanner] {
    var scanner = self
    guard scanner.take("[") else { return [self] }
    var elements: [JSONScanner] = []
    while elements.count < FeedRecognition.sampleCount {
      scanner.skipWhitespace()
      elements.append(scanner)
      guard (try? scanner.skipValue()) != nil, scanner.take(",") else { break }
    }
    return elements
  }
}
