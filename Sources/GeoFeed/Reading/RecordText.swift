import GeoQuery

/// The text of one record, before its meaning is known.
struct RecordText {
  /// The contents of the text.
  enum Content {
    /// A value to read.
    case value(JSONValue)
    /// The text of a record with unchanged bytes, by the position of its row in the store.
    case known(Int)
    /// Invalid text that affects only this record, at an offset in the feed.
    case broken(JSONSyntaxError)
    /// A text that is too long.
    case tooLong
  }

  let content: Content

  /// The range of the text in the feed.
  let range: Range<Int>

  /// The line of its start, if its first byte is no longer buffered.
  var line: Int?
}
