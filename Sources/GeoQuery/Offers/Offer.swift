/// An offer of certain places, as its feed described it: money back, a menu at a price.
///
/// Absent is `nil` (or empty for lists). Texts are kept character for character; members without a
/// property are in `extra`. `OfferPlaces` finds the places that have it.
public struct Offer: Sendable, Hashable, Identifiable {
  /// The public id: the feed's own, or `SOURCE:ID` if another source had that first; unique in a store,
  /// compared as UTF-8 bytes.
  public var id: String

  /// The name; never empty.
  public var name: String

  /// What is offered.
  public var description: String?

  /// The terms.
  public var terms: String?

  /// The address of a picture, or of a page about it.
  public var url: String?

  /// The address of a larger picture.
  public var largeURL: String?

  /// Its amount in the feed's currency: 0 to 10⁹.
  public var amount: Double?

  /// The categories of the offer itself (`Beverages`), not of places.
  public var categories: [String] = []

  /// The chains that have it: ids of chains, or names.
  public var chains: [String] = []

  /// The restaurants that have it, by their public ids.
  public var restaurants: [String] = []

  /// The categories of restaurants that have it: every restaurant in one of them does.
  public var restaurantCategories: [String] = []

  /// When it ends, in the feed's own notation, often without a time zone.
  public var expiration: String?

  /// The feed it came from.
  public var source: String

  /// The feed's own id, if it differs from the public one.
  public var sourceID: String?

  /// Every member of the feed's record that has no property above, in the feed's order.
  public var extra: [JSONMember] = []

  /// The greatest amount.
  public static let maximumAmount = 1e9

  /// Makes an offer with its required values; the others are set afterwards.
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
}

extension Offer {
  /// The offer as the members of a JSON object: its keys in their order, without empty ones.
  public var members: [JSONMember] {
    var list = JSONMemberList()
    list.add("id", id)
    list.add("name", name)
    list.add("description", description)
    list.add("terms", terms)
    list.add("url", url)
    list.add("largeURL", largeURL)
    list.add("amount", amount.map { .number($0.description) })
    list.add("categories", categories)
    list.add("chains", chains)
    list.add("restaurants", restaurants)
    list.add("restaurantCategories", restaurantCategories)
    list.add("expiration", expiration)
    list.add("source", source)
    list.add("sourceID", sourceID)
    list.add("extra", extra)
    return list.members
  }
}

/// Collects the members of a JSON object, without empty ones.
struct JSONMemberList {
  private(set) var members: [JSONMember] = []

  mutating func add(_ name: String, _ value: JSONValue?) {
    if let value { members.append(JSONMember(name: name, value: value)) }
  }

  mutating func add(_ name: String, _ text: String?) {
    add(name, text.map(JSONValue.string))
  }

  mutating func add(_ name: String, _ texts: [String]) {
    add(name, texts.isEmpty ? nil : .array(texts.map(JSONValue.string)))
  }

  mutating func add(_ name: String, _ inner: [JSONMember]) {
    add(name, inner.isEmpty ? nil : .object(inner))
  }
}
