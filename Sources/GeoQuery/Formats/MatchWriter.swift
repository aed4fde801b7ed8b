public import GeoIndex

/// Turns an answer into bytes, one restaurant at a time.
///
/// Call `begin` once, `write` for each match, `end` once; take the bytes when there are enough.
/// Memory does not grow with the answer. A copy of a writer that has written a match continues like
/// the original, so that several copies can write a page in parallel.
public protocol MatchWriter: Sendable {
  /// Starts an answer.
  mutating func begin(_ summary: AnswerSummary)

  /// Adds one match.
  mutating func write(_ match: Match)

  /// Adds one restaurant of a page.
  ///
  /// - Throws: `SnapshotError` if the file is damaged.
  mutating func write(_ page: Page, at index: Int) throws(SnapshotError)

  /// Ends the answer.
  mutating func end()

  /// Returns the bytes (UTF-8) written since the last call.
  mutating func takeBytes() -> [UInt8]

  /// The number of bytes that have not been taken.
  var pendingCount: Int { get }
}

/// The formats of an answer that are the same for tool and library.
public enum AnswerFormat: String, Sendable, CaseIterable {
  /// RFC 7946: one FeatureCollection.
  case geojson
  /// RFC 8142: Features, each after a record separator.
  case geojsonseq
  /// One object, `geoq.matches/1`.
  case json
  /// The items of `json`, one per line.
  case jsonl
  /// RFC 4180, with a header line.
  case csv
  /// Tab-separated, with a header line; tab, line feed, carriage return and backslash escaped.
  case tsv
  /// One id per line.
  case ids
}

extension AnswerFormat {
  /// A writer of this format.
  ///
  /// - Parameters:
  ///   - fields: The keys of `json`, `jsonl`, `csv` and `tsv`, in this order; nil for all.
  ///   - terminator: The text after each of `ids`.
  ///   - isRaw: Whether texts of `csv` that look like formulas get no apostrophe.
  /// - Returns: A new writer.
  public func writer(
    fields: [RestaurantField]? = nil,
    terminator: String = "\n",
    isRaw: Bool = false
  ) -> any MatchWriter {
    switch self {
    case .json, .jsonl, .geojson, .geojsonseq: JSONMatchWriter(self, fields: fields)
    case .csv: DelimitedWriter(.csv, fields: fields, isRaw: isRaw)
    case .tsv: DelimitedWriter(.tsv, fields: fields)
    case .ids: IDWriter(terminator: terminator)
    }
  }

  /// A writer of a feed, whose output names neither geoq nor a source, so that an import treats it
  /// like any other feed.
  package func feedWriter() -> any MatchWriter {
    switch self {
    case .geojson, .geojsonseq: JSONMatchWriter(self, isFeed: true)
    default: writer(fields: RestaurantField.stored.filter { $0 != .source })
    }
  }
}

extension MatchWriter {
  /// Adds a restaurant of a page: from its record, unless the format has a faster way.
  ///
  /// - Throws: `SnapshotError` if the file is damaged.
  public mutating func write(_ page: Page, at index: Int) throws(SnapshotError) {
    write(try page.match(at: index))
  }
}

extension Page {
  /// The summary of the page, before its first restaurant.
  public var summary: AnswerSummary {
    AnswerSummary(
      count: count,
      total: total,
      extent: extent,
      hasDistance: hasDistance,
      statistics: statistics,
      next: next
    )
  }

  /// Writes the page.
  ///
  /// - Parameters:
  ///   - writer: The format.
  ///   - sink: Receives the bytes in pieces of about 64 KiB.
  /// - Throws: `SnapshotError` if the file is damaged, and errors of the sink.
  /// - Complexity: O(count), on all cores for a long page.
  public func write(
    with writer: any MatchWriter,
    to sink: ([UInt8]) throws -> Void
  ) throws {
    var writer = writer
    writer.begin(summary)
    // one core for the first rows, which are all of a short page
    let head = min(count, Self.chunkLength)
    try write(0..<head, with: &writer, to: sink)
    let stride = Self.chunkLength * Parallel.coreCount
    for start in Swift.stride(from: head, to: count, by: stride) {
      let chunk = start..<min(start + stride, count)
      if writer.pendingCount > 0 { try sink(writer.takeBytes()) }
      let parts = Parallel.mapParts(of: chunk, threads: Parallel.coreCount) { [writer] rows in
        pieces(of: rows, with: writer)
      }
      for part in parts { for piece in try part.get() { try sink(piece) } }
    }
    writer.end()
    try sink(writer.takeBytes())
  }

  /// The number of restaurants that a core writes at a time.
  private static let chunkLength = 1_024

  /// The bytes of some restaurants, written by a copy of a writer.
  private func pieces(
    of rows: Range<Int>,
    with writer: any MatchWriter
  ) -> Result<[[UInt8]], any Error> {
    var writer = writer
    return Result {
      var pieces: [[UInt8]] = []
      try write(rows, with: &writer) { pieces.append($0) }
      return pieces + [writer.takeBytes()]
    }
  }

  private func write(
    _ rows: Range<Int>,
    with writer: inout any MatchWriter,
    to sink: ([UInt8]) throws -> Void
  ) throws {
    for index in rows {
      try writer.write(self, at: index)
      if writer.pendingCount >= 1 << 16 { try sink(writer.takeBytes()) }
    }
  }
}

/// Writes one id per line.
private struct IDWriter: MatchWriter {
  let terminator: String
  private var bytes: [UInt8] = []

  init(terminator: String) {
    self.terminator = terminator
  }

  var pendingCount: Int { bytes.count }

  mutating func begin(_ summary: AnswerSummary) {}

  mutating func write(_ match: Match) {
    bytes += match.restaurant.id.utf8
    bytes += terminator.utf8
  }

  mutating func write(_ page: Page, at index: Int) {
    bytes += page.snapshot.id(at: page.hits[index].position)
    bytes += terminator.utf8
  }

  mutating func end() {}

  mutating func takeBytes() -> [UInt8] {
    defer { bytes.removeAll(keepingCapacity: true) }
    return bytes
  }
}

extension [Facet] {
  /// `geoq.facets/1`: `{"schema":…,"field":…,"count":n,"items":[{"value":…,"count":…}]}`, one item
  /// per line; `count` is the number of restaurants, `value` is null for those that have none.
  package func json(by field: Condition.Field) -> [UInt8] {
    var json = JSONWriter()
    json.raw("{\"schema\":\"geoq.facets/1\",\"field\":")
    json.string(field.rawValue)
    json.raw(",\"count\":\(reduce(0) { $0 + $1.count }),\"items\":[")
    for (index, facet) in enumerated() {
      json.raw(index == 0 ? "\n" : ",\n")
      json.raw("{\"value\":")
      json.value(facet.value.map(JSONValue.string) ?? .null)
      json.raw(",\"count\":\(facet.count)}")
    }
    json.raw(isEmpty ? "]}\n" : "\n]}\n")
    return json.bytes
  }

  /// A header line and one value per line, as csv or tsv; nil for another format.
  ///
  /// The cell of restaurants without a value is empty.
  package func delimited(_ format: AnswerFormat, by field: Condition.Field) -> [UInt8]? {
    guard format == .csv || format == .tsv else { return nil }
    var writer = DelimitedWriter(format == .csv ? .csv : .tsv, fields: [])
    writer.row([field.rawValue, "count"])
    for facet in self { writer.row([facet.value ?? "", "\(facet.count)"]) }
    return writer.takeBytes()
  }
}
