import GeoQuery

/// The text of one record as a splitter found it, before anybody knows what it means.
struct RecordText {
  /// What the text holds.
  enum Content {
    /// A value to be read.
    case value(JSONValue)
    /// The text of a record that came before, by its position among the store's rows.
    case known(Int)
    /// Text that is wrong and costs only this record, at an offset in the feed.
    case broken(JSONSyntaxError)
    /// More bytes than are read.
    case tooLong
  }

  let content: Content

  /// Where the text lies in the feed.
  let range: Range<Int>

  /// The line it begins on, where its first byte is no longer at hand.
  var line: Int?
}
