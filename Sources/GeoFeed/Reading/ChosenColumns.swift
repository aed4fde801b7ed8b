public import GeoQuery

/// The columns or members for the keys of the record, if their names do not tell.
///
/// Names are compared without case, blanks and separators between words; one column may be used for
/// several keys. A number is the position of a column, from 1, unless a column has that name.
public struct ChosenColumns: Sendable, Hashable {
  /// The name of the column for a key.
  public var names: [RestaurantField: String] = [:]

  /// The column with positions as WKT: `POINT(-96.82 32.95)`.
  public var point: String?

  /// Makes an empty list, so that the names of the columns decide.
  public init() {}

  /// Whether no column is named.
  public var isEmpty: Bool { names.isEmpty && point == nil }

  /// All given names, in order of their bytes.
  var all: [String] {
    let keys = names.values.sorted { UTF8Key($0) < UTF8Key($1) }
    return keys + [point].compactMap(\.self)
  }

  /// These columns with other names.
  func map<Failure>(
    _ change: (String) throws(Failure) -> String
  ) throws(Failure) -> ChosenColumns {
    var columns = self
    for (field, name) in names { columns.names[field] = try change(name) }
    if let point { columns.point = try change(point) }
    return columns
  }

  /// Why they cannot be used with a format; nil if they can.
  func problem(for format: FeedFormat) -> String? {
    if isEmpty { return nil }
    switch format {
    case .csv, .tsv, .jsonl: return nil
    case .geojson, .geojsonseq:
      let isPosition = point != nil || names[.latitude] != nil || names[.longitude] != nil
      return isPosition
        ? "GeoJSON has positions in its geometry; omit --lat-col, --lon-col and --point-col"
        : nil
    default:
      return
        "this looks like \(format.rawValue), whose names are known; omit the options that name "
        + "columns, or read it with -i \(format == .fsqOS ? "csv or jsonl" : "jsonl")"
    }
  }
}
