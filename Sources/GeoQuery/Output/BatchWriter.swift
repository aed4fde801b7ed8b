public import GeoIndex

/// Writes the answers to many points, each under the number of its input line.
///
/// `csv` and `tsv` begin every row with the line; `jsonl` has one object a line,
/// `{"line":3,"items":[…]}`, or `{"line":7,"error":"…"}` where the line was no point. Where queries
/// are explained, `"explain":{…}` stands before the items.
public struct BatchWriter {
  /// The formats that a batch can have.
  public enum Style: String, Sendable, CaseIterable {
    /// One object a line.
    case jsonl
    /// RFC 4180.
    case csv
    /// Tab-separated.
    case tsv
  }

  private let style: Style
  private let fields: [RestaurantField]
  private var json = JSONText()
  private var rows: DelimitedWriter

  /// Makes a writer; `csv` and `tsv` start with their header.
  public init(_ style: Style) {
    self.style = style
    fields = RestaurantField.allCases
    rows = DelimitedWriter(style == .csv ? .csv : .tsv, fields: nil)
    guard style != .jsonl else { return }
    rows.inputLine = 0
    rows.begin(AnswerSummary(count: 0, total: 0, extent: nil, hasDistance: true))
  }

  /// Adds the answer to the point on a line.
  ///
  /// - Parameters:
  ///   - line: The number of the line.
  ///   - matches: The answer.
  ///   - statistics: What was done for it; only `jsonl` has a place for that.
  public mutating func write(
    line: Int,
    _ matches: [Match],
    statistics: SearchStatistics? = nil
  ) {
    guard style == .jsonl else {
      rows.inputLine = line
      for match in matches { rows.write(match) }
      return
    }
    json.raw("{\"line\":\(line),")
    json.explanation(statistics)
    json.raw("\"items\":[")
    for (position, match) in matches.enumerated() {
      if position > 0 { json.raw(",") }
      json.object(of: match, fields: fields)
    }
    json.raw("]}\n")
  }

  /// Adds what is wrong with a line; only `jsonl` has a place for it.
  public mutating func write(line: Int, error: String) {
    guard style == .jsonl else { return }
    json.raw("{\"line\":\(line),\"error\":")
    json.string(error)
    json.raw("}\n")
  }

  /// Hands over the bytes (UTF-8) written since the last call.
  public mutating func takeBytes() -> [UInt8] {
    style == .jsonl ? json.takeBytes() : rows.takeBytes()
  }
}
