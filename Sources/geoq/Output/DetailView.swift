import GeoQuery

/// Restaurants in full for people: one key per line, and a blank line between restaurants.
struct DetailView {
  let style: Style

  /// The keys to show; nil shows all.
  var fields: [RestaurantField]?

  /// What is told of corrections, by id.
  var notes: [UTF8Key: [String]] = [:]

  /// The lines; missing keys are omitted.
  func lines(for restaurants: [Restaurant]) -> [String] {
    restaurants.enumerated().flatMap { position, restaurant in
      (position > 0 ? [""] : []) + lines(for: restaurant)
    }
  }

  /// The lines of objects of other kinds, by their members.
  func lines(for objects: [[JSONMember]]) -> [String] {
    objects.enumerated().flatMap { position, members in
      (position > 0 ? [""] : []) + lines(for: members)
    }
  }

  private func lines(for restaurant: Restaurant) -> [String] {
    lines(
      for: (fields ?? RestaurantField.allCases).compactMap { field in
        restaurant[field].map { JSONMember(name: field.rawValue, value: $0) }
      }
        + (notes[UTF8Key(restaurant.id)] ?? [])
        .map { JSONMember(name: "corrected", value: .string($0)) }
    )
  }

  private func lines(for members: [JSONMember]) -> [String] {
    let width = members.map(\.name.count).max() ?? 0
    return members.flatMap { member in
      texts(of: member.value).enumerated().map { position, text in
        let title = (position == 0 ? member.name : "").padded(toWidth: width)
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
