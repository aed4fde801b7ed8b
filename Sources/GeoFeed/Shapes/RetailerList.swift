import GeoQuery

/// The retailers that stores refer to: those that the feed lists, and the store's chains.
struct RetailerList {
  private var retailers: [UTF8Key: JSONValue] = [:]

  /// Takes the list from a feed's root, if it is before the stores or soon after them.
  init(_ list: JSONValue?) {
    guard case .array(let elements)? = list else { return }
    for element in elements {
      if let id = JSONFields(element).value("id")?.asText { retailers[UTF8Key(id)] = element }
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
  func join(_ store: inout JSONFields) throws(FeedProblem) {
    let id = store.value("retailer_id")?.asText
    if let retailer = id.flatMap({ retailers[UTF8Key($0)] }) {
      store.putBack(JSONFields(retailer), as: "retailer")
    } else if store.value("name") == nil {
      throw FeedProblem(
        id.map { "unknown retailer \"\(shortened($0))\"" } ?? "retailer_id is missing"
      )
    }
  }
}
