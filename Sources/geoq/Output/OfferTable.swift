import GeoQuery

/// Offers as a table for people, or as lines of cells for programs.
struct OfferTable {
  let page: OfferPage

  /// Whether the query has a point for distances.
  let hasCenter: Bool

  /// The lines for people, including the footer.
  func lines(width: Int, style: Style) -> [String] {
    guard page.total > 0 else { return ["no offers found"] }
    let table = TableWriter(columns: columns, style: style)
    let shown = page.hits.count < page.total ? "\(grouped(page.hits.count)) of " : ""
    let footer =
      "\(shown)\(grouped(page.total)) offer\(page.total == 1 ? "" : "s")"
      + (shown.isEmpty ? "" : " shown; -k N shows more")
    return table.lines(for: page.hits.map { cells($0, isForPeople: true) }, width: width)
      + [style.dim(footer)]
  }

  /// Tab-separated cells with a header line; distances in meters, unrounded.
  var plainLines: [String] {
    let rows = page.hits.map { cells($0, isForPeople: false).map(terminalSafe) }
    return ([columns.map(\.title)] + rows).map { $0.joined(separator: "\t") }
  }

  private var columns: [TableColumn] {
    (hasCenter
      ? [
        TableColumn(title: "nearest", alignment: .right, priority: 9),
        TableColumn(title: "at", minimumWidth: 12, priority: 6),
      ] : [])
      + [
        TableColumn(title: "name", minimumWidth: 20, priority: 10),
        TableColumn(title: "amount", alignment: .right, priority: 7),
        TableColumn(title: "category", minimumWidth: 10, priority: 3),
        TableColumn(title: "chains", minimumWidth: 10, priority: 4),
        TableColumn(title: "places", alignment: .right, priority: 5),
        TableColumn(title: "id", priority: 8),
      ]
  }

  private func cells(_ hit: OfferHit, isForPeople: Bool) -> [String] {
    let distance = hit.nearest.map {
      isForPeople ? formatDistance($0.distance) : $0.distance.description
    }
    let place = hasCenter ? [distance ?? "", hit.nearest?.name ?? ""] : []
    return place + [
      hit.offer.name, hit.offer.amount.map(Self.text) ?? "",
      hit.offer.categories.joined(separator: ", "), hit.chains.joined(separator: ", "),
      isForPeople ? grouped(hit.placeCount) : hit.placeCount.description, hit.offer.id,
    ]
  }

  private static func text(_ amount: Double) -> String {
    let text = amount.description
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
  }
}
