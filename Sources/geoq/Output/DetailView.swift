import GeoQuery

/// Restaurants in full for people: one key a line, a blank line between two restaurants.
struct DetailView {
  let style: Style

  /// The keys to show; nil shows all.
  var fields: [RestaurantField]?

  /// The lines; keys that a feed left out are left out here too.
  func lines(for restaurants: [Restaurant]) -> [String] {
    restaurants.enumerated().flatMap { position, restaurant in
      (position > 0 ? [""] : []) + lines(for: restaurant)
    }
  }

  private func lines(for restaurant: Restaurant) -> [String] {
    let shown = (fields ?? RestaurantField.allCases).filter { restaurant[$0] != nil }
    let width = shown.map(\.rawValue.count).max() ?? 0
    return shown.flatMap { field in
      texts(of: restaurant[field]).enumerated().map { position, text in
        let title = (position == 0 ? field.rawValue : "").padded(toWidth: width)
        return style.dim(title) + "  " + terminalSafe(text)
      }
    }
  }

  private func texts(of value: JSONValue?) -> [String] {
    switch value {
    case .string(let text)?: [text]
    case .number(let token)?: [token]
    case .array(let lines)?: lines.flatMap { texts(of: $0) }
    case .object(let members)?:
      members.map { "\($0.name): " + texts(of: $0.value).joined(separator: "; ") }
    case .bool(let flag)?: [flag ? "true" : "false"]
    case .null?, nil: []
    }
  }
}
