/// Turns an answer into bytes, one restaurant at a time.
///
/// Call `begin` once, `write` for each match, `end` once; take the bytes whenever they are worth
/// handing on. Memory does not grow with the answer.
public protocol MatchWriter {
  /// Starts an answer.
  mutating func begin(_ summary: AnswerSummary)

  /// Adds one match.
  mutating func write(_ match: Match)

  /// Ends the answer.
  mutating func end()

  /// Hands over the bytes (UTF-8) written since the last call.
  mutating func takeBytes() -> [UInt8]

  /// How many bytes wait to be taken.
  var pendingCount: Int { get }
}

/// The formats of an answer that are the same wherever it is written.
public enum AnswerFormat: String, Sendable, CaseIterable {
  /// RFC 7946: one FeatureCollection.
  case geojson
  /// RFC 8142: one Feature after another, each behind a record separator.
  case geojsonseq
  /// One object, `geoq.matches/1`.
  case json
  /// The items of `json`, one a line.
  case jsonl
  /// RFC 4180, with a header line.
  case csv
  /// Tab-separated, with a header line; tab, line feed, carriage return and backslash escaped.
  case tsv
  /// One id a line.
  case ids
}

extension AnswerFormat {
  /// A writer of this format.
  ///
  /// - Parameters:
  ///   - fields: The keys of `json`, `jsonl`, `csv` and `tsv`, in this order; nil takes all.
  ///   - terminator: What ends each of `ids`.
  /// - Returns: A writer that has written nothing yet.
  public func writer(
    fields: [RestaurantField]? = nil,
    terminator: String = "\n"
  ) -> any MatchWriter {
    switch self {
    case .geojson: GeoJSONWriter()
    case .geojsonseq: GeoJSONSeqWriter()
    case .json: JSONWriter(fields: fields)
    case .jsonl: JSONLinesWriter(fields: fields)
    case .csv: DelimitedWriter(.csv, fields: fields)
    case .tsv: DelimitedWriter(.tsv, fields: fields)
    case .ids: IDWriter(terminator: terminator)
    }
  }
}

extension AnswerFormat {
  /// A writer of a feed: what it writes names neither geoq nor a source, so that an import takes it
  /// for anybody's.
  package func feedWriter() -> any MatchWriter {
    switch self {
    case .geojson: GeoJSONWriter(mark: nil)
    case .geojsonseq: GeoJSONSeqWriter(mark: nil)
    default: writer(fields: Schema.fields.filter { $0 != .source })
    }
  }
}

extension QueryEngine {
  /// Writes the answer to a query.
  ///
  /// - Parameters:
  ///   - query: What to look for.
  ///   - writer: The format.
  ///   - sink: Takes the bytes, in pieces of about 64 KiB.
  /// - Returns: What was written.
  /// - Throws: `StoreError` where the store cannot be read, and what the sink throws.
  @discardableResult
  public func write(
    _ query: Query,
    with writer: any MatchWriter,
    to sink: ([UInt8]) throws -> Void
  ) throws -> AnswerSummary? {
    var writer = writer
    var summary: AnswerSummary?
    try answer(query) {
      summary = $0
      writer.begin($0)
    } each: {
      writer.write($0)
      if writer.pendingCount >= 1 << 16 { try sink(writer.takeBytes()) }
    }
    writer.end()
    try sink(writer.takeBytes())
    return summary
  }
}
