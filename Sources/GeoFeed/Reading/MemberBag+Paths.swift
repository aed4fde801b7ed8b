import GeoQuery

/// Members of inner objects, by a path of names.
extension MemberBag {
  /// A value found at a path.
  struct Found {
    let value: JSONValue
    /// Whether only objects lay on the way, so that the value can be taken out of them.
    let isDirect: Bool
  }

  /// Looks a value up.
  ///
  /// On the way an array stands for its first element, and a text that holds JSON for what it holds:
  /// tables have nested values so. Null counts as nothing.
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

  /// Takes what `find` found out of its objects; an object that this leaves without a value goes too.
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
  /// A JSON object or array written as a text, as tables have it; nil for any other text.
  init?(nestedIn text: String) {
    guard text.begins(with: "{") || text.begins(with: "[") else { return nil }
    var scanner = JSONScanner(Array(text.utf8))
    guard let value = try? scanner.readValue() else { return nil }
    scanner.skipWhitespace()
    guard scanner.next == nil else { return nil }
    self = value
  }

  /// Removes a member by its path, and the nulls around it: they count as nothing.
  fileprivate mutating func removeMember(_ path: ArraySlice<String>) {
    guard case .object(var members) = self, let name = path.first else { return }
    // the members are changed in place, not copied
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
