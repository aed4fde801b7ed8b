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
}
