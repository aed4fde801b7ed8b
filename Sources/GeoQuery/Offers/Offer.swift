/// An offer of certain places, as its feed described it: money back, a menu at a price.
///
/// Absent is `nil` (or empty for lists). Texts are kept character for character; members without a
/// property are in `extra`. `OfferPlaces` finds the places that have it.
public struct Offer: Sendable, Hashable, Identifiable {
  /// The public id: the feed's own, or `SOURCE:ID` if another source had that first; unique in a
  /// store, compared as UTF-8 bytes.
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
  public var expiration: String? {
    didSet { expires = expiration.flatMap(CalendarDay.init(parsing:)) }
  }

  /// The day of `expiration`, the last one on which it is valid; nil if it is not a date.
  public private(set) var expires: CalendarDay?

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

  /// Whether it has ended before a day; false for nil, and for an offer without an end.
  public func isExpired(on day: CalendarDay?) -> Bool {
    guard let day, let expires else { return false }
    return expires < day
  }

  /// The offer as the members of a JSON object: its keys in their order, without empty ones.
  public var members: [JSONMember] {
    var list: [JSONMember] = []
    list.add("id", id)
    list.add("name", name)
    list.add("description", description)
    list.add("terms", terms)
    list.add("url", url)
    list.add("largeURL", largeURL)
    list.add("amount", amount)
    list.add("categories", categories)
    list.add("chains", chains)
    list.add("restaurants", restaurants)
    list.add("restaurantCategories", restaurantCategories)
    list.add("expiration", expiration)
    list.add("expires", expires?.description)
    list.add("source", source)
    list.add("sourceID", sourceID)
    list.add("extra", extra)
    return list
  }

  /// The keys of `members`, in their order.
  static let keys = [
    "id", "name", "description", "terms", "url", "largeURL", "amount", "categories", "chains",
    "restaurants", "restaurantCategories", "expiration", "expires", "source", "sourceID", "extra",
  ]
}

/// A chain of places under one name, or a pseudo-chain such as *Any Restaurant* (`PseudoChain`).
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

  /// The chain as the members of a JSON object: its keys in their order, without empty ones.
  public var members: [JSONMember] {
    var list: [JSONMember] = []
    list.add("id", id)
    list.add("name", name)
    list.add("iconURL", iconURL)
    list.add("featured", featured ? .bool(true) : nil)
    list.add("source", source)
    list.add("extra", extra)
    return list
  }
}

/// All offers and chains of a store, read in one transaction.
///
/// They are in memory, because there are thousands at most.
public struct OfferBook: Sendable {
  /// Counts the changes of offers and chains; another number means other contents.
  public let revision: Int

  /// The offers, in order of id (UTF-8 bytes).
  public let offers: [Offer]

  /// The chains, in order of id (UTF-8 bytes).
  public let chains: [Chain]

  /// The book of a store without offers and chains.
  public static let empty = OfferBook(revision: 0, offers: [], chains: [])

  /// Makes a book.
  ///
  /// - Parameters:
  ///   - revision: Counts the changes.
  ///   - offers: In any order; ids unique.
  ///   - chains: In any order; ids unique.
  public init(revision: Int, offers: [Offer], chains: [Chain]) {
    self.revision = revision
    self.offers = offers.sorted { UTF8Key($0.id) < UTF8Key($1.id) }
    self.chains = chains.sorted { UTF8Key($0.id) < UTF8Key($1.id) }
  }

  /// The categories of the offers with how many offers each has, the most frequent first, ties by UTF-8.
  ///
  /// - Parameter day: Offers that have ended before it do not count; nil counts all.
  /// - Returns: The names with their counts.
  public func categories(on day: CalendarDay? = nil) -> [(name: String, count: Int)] {
    var counts: [UTF8Key: Int] = [:]
    for offer in offers where !offer.isExpired(on: day) {
      for category in Set(offer.categories.map { UTF8Key($0) }) {
        counts[category, default: 0] += 1
      }
    }
    return counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
      .map { (name: $0.key.text, count: $0.value) }
  }

  /// The offer with an id, compared as UTF-8 bytes.
  public func offer(id: String) -> Offer? { Self.item(id, of: offers) }

  /// The chain with an id, compared as UTF-8 bytes.
  public func chain(id: String) -> Chain? { Self.item(id, of: chains) }

  private static func item<Item: Identifiable<String>>(_ id: String, of items: [Item]) -> Item? {
    let key = UTF8Key(id)
    let index = items.partitionPoint { UTF8Key($0.id) >= key }
    return index < items.count && UTF8Key(items[index].id) == key ? items[index] : nil
  }

  /// The name of the chain that an offer names by id or name; nil for an unknown id.
  ///
  /// A reference of digits only is an id.
  public func chainName(of reference: String) -> String? {
    if let chain = chain(id: reference) { return chain.name }
    let isNumber = reference.utf8.allSatisfy(\.isDigit)
    return isNumber ? nil : reference
  }
}
