import GeoQuery

/// Favorites as a table for people.
enum FavoriteTable {
  private static let columns = [
    TableColumn(title: "name", minimumWidth: 30, priority: 10),
    TableColumn(title: "category", minimumWidth: 12, priority: 3),
    TableColumn(title: "address", minimumWidth: 16, priority: 2),
    TableColumn(title: "since", priority: 4),
    TableColumn(title: "state", priority: 5),
    // a truncated id is useless, so it is shown whole or dropped
    TableColumn(title: "id", priority: 1),
  ]

  /// The lines, including the footer.
  static func lines(for list: FavoriteList, width: Int, style: Style) -> [String] {
    guard list.total > 0 else { return ["no favorites; geoq favorite add ID adds one"] }
    let favorites = list.matches
    let rows = favorites.map { match in
      let restaurant = match.restaurant
      let street = [restaurant.address.street, restaurant.address.city].compactMap { $0 }
      return [
        restaurant.name, restaurant.category ?? "", street.joined(separator: ", "),
        // for people, the day is enough
        String(match.favorite?.since.prefix(10) ?? ""), state(of: match), restaurant.id,
      ]
    }
    let gone = favorites.count { $0.favorite?.isGone == true }
    let shown = favorites.count < list.total ? "\(grouped(favorites.count)) of " : ""
    let footer =
      "\(shown)\(grouped(list.total)) favorite\(list.total == 1 ? "" : "s")"
      + (shown.isEmpty ? "" : " shown") + (gone == 0 ? "" : ", \(grouped(gone)) gone")
    return TableWriter(columns: columns, style: style).lines(for: rows, width: width)
      + [style.dim(footer)]
  }

  private static func state(of match: Match) -> String {
    if match.favorite?.isGone == true { return "gone" }
    return match.restaurant.closed ? "closed" : ""
  }
}
