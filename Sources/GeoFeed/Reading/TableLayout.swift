/// How a table is divided into cells, if its text does not show it.
public struct TableLayout: Sendable, Hashable {
  /// Where the names of the columns are.
  public enum Header: Sendable, Hashable {
    /// In the first line.
    case firstLine
    /// There are none: every line is a record, and the columns are `column 1`, `column 2` and so
    /// on.
    case missing
    /// They are given, and every line is a record.
    case names([String])
  }

  /// The byte between two cells; nil to recognize it.
  public var delimiter: UInt8?

  /// Where the names of the columns are.
  public var header = Header.firstLine

  /// Makes the default layout, which is recognized from the text.
  public init() {}

  /// Whether anything is set, so that the feed must be a table.
  var isStated: Bool { self != TableLayout() }
}
