public import GeoQuery

/// Which columns or members hold what, if their names do not say it.
///
/// Names are compared without case, blanks and the marks between words; one column may serve for
/// several keys. A number is the position of a column, from 1, unless a column has that name.
public struct ColumnNames: Sendable, Hashable {
  /// The name of the column for a key.
  public var names: [RestaurantField: String] = [:]

  /// The column with positions as WKT: `POINT(-96.82 32.95)`.
  public var point: String?

  /// Leaves everything to the names of the columns.
  public init() {}

  /// Whether nothing is said.
  public var isEmpty: Bool { names.isEmpty && point == nil }

  /// The names that are given, in order of their bytes.
  var all: [String] {
    let keys = names.values.sorted { ByteKey($0) < ByteKey($1) }
    return keys + [point].compactMap(\.self)
  }

  /// The same with other names.
  func map<Failure>(
    _ change: (String) throws(Failure) -> String
  ) throws(Failure) -> ColumnNames {
    var columns = self
    for (field, name) in names { columns.names[field] = try change(name) }
    if let point { columns.point = try change(point) }
    return columns
  }

  /// Why they make no sense for a format; nil if they do.
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
