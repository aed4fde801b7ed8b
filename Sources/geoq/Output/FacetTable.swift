import GeoQuery

/// Counts by the values of a field, as a table for people.
struct FacetTable {
  let facets: [Facet]
  let field: String

  /// The number of restaurants.
  let total: Int

  /// The lines, including the footer.
  func lines(width: Int, style: Style) -> [String] {
    guard !facets.isEmpty else { return ["no restaurants found"] }
    let columns = [
      TableColumn(title: field, minimumWidth: 30, priority: 10),
      TableColumn(title: "count", alignment: .right, priority: 9),
    ]
    let rows = facets.map { [$0.value ?? "(none)", grouped($0.count)] }
    return TableWriter(columns: columns, style: style).lines(for: rows, width: width)
      + [style.dim(restaurants(total))]
  }
}
