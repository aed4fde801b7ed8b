import GeoQuery

/// An answer as a table for people: fitted to the terminal, distances rounded, a footer that counts.
struct AnswerTable {
  /// The restaurants, in order.
  let matches: [Match]

  /// What is known of the answer.
  let summary: AnswerSummary

  /// The lines, footer included.
  func lines(width: Int, style: Style) -> [String] {
    guard !matches.isEmpty else {
      return [summary.total == 0 ? "no restaurant found" : style.dim(footer)]
    }
    let columns = Self.columns.dropFirst(summary.hasDistance ? 0 : 1)
    let cells = matches.map { Array(Self.cells(of: $0).dropFirst(summary.hasDistance ? 0 : 1)) }
    let table = TableWriter(columns: Array(columns), style: style)
    return table.lines(for: cells, width: width) + [style.dim(footer)]
  }

  private static func cells(of match: Match) -> [String] {
    let restaurant = match.restaurant
    let street = [restaurant.address.street, restaurant.address.city].compactMap { $0 }
    return [
      match.distance.map(formatDistance) ?? "",
      restaurant.name,
      restaurant.category ?? "",
      street.joined(separator: ", "),
      restaurant.id,
    ]
  }

  private static let columns = [
    TableColumn(title: "distance", alignment: .right, priority: 9),
    TableColumn(title: "name", minimumWidth: 30, priority: 10),
    TableColumn(title: "category", minimumWidth: 12, priority: 3),
    TableColumn(title: "address", minimumWidth: 16, priority: 2),
    // an id that is cut is of no use: it goes whole or not at all
    TableColumn(title: "id", priority: 1),
  ]

  private var footer: String {
    let total = summary.total
    guard matches.count < total else { return restaurants(total) }
    let shown = "\(grouped(matches.count)) of \(restaurants(total)) shown"
    return summary.next == nil ? shown : shown + "; --limit N shows more"
  }
}
