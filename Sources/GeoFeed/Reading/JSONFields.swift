import GeoQuery

/// The members of one object while they are assigned to a record's keys; what remains is extra.
struct JSONFields {
  /// The remaining members, in the feed's order.
  ///
  /// Nulls are dropped, because they count as missing.
  var rest: [JSONMember]

  /// Holds the members of an object; empty for anything else.
  init(_ value: JSONValue?) {
    guard case .object(let members)? = value else {
      rest = []
      return
    }
    let hasNull = members.contains { $0.value.isNull }
    rest = hasNull ? members.filter { !$0.value.isNull } : members
  }

  /// Holds the members of a record, which must be an object.
  init(record value: JSONValue) throws(FeedProblem) {
    guard case .object = value else {
      throw FeedProblem("the record is \(value.kind), not an object")
    }
    self.init(value)
  }

  /// The value of a member, which stays.
  func value(_ name: String) -> JSONValue? {
    rest.first(named: name)?.value
  }

  /// Takes a member out.
  mutating func take(_ name: String) -> JSONValue? {
    guard let position = rest.firstIndex(named: name) else { return nil }
    return rest.remove(at: position).value
  }

  /// Adds the members whose names are free.
  mutating func add(_ members: [JSONMember]) {
    for member in members where value(member.name) == nil { rest.append(member) }
  }

  /// Takes an object out; a member of another type stays.
  mutating func takeObject(_ name: String) -> JSONFields {
    guard case .object? = value(name) else { return JSONFields(nil) }
    return JSONFields(take(name))
  }

  /// Assigns a member to a restaurant's key; it stays if its type does not match.
  mutating func move(_ name: String, to field: RestaurantField, of restaurant: inout Restaurant) {
    guard let value = value(name), restaurant.assign(value, to: field) else { return }
    _ = take(name)
  }

  /// Changes a member's value in place; removes it if the body returns false.
  mutating func change(_ name: String, _ body: (inout JSONValue) -> Bool) {
    guard let position = rest.firstIndex(named: name) else { return }
    if !body(&rest[position].value) { rest.remove(at: position) }
  }

  /// Renames members whose names are those of other members.
  mutating func rename(namesIn others: [JSONMember]) {
    guard !rest.isEmpty, !others.isEmpty else { return }
    let taken = Set(others.map { UTF8Key($0.name) })
    var names = FreeNames(rest + others)
    for position in rest.indices where taken.contains(UTF8Key(rest[position].name)) {
      let name = names.take(rest[position].name)
      rest[position] = JSONMember(name: name, value: rest[position].value)
    }
  }

  /// Puts the rest of an inner object back under its name, so that nothing is lost.
  mutating func putBack(_ inner: JSONFields, as name: String) {
    guard !inner.rest.isEmpty else { return }
    var names = FreeNames(value(name) == nil ? [] : rest)
    rest.append(JSONMember(name: names.take(name), value: .object(inner.rest)))
  }

  /// Finds a value by a path of names; it is direct if there are only objects on the path, so that it
  /// can be removed from them.
  ///
  /// On the path, an array stands for its first element, and a text with JSON for its value,
  /// because tables have nested values in this form. Null counts as missing.
  func find(_ path: [String]) -> (value: JSONValue, isDirect: Bool)? {
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
    return value == .null ? nil : (value: value, isDirect: isDirect)
  }

  /// Removes what `find` found from its objects, and objects that become empty.
  mutating func remove(_ path: [String]) {
    change(path[0]) { value in
      if path.count == 1 { return false }
      value.removeMember(path.dropFirst())
      if case .object(let members) = value { return !members.isEmpty }
      return true
    }
  }
}

/// Finds names that no member of an object has, by appending `_`.
private struct FreeNames {
  /// For each name without the `_` at its end, the numbers of `_` that exist.
  private var counts: [UTF8Key: Set<Int>] = [:]

  init(_ members: [JSONMember]) {
    for member in members {
      let (bare, count) = Self.split(member.name)
      counts[bare, default: []].insert(count)
    }
  }

  /// Reserves a name, or the next one that is free.
  mutating func take(_ name: String) -> String {
    var (bare, count) = Self.split(name)
    while counts[bare]?.contains(count) == true { count += 1 }
    counts[bare, default: []].insert(count)
    return bare.text + String(repeating: "_", count: count)
  }

  private static func split(_ name: String) -> (bare: UTF8Key, count: Int) {
    var bare = Substring(name).utf8
    while bare.last == UInt8(ascii: "_") { bare.removeLast() }
    return (UTF8Key(String(Substring(bare))), name.utf8.count - bare.count)
  }
}

extension JSONValue {
  /// Parses a JSON object or array written as a text, as in tables; nil for any other text.
  init?(nestedIn text: String) {
    guard text.begins(with: "{") || text.begins(with: "[") else { return nil }
    var scanner = JSONScanner(Array(text.utf8), allowsNaN: true)
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
