import GeoQuery

/// The two feeds of stores.
extension RecordShape {
  /// The Bottle Rocket stores feed, in which all values are texts.
  static let bottleRocketStores = RecordShape(
    id: ["storeID"],
    name: ["name"],
    rules: [
      Rule("address", .address), Rule("city", .city), Rule("state", .state),
      Rule("zipcode", .postalCode), Rule("phone", .phone), Rule("storeLogoURL", .imageURL, .link),
    ]
  )

  /// Stores, each combined with its retailer's name, categories and links.
  static let retailerStores = RecordShape(
    id: ["id"],
    name: ["name", "retailer.name"],
    position: ("lat", "long"),
    rules: [
      Rule("retailer.category", .category, .list(of: "name")),
      Rule("retailer.categories", .category, .list(of: "name")),
      Rule("address", .address), Rule("city", .city), Rule("state", .state),
      Rule("zip", .postalCode), Rule("zipcode", .postalCode), Rule("phone", .phone),
      Rule("retailer.icon_url", .imageURL, .link), Rule("retailer.url", .website, .link),
    ]
  )
}

/// The retailers that stores refer to: those that the feed lists, and the store's chains.
struct RetailerList {
  private var retailers: [UTF8Key: JSONValue] = [:]

  /// Takes the list from a feed's root, if it is before the stores or soon after them.
  init(_ list: JSONValue?) {
    guard case .array(let elements)? = list else { return }
    for element in elements {
      guard let id = MemberBag(element).value("id")?.asText else { continue }
      retailers[UTF8Key(id)] = element
    }
  }

  /// Whether it is empty.
  var isEmpty: Bool { retailers.isEmpty }

  /// Adds chains; a retailer in the feed's own list takes precedence.
  mutating func add(_ chains: [Chain]) {
    for chain in chains where retailers[UTF8Key(chain.id)] == nil {
      var members = [JSONMember(name: "name", value: .string(chain.name))]
      if let icon = chain.iconURL {
        members.append(JSONMember(name: "icon_url", value: .string(icon)))
      }
      retailers[UTF8Key(chain.id)] = .object(members)
    }
  }

  /// Adds its retailer to a store.
  ///
  /// - Throws: `FeedProblem` if the store has no name of its own and its retailer is unknown.
  func join(_ store: JSONValue) throws(FeedProblem) -> MemberBag {
    var bag = MemberBag(store)
    guard let id = bag.value("retailer_id")?.asText, let retailer = retailers[UTF8Key(id)] else {
      if bag.value("name") != nil { return bag }
      let id = bag.value("retailer_id")?.asText
      throw FeedProblem(
        id.map { "unknown retailer \"\(shortened($0))\"" } ?? "retailer_id is missing"
      )
    }
    bag.putBack(MemberBag(retailer), as: "retailer")
    return bag
  }
}
