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
      for: (fields ?? RestaurantField.allCases).flatMap { field -> [JSONMember] in
        guard let value = restaurant[field] else { return [] }
        let member = JSONMember(name: field.rawValue, value: value)
        return field == .hours && fields == nil ? [member, Self.week(restaurant)] : [member]
      }
        + (notes[UTF8Key(restaurant.id)] ?? [])
        .map { JSONMember(name: "corrected", value: .string($0)) }
    )
  }

  /// The opening hours of this week, a line for each day.
  private static func week(_ restaurant: Restaurant) -> JSONMember {
    guard let timetable = restaurant.hours.flatMap({ Timetable($0) }) else {
      return JSONMember(
        name: "week",
        value: .string("not known: geoq does not understand the hours")
      )
    }
    let days = zip(weekdays, timetable.week(of: .now)).map { name, spans in
      let times = spans.map { span in
        let (start, end) = (span.minutes.lowerBound, span.minutes.upperBound)
        // a night ends on the next day
        let time = "\(clock(start))-\(clock(end > 1_440 ? end - 1_440 : end))"
        return span.state == .unknown ? "perhaps \(time)" : time
      }
      return JSONValue.string(
        "\(name)  \(times.isEmpty ? "closed" : times.joined(separator: ", "))"
      )
    }
    return JSONMember(name: "week", value: .array(days))
  }

  /// The days of the week, as `LocalTime` numbers them.
  static let weekdays = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]

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
