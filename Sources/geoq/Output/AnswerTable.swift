import GeoQuery

/// An answer as a table for people: fitted to the terminal, distances rounded, a footer that counts.
struct AnswerTable {
  /// What is known of the answer.
  var summary: AnswerSummary?

  private var rows: [[String]] = []
  private var hasCategory = false

  /// Adds a restaurant.
  mutating func add(_ match: Match) {
    let restaurant = match.restaurant
    let street = [restaurant.address.street, restaurant.address.city].compactMap { $0 }
    rows.append([
      match.distance.map(formatDistance) ?? "",
      restaurant.name,
      restaurant.category ?? "",
      street.joined(separator: ", "),
      restaurant.id,
    ])
  }

  /// The lines, footer included.
  func lines(width: Int, style: Style) -> [String] {
    let total = summary?.total ?? rows.count
    guard !rows.isEmpty else {
      return [total == 0 ? "no restaurant found" : style.dim(footer(total: total))]
    }
    let hasDistance = summary?.hasDistance ?? false
    let columns = Self.columns.dropFirst(hasDistance ? 0 : 1)
    let cells = rows.map { Array($0.dropFirst(hasDistance ? 0 : 1)) }
    let table = TableWriter(columns: Array(columns), style: style)
    return table.lines(for: cells, width: width) + [style.dim(footer(total: total))]
  }

  private static let columns = [
    TableColumn(title: "distance", alignment: .right, priority: 9),
    TableColumn(title: "name", minimumWidth: 30, priority: 10),
    TableColumn(title: "category", minimumWidth: 12, priority: 3),
    TableColumn(title: "address", minimumWidth: 16, priority: 2),
    // an id that is cut is of no use: it goes whole or not at all
    TableColumn(title: "id", priority: 1),
  ]

  private func footer(total: Int) -> String {
    guard rows.count < total else { return restaurants(total) }
    let shown = "\(grouped(rows.count)) of \(restaurants(total)) shown"
    return summary?.next == nil ? shown : shown + "; --limit N shows more"
  }
}
