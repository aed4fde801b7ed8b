import GeoQuery

/// An answer as a table for people: fitted to the terminal, with rounded distances and a footer.
struct AnswerTable {
  /// The restaurants, in order.
  let matches: [Match]

  let summary: AnswerSummary

  /// The keys to show; nil shows those that the query is about.
  var fields: [RestaurantField]?

  /// The keys that the query filters and sorts by.
  var subjects: [RestaurantField] = []

  /// The columns before those of the restaurants, which name the point of a batch.
  var leadingNames: [String] = []

  /// The values in these columns, for each restaurant.
  var leadingValues: [[String]] = []

  /// The minimum width of these columns.
  var leadingMinimumWidth = Int.max

  /// The lines, including the footer.
  func lines(width: Int, style: Style) -> [String] {
    guard !matches.isEmpty else {
      return [summary.total == 0 ? "no restaurants found" : style.dim(footer(hidesIDs: false))]
    }
    var shown = fields ?? defaultFields
    let hidesIDs = fields == nil && !idsFit(into: width)
    if hidesIDs { shown.removeAll { $0 == .id } }
    let columns =
      leadingNames.map {
        TableColumn(title: $0, minimumWidth: leadingMinimumWidth, priority: 11)
      } + shown.map(column)
    let cells = matches.indices.map { row in
      (leadingValues.indices.contains(row) ? leadingValues[row] : [])
        + shown.map { Self.cell($0, of: matches[row]) }
    }
    let table = TableWriter(columns: columns, style: style)
    return table.lines(for: cells, width: width) + [style.dim(footer(hidesIDs: hidesIDs))]
  }

  /// The keys shown by default: the usual ones, those of the query, and rating and price if any
  /// restaurant has them.
  private var defaultFields: [RestaurantField] {
    let rated = [RestaurantField.rating, .priceLevel].filter { field in
      subjects.contains(field) || matches.contains { $0[field] != nil }
    }
    let always: [RestaurantField] = [.name, .category, .address, .city, .id, .distance]
    let others = subjects.filter { !always.contains($0) && !rated.contains($0) }
    return (summary.hasDistance ? [.distance] : []) + [.name, .category] + rated + others
      + [.address, .id]
  }

  /// A truncated id is useless; distance and name must fit next to it.
  private func idsFit(into width: Int) -> Bool {
    let longest = matches.reduce(0) { max($0, terminalSafe($1.restaurant.id).displayWidth) }
    return width == .max || longest + 32 <= width
  }

  private func column(_ field: RestaurantField) -> TableColumn {
    if fields != nil {
      let isNumber = matches.allSatisfy { if case .number? = $0[field] { true } else { false } }
      return TableColumn(
        title: field.rawValue,
        alignment: isNumber ? .right : .left,
        minimumWidth: field == .id || isNumber ? .max : 8,
        priority: field == .id ? 1 : 0
      )
    }
    return switch field {
    case .distance: TableColumn(title: "distance", alignment: .right, priority: 9)
    case .name: TableColumn(title: "name", minimumWidth: 20, priority: 10)
    case .category: TableColumn(title: "category", minimumWidth: 12, priority: 4)
    case .address: TableColumn(title: "address", minimumWidth: 16, priority: 3)
    case .id: TableColumn(title: "id", priority: 8)
    default:
      TableColumn(
        title: field.rawValue,
        alignment: [.rating, .priceLevel, .reviewCount].contains(field) ? .right : .left,
        minimumWidth: [.rating, .priceLevel, .reviewCount].contains(field) ? .max : 10,
        priority: subjects.contains(field) ? 7 : Self.priority[field] ?? 1
      )
    }
  }

  /// Rating and price stay if category and address do not fit next to them.
  private static let priority: [RestaurantField: Int] = [.rating: 6, .priceLevel: 5]

  private static func cell(_ field: RestaurantField, of match: Match) -> String {
    switch field {
    case .distance: return match.distance.map(formatDistance) ?? ""
    case .address:
      let address = match.restaurant.address
      return [address.street, address.city].compactMap(\.self).joined(separator: ", ")
    default: break
    }
    switch match[field] {
    case .string(let text)?: return text
    case .number(let token)?: return withoutZeros(token)
    case .array(let lines)?: return lines.compactMap(\.asText).joined(separator: "; ")
    case let value?: return value.description
    case nil: return ""
    }
  }

  private func footer(hidesIDs: Bool) -> String {
    let isCut = matches.count < summary.total && summary.next != nil
    return shown(matches.count, of: summary.total, "restaurant")
      + (isCut ? "; --limit N shows more" : "")
      + (hidesIDs ? "; -f ids shows the ids, which do not fit" : "")
  }
}

extension Query {
  /// The keys that it filters and sorts by, each once.
  var subjects: [RestaurantField] {
    // a table would show a whole `extra`
    let fields = (filter.expression?.subjects.map(\.field) ?? []).filter { $0 != .extra }
    let names = fields.map(\.rawValue) + (order?.terms ?? []).map(\.key.rawValue)
    var subjects: [RestaurantField] = []
    for field in names.compactMap(RestaurantField.init) where !subjects.contains(field) {
      subjects.append(field)
    }
    return subjects
  }
}

/// Restaurants in full for people: one key per line, and a blank line between restaurants.
struct DetailView {
  let style: Style

  /// The keys to show; nil shows all.
  var fields: [RestaurantField]?

  /// What is told of corrections, by id.
  var notes: [UTF8Key: [String]] = [:]

  /// The lines; missing keys are omitted.
  func lines(for restaurants: [Restaurant]) -> [String] { lines(for: restaurants.map(members)) }

  /// The lines of objects of other kinds, by their members.
  func lines(for objects: [[JSONMember]]) -> [String] {
    objects.enumerated().flatMap { position, members in
      (position > 0 ? [""] : []) + lines(for: members)
    }
  }

  private func members(of restaurant: Restaurant) -> [JSONMember] {
    var members: [JSONMember] = []
    for field in fields ?? RestaurantField.allCases {
      guard let value = restaurant[field] else { continue }
      members.add(field.rawValue, value)
      if field == .hours, fields == nil { members.append(Self.week(restaurant)) }
    }
    for note in notes[UTF8Key(restaurant.id)] ?? [] { members.add("corrected", note) }
    return members
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

  private func texts(of value: JSONValue) -> [String] {
    switch value {
    case .string(let text): [text]
    case .number(let token): [token]
    case .array(let lines): lines.flatMap { texts(of: $0) }
    case .object(let members):
      members.map { "\($0.name): " + texts(of: $0.value).joined(separator: "; ") }
    case .bool(let flag): [flag ? "true" : "false"]
    case .null: []
    }
  }
}
