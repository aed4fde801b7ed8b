import GeoQuery

/// The two feeds of stores.
extension RecordShape {
  /// The Bottle Rocket stores feed: texts throughout.
  static let bottleRocketStores = RecordShape(
    id: ["storeID"],
    name: ["name"],
    rules: [
      Rule("address", .address), Rule("city", .city), Rule("state", .state),
      Rule("zipcode", .postalCode), Rule("phone", .phone), Rule("storeLogoURL", .imageURL, .link),
    ]
  )

  /// A retailer's stores, each with the retailer's name and category put in.
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

/// The retailers that stores refer to: those that a feed lists beside its stores, and the store's chains.
struct RetailerList {
  private var retailers: [ByteKey: JSONValue] = [:]

  /// Takes the list from a feed's root, where it stands in front of the stores or close behind them.
  init(_ list: JSONValue?) {
    guard case .array(let elements)? = list else { return }
    for element in elements {
      guard let id = MemberBag(element).value("id")?.asText else { continue }
      retailers[ByteKey(id)] = element
    }
  }

  /// Whether there is none.
  var isEmpty: Bool { retailers.isEmpty }

  /// Adds chains; a retailer of the feed's own list comes first.
  mutating func add(_ chains: [Chain]) {
    for chain in chains where retailers[ByteKey(chain.id)] == nil {
      var members = [JSONMember(name: "name", value: .string(chain.name))]
      if let icon = chain.iconURL {
        members.append(JSONMember(name: "icon_url", value: .string(icon)))
      }
      retailers[ByteKey(chain.id)] = .object(members)
    }
  }

  /// Puts its retailer into a store.
  ///
  /// - Throws: `FeedProblem` where the store has no name of its own and its retailer is unknown.
  func join(_ store: JSONValue) throws(FeedProblem) -> MemberBag {
    var bag = MemberBag(store)
    guard let id = bag.value("retailer_id")?.asText, let retailer = retailers[ByteKey(id)] else {
      if bag.value("name") != nil { return bag }
      let id = bag.value("retailer_id")?.asText ?? ""
      throw FeedProblem("its retailer \"\(shortened(id))\" is not known")
    }
    bag.putBack(MemberBag(retailer), as: "retailer")
    return bag
  }
}
