public import GeoQuery

/// Which columns or members hold what, where their names do not say it.
public struct ColumnNames: Sendable, Hashable {
  /// The name of the column for a key.
  public var names: [RestaurantField: String] = [:]

  /// The column with positions as WKT: `POINT(-96.82 32.95)`.
  public var point: String?

  /// Leaves everything to the names of the columns.
  public init() {}

  /// Whether nothing is said.
  public var isEmpty: Bool { names.isEmpty && point == nil }

  /// Why they make no sense for a format; nil where they do.
  func problem(for format: FeedFormat) -> String? {
    if isEmpty { return nil }
    switch format {
    case .csv, .tsv, .jsonl: return nil
    case .geojson, .geojsonseq:
      let isPosition = point != nil || names[.latitude] != nil || names[.longitude] != nil
      return isPosition
        ? "GeoJSON has positions in its geometry; leave --lat-col, --lon-col and --point-col out"
        : nil
    default:
      return
        "this looks like \(format.rawValue), whose names are known; leave the options that name "
        + "columns out, or read it with -i \(format == .fsqOS ? "csv or jsonl" : "jsonl")"
    }
  }
}
