import GeoQuery

/// An object of a JSON feed, its root or a record, as far as it is at hand: its members by name,
/// looked into without building their values.
struct RootObject {
  private let scanner: JSONScanner
  private let members: [(name: String, range: Range<Int>)]

  /// Outlines the object that starts at the scanner's position.
  init(_ scanner: JSONScanner) {
    self.scanner = scanner
    members = scanner.outline()
  }

  /// The members' names in order.
  var names: [String] { members.map(\.name) }

  /// A name that stands twice; readers differ on which one counts.
  var duplicateName: String? {
    var seen: Set<ByteKey> = []
    return members.first { !seen.insert(ByteKey($0.name)).inserted }?.name
  }

  /// Where a value lies, by a path of names: `features.properties.names`.
  ///
  /// On the way an array stands for its first element.
  func range(of path: String) -> Range<Int>? {
    var level = members
    var range: Range<Int>?
    for name in path.split(separator: ".") {
      if let outer = range {
        level = JSONScanner(scanner.bytes, range: outer).firstElement().outline()
      }
      let key = ByteKey(String(name))
      guard let inner = level.first(where: { ByteKey($0.name) == key })?.range else { return nil }
      range = inner
    }
    return range
  }

  /// Whether a path of names exists.
  func has(_ path: String) -> Bool {
    range(of: path) != nil
  }

  /// Whether the value at a path of names is a list without elements.
  func isEmptyList(_ path: String) -> Bool { value(path) == .array([]) }

  /// Whether the value at a path of names is null.
  func isNull(_ path: String) -> Bool {
    guard let range = range(of: path) else { return false }
    return scanner.bytes[range].elementsEqual("null".utf8)
  }

  /// The value at a path of names where it is a string.
  func text(_ path: String) -> String? {
    guard case .string(let text)? = value(path) else { return nil }
    return text
  }

  /// The value at a path of names where all of it is at hand.
  func value(_ path: String) -> JSONValue? {
    guard let range = range(of: path) else { return nil }
    var value = JSONScanner(scanner.bytes, range: range)
    return try? value.readValue()
  }
}

extension JSONScanner {
  /// A scanner at the first element of the array that starts here, or at the value itself.
  fileprivate func firstElement() -> JSONScanner {
    var scanner = self
    _ = scanner.take("[")
    return scanner
  }
}
