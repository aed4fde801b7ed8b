/// How a table is cut, if its text does not show it.
public struct TableLayout: Sendable, Hashable {
  /// Where the names of the columns are.
  public enum Header: Sendable, Hashable {
    /// In the first line.
    case firstLine
    /// Nowhere: every line is a record, and the columns are `column 1`, `column 2` and so on.
    case missing
    /// Given; every line is a record.
    case names([String])
  }

  /// The byte between two cells; nil finds it.
  public var delimiter: UInt8?

  /// Where the names of the columns are.
  public var header = Header.firstLine

  /// Leaves everything to the text.
  public init() {}

  /// Whether anything is said, so that the feed is a table.
  var isStated: Bool { self != TableLayout() }
}
