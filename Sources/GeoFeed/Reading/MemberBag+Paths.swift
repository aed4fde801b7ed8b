import GeoQuery

/// Members of inner objects, by a path of names.
extension MemberBag {
  /// A value found at a path.
  struct Found {
    let value: JSONValue
    /// Whether there are only objects on the path, so that the value can be removed from them.
    let isDirect: Bool
  }

  /// Finds a value.
  ///
  /// On the path, an array stands for its first element, and a text with JSON for its value,
  /// because tables have nested values in this form.
  ///
  /// Null counts as missing.
  func find(_ path: [String]) -> Found? {
    guard let first = path.first, var value = value(first) else { return nil }
    var isDirect = true
    for name in path.dropFirst() {
      if case .string(let text) = value {
        guard let inner = JSONValue(nestedIn: text) else { return nil }
        (value, isDirect) = (inner, false)
      }
      if case .array(let elements) = value {
        guard let element = elements.first else { return nil }
        (value, isDirect) = (element, false)
      }
      guard case .object(let members) = value,
        let inner = members.first(named: name)?.value
      else { return nil }
      value = inner
    }
    return value == .null ? nil : Found(value: value, isDirect: isDirect)
  }

  /// Removes what `find` found from its objects, and objects that become empty.
  mutating func remove(_ path: [String]) {
    guard let first = path.first else { return }
    if path.count == 1 {
      _ = take(first)
      return
    }
    change(first) { value in
      value.removeMember(path.dropFirst())
      if case .object(let members) = value { return !members.isEmpty }
      return true
    }
  }
}

extension JSONValue {
  /// Parses a JSON object or array written as a text, as in tables; nil for any other text.
  init?(nestedIn text: String) {
    guard text.begins(with: "{") || text.begins(with: "[") else { return nil }
    var scanner = JSONScanner(Array(text.utf8))
    guard let value = try? scanner.readValue() else { return nil }
    scanner.skipWhitespace()
    guard scanner.next == nil else { return nil }
    self = value
  }

  /// Removes a member by its path, and the nulls around it, which count as missing.
  fileprivate mutating func removeMember(_ path: ArraySlice<String>) {
    guard case .object(var members) = self, let name = path.first else { return }
    // changes the members in place instead of copying them
    self = .null
    if let position = members.firstIndex(named: name) {
      if path.count == 1 {
        members.remove(at: position)
      } else {
        members[position].value.removeMember(path.dropFirst())
        if case .object(let inner) = members[position].value, inner.isEmpty {
          members.remove(at: position)
        }
      }
    }
    members.removeAll { $0.value.isNull }
    self = .object(members)
  }
}
