/// The members of one object while they are being given to a record's keys; what is left is extra.
struct MemberBag {
  /// Members not yet taken, in the feed's order.
  ///
  /// Nulls are dropped: they count as absent.
  private(set) var rest: [JSONMember]

  /// Holds the members of an object; empty for anything else.
  init(_ value: JSONValue?) {
    guard case .object(let members)? = value else {
      rest = []
      return
    }
    let hasNull = members.contains { $0.value.isNull }
    rest = hasNull ? members.filter { !$0.value.isNull } : members
  }

  /// The value of a member, which stays in the bag.
  func value(_ name: String) -> JSONValue? {
    rest.first { $0.name == name }?.value
  }

  /// Takes a member out of the bag.
  mutating func take(_ name: String) -> JSONValue? {
    guard let position = rest.firstIndex(where: { $0.name == name }) else { return nil }
    return rest.remove(at: position).value
  }

  /// Takes every member out that the body has made use of.
  mutating func removeAll(_ isUsed: (JSONMember) -> Bool) {
    rest.removeAll(where: isUsed)
  }

  /// Takes an object out of the bag; a member of another kind stays.
  mutating func takeObject(_ name: String) -> MemberBag {
    guard case .object? = value(name) else { return MemberBag(nil) }
    return MemberBag(take(name))
  }

  /// Gives a member to a restaurant's key; it stays in the bag where its type does not fit.
  mutating func move(_ name: String, to field: RestaurantField, of restaurant: inout Restaurant) {
    guard let value = value(name), restaurant.assign(value, to: field) else { return }
    _ = take(name)
  }

  /// Changes a member's value in place; it goes where the body says so by returning false.
  mutating func change(_ name: String, _ body: (inout JSONValue) -> Bool) {
    guard let position = rest.firstIndex(where: { $0.name == name }) else { return }
    if !body(&rest[position].value) { rest.remove(at: position) }
  }

  /// Gives a member another name where its own is taken elsewhere.
  mutating func rename(_ name: String) {
    guard let position = rest.firstIndex(where: { $0.name == name }) else { return }
    rest[position] = JSONMember(name: freeName(name), value: rest[position].value)
  }

  /// Puts what an inner object had left back under its name, so that nothing is lost.
  mutating func putBack(_ inner: MemberBag, as name: String) {
    guard !inner.rest.isEmpty else { return }
    rest.append(JSONMember(name: freeName(name), value: .object(inner.rest)))
  }

  private func freeName(_ name: String) -> String {
    var free = name
    while value(free) != nil { free += "_" }
    return free
  }
}
