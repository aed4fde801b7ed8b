public import GeoIndex

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
  ) -> MatchWriter {
    let rows = DelimitedWriter(self, isRaw: isRaw)
    return MatchWriter(format: self, fields: fields, terminator: terminator, rows: rows)
  }

  /// A writer of a feed: without geoq and a source, so that an import treats it like any other
  /// feed.
  package func feedWriter() -> MatchWriter {
    let fields = RestaurantField.stored.filter { $0 != .source }
    var writer = writer(fields: fields)
    writer.properties = writer.properties.filter(fields.contains)
    writer.isMarked = false
    return writer
  }
}

/// Turns an answer into bytes, one restaurant at a time.
///
/// Call `begin` once, `write` for each match, `end` once; take the bytes when there are enough.
/// Memory does not grow with the answer. A copy of a writer that has written a match continues like
/// the original, so that several copies can write a page in parallel.
///
/// - `json`: `{"schema":"geoq.matches/1","count":n,"items":[…]}`, one item per line, with the cursor of the
///   next page as `"next"` and `"explain":{…}` before the items, if the answer has them.
/// - `jsonl`: the items of `json`, one per line.
/// - `geojson`: a FeatureCollection (RFC 7946 §3.3), one Feature per line. Its `bbox` goes by the smallest
///   arc, so it has west > east where that arc crosses the antimeridian (§5.2); an empty collection has none.
///   It has `credits` as members.
/// - `geojsonseq`: a GeoJSON text sequence (RFC 8142), each Feature after 0x1E and ended by a line feed.
/// - `csv` and `tsv`: a header line and one line per match. Every key is a column, whether the answer uses
///   it or not; `distance` only if the query has a center.
public struct MatchWriter: Sendable {
  /// A document with a list, other than `geoq.matches/1`.
  struct Frame {
    let schema: String
    let listName: String

    /// The members before the list, and after it; foreign members in GeoJSON (RFC 7946 §6.1).
    let head: [JSONMember]
    let tail: [JSONMember]
  }

  /// Values of the next restaurant in addition to its keys: after them in JSON, otherwise before them.
  ///
  /// A null is an empty cell, and is omitted in GeoJSON.
  var notes: [JSONMember] = []

  /// The credits of the restaurants' sources, as foreign members of a FeatureCollection.
  public var credits = Credits.none

  /// The document; nil for `geoq.matches/1`.
  var frame: Frame?

  /// The names of the notes, for a header line.
  var noteNames: [String] = []

  /// Whether GeoJSON has the member by which geoq recognizes its own output.
  var isMarked = true

  /// The keys in GeoJSON.
  fileprivate var properties = JSONWriter.featureProperties

  fileprivate let format: AnswerFormat
  fileprivate let fields: [RestaurantField]?
  fileprivate let terminator: String
  fileprivate var json = JSONWriter()
  fileprivate var rows: DelimitedWriter
  fileprivate var isFirst = true

  /// Starts an answer.
  public mutating func begin(_ summary: AnswerSummary) {
    switch format {
    case .json:
      json.raw("{\"schema\":\"\(frame?.schema ?? "geoq.matches/1")\",")
      json.members(frame?.head ?? summary.members)
      json.raw("\"\(frame?.listName ?? "items")\":[")
    case .geojson:
      json.raw("{\"type\":\"FeatureCollection\",")
      if isMarked { json.members([.geoqMark]) }
      json.members(credits.members)
      if let frame { json.members(frame.head + frame.tail) }
      if let box = summary.extent {
        json.raw("\"bbox\":")
        json.boundingBox(box)
        json.raw(",")
      }
      json.raw("\"features\":[")
    case .csv, .tsv:
      rows.columns = fields ?? RestaurantField.allCases.filter(summary.has)
      rows.row(noteNames + rows.columns.map(\.rawValue))
    case .jsonl, .geojsonseq, .ids: break
    }
  }

  /// Adds one match.
  public mutating func write(_ match: Match) {
    beginItem()
    switch format {
    case .json, .jsonl:
      json.value(.object(match.members(fields ?? RestaurantField.allCases) + notes))
    case .geojson, .geojsonseq:
      json.feature(
        match,
        with: isMarked && format == .geojsonseq ? .geoqMark : nil,
        properties: properties,
        leading: notes.filter { $0.value != .null }
      )
    case .csv, .tsv: rows.write(match, after: notes.map(\.value))
    case .ids: json.append { $0 += match.restaurant.id.utf8 }
    }
    endItem()
  }

  /// Adds another object in JSON.
  mutating func write(_ members: [JSONMember]) {
    beginItem()
    json.value(.object(members))
    endItem()
  }

  /// Adds the notes alone, without a restaurant; nothing in JSON and `ids`.
  mutating func writeUnmatched() {
    switch format {
    case .csv, .tsv: rows.row(notes.map(\.value) + rows.columns.map { _ in .null })
    case .geojson, .geojsonseq:
      beginItem()
      json.raw("{\"type\":\"Feature\",\"geometry\":null,\"properties\":")
      json.value(.object(notes.filter { $0.value != .null }))
      json.raw("}")
      endItem()
    case .json, .jsonl, .ids: break
    }
  }

  /// Adds one restaurant of a page.
  ///
  /// Features and ids are copied from the snapshot, without making a `Restaurant`.
  ///
  /// - Throws: `SnapshotError` if the file is damaged.
  public mutating func write(_ page: Page, at index: Int) throws(SnapshotError) {
    let hit = page.hits[index]
    switch format {
    case .geojson where isMarked, .geojsonseq where isMarked:
      beginItem()
      json.append { bytes in
        let start = bytes.count
        page.snapshot.appendFeature(at: hit.position, distance: hit.distance, to: &bytes)
        // the mark comes after the type, which all records begin with unless they are damaged
        let place = start + "{\"type\":\"Feature\",".utf8.count
        if format == .geojsonseq, place < bytes.count {
          bytes.insert(contentsOf: Self.mark, at: place)
        }
      }
    case .ids: json.append { $0 += page.snapshot.id(at: hit.position) }
    default: return write(try page.match(at: index))
    }
    endItem()
  }

  /// The mark as a member before others.
  private static let mark = Array(
    (JSONWriter.of(.object([.geoqMark])).dropFirst().dropLast() + ",").utf8
  )

  /// Ends the answer.
  public mutating func end() {
    guard format == .json || format == .geojson else { return }
    json.raw(isFirst ? "]" : "\n]")
    if format == .json {
      for member in frame?.tail ?? [] {
        json.raw(",")
        json.member(member)
      }
    }
    json.raw("}\n")
  }

  private var isDelimited: Bool { format == .csv || format == .tsv }

  /// Returns the bytes (UTF-8) written since the last call.
  public mutating func takeBytes() -> [UInt8] {
    isDelimited ? rows.takeBytes() : json.takeBytes()
  }

  /// The number of bytes that have not been taken.
  public var pendingCount: Int { isDelimited ? rows.bytes.count : json.bytes.count }

  private mutating func beginItem() {
    switch format {
    case .json, .geojson:
      json.raw(isFirst ? "\n" : ",\n")
      isFirst = false
    case .geojsonseq: json.raw("\u{1E}")
    default: break
    }
  }

  private mutating func endItem() {
    switch format {
    case .jsonl, .geojsonseq: json.raw("\n")
    case .ids: json.raw(terminator)
    default: break
    }
  }
}

extension AnswerSummary {
  /// The members of `geoq.matches/1` before its list.
  fileprivate var members: [JSONMember] {
    var members: [JSONMember] = []
    members.add("count", count)
    members.add("next", next)
    members.add("explain", statistics?.json)
    return members
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
  public func write(with writer: MatchWriter, to sink: ([UInt8]) throws -> Void) throws {
    var writer = writer
    writer.begin(summary)
    // one core for the first rows, which are all of a short page
    let head = Swift.min(count, Self.chunkLength)
    try write(0..<head, with: &writer, to: sink)
    let stride = Self.chunkLength * Parallel.coreCount
    for start in Swift.stride(from: head, to: count, by: stride) {
      let chunk = start..<Swift.min(start + stride, count)
      if writer.pendingCount > 0 { try sink(writer.takeBytes()) }
      let parts = Parallel.mapParts(of: chunk, threads: Parallel.coreCount) { [writer] rows in
        Result {
          var (writer, pieces) = (writer, [[UInt8]]())
          try write(rows, with: &writer) { pieces.append($0) }
          return pieces + [writer.takeBytes()]
        }
      }
      for part in parts { for piece in try part.get() { try sink(piece) } }
    }
    writer.end()
    try sink(writer.takeBytes())
  }

  /// The number of restaurants that a core writes at a time.
  private static let chunkLength = 1_024

  private func write(
    _ rows: Range<Int>,
    with writer: inout MatchWriter,
    to sink: ([UInt8]) throws -> Void
  ) throws {
    for index in rows {
      try writer.write(self, at: index)
      if writer.pendingCount >= 1 << 16 { try sink(writer.takeBytes()) }
    }
  }
}

extension Facet {
  /// `value`, null for none, and `count`.
  package var members: [JSONMember] {
    var members = [JSONMember(name: "value", value: value.map(JSONValue.string) ?? .null)]
    members.add("count", count)
    return members
  }
}

extension [Facet] {
  /// `geoq.facets/1`: `{"schema":…,"field":…,"count":n,"items":[{"value":…,"count":…}]}`, one item
  /// per line; `count` is the number of restaurants, `value` is null for those that have none.
  package func json(by field: String, of count: Int) -> [UInt8] {
    var members: [JSONMember] = []
    members.add("schema", "geoq.facets/1")
    members.add("field", field)
    members.add("count", count)
    return JSONWriter.document(members, "items", map(\.members))
  }

  /// A header line and one value per line, as csv or tsv; nil for another format.
  ///
  /// The cell of restaurants without a value is empty.
  package func delimited(_ format: AnswerFormat, by field: String) -> [UInt8]? {
    guard format == .csv || format == .tsv else { return nil }
    var writer = DelimitedWriter(format)
    writer.row([field, "count"])
    for facet in self { writer.row([facet.value ?? "", "\(facet.count)"]) }
    return writer.bytes
  }
}
