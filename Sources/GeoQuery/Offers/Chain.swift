/// A chain of places under one name, such as a retailer; or a pseudo-chain such as *Any
/// Restaurant*, which means all places of some categories.
public struct Chain: Sendable, Hashable, Identifiable {
  /// The feed's own id, unique in a store, compared as UTF-8 bytes.
  public var id: String

  /// The name, which is the value of `chain` in its places.
  public var name: String

  /// The address of its icon.
  public var iconURL: String?

  /// Whether its feed recommends it.
  public var featured = false

  /// The feed it came from.
  public var source: String

  /// Every member of the feed's record that has no property above, in the feed's order.
  public var extra: [JSONMember] = []

  /// Makes a chain with its required values; the others are set afterwards.
  ///
  /// - Parameters:
  ///   - id: The identifier, unique in a store.
  ///   - name: The name; not empty.
  ///   - source: The feed that it came from.
  public init(id: String, name: String, source: String) {
    self.id = id
    self.name = name
    self.source = source
  }

  /// The categories of the places that a pseudo-chain applies to; nil for a real chain.
  public var placeCategories: [String]? { PseudoChain(named: name)?.categories }
}

extension Chain {
  /// The chain as the members of a JSON object: its keys in their order, without empty ones.
  public var members: [JSONMember] {
    var list = JSONMemberList()
    list.add("id", id)
    list.add("name", name)
    list.add("iconURL", iconURL)
    list.add("featured", featured ? .bool(true) : nil)
    list.add("source", source)
    list.add("extra", extra)
    return list.members
  }
}
