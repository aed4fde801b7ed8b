package import GeoIndex

/// A point of a batch, with its line and its other values in the input.
package struct BatchPoint: Sendable {
  /// The number of its line or record.
  package let line: Int

  /// Its name, which replaces the line; nil if it has none.
  package let id: String?

  /// The input's own columns in their order, which the answer repeats.
  package let columns: [JSONMember]

  /// Makes a point.
  package init(line: Int, id: String? = nil, columns: [JSONMember] = []) {
    self.line = line
    self.id = id
    self.columns = columns
  }
}

/// Writes the answers to many points, each under the number of its input line, or under its id.
///
/// `csv` and `tsv` begin every row with the line and the point's own columns, and so do the
/// properties of the Features of `geojson` and `geojsonseq`. `jsonl` has one object per point,
/// `{"line":3,"items":[…]}`, or `{"line":7,"error":"…"}` for a line without a point; its columns
/// are in `"point":{…}`, and if queries are explained, `"explain":{…}` is before the items. `json`
/// has these objects in `{"schema":"geoq.batch/1","points":[…]}`. `ids` are those of all answers.
package struct BatchWriter {
  private let format: AnswerFormat
  private let fields: [RestaurantField]
  private let names: [String]

  /// The answers; in `json` and `jsonl` the objects of the points.
  private var matches: MatchWriter

  private let notesShown: [Int]
  private let hasRank: Bool
  private let keepsUnmatched: Bool

  /// The names of the columns before the answer's: the line or id of the point, its others, the
  /// rank.
  ///
  /// - Parameters:
  ///   - idName: The column that names the points; nil if their lines do.
  ///   - columns: The points' other columns.
  ///   - fields: The keys of the answers, nil for all: a column with the name of one is renamed.
  ///   - hasRank: Whether there is a column for the rank.
  /// - Returns: The names, in their order.
  package static func leadingNames(
    idName: String?,
    columns: [String],
    fields: [RestaurantField]?,
    hasRank: Bool
  ) -> [String] {
    let taken = Set((fields ?? RestaurantField.allCases).map(\.rawValue) + ["line", "rank"])
    let given = (idName.map { [$0] } ?? []) + columns
    return (idName == nil ? ["line"] : []) + given.map { taken.contains($0) ? "point_" + $0 : $0 }
      + (hasRank ? ["rank"] : [])
  }

  /// Makes a writer, and begins the answer.
  package init(
    _ format: AnswerFormat,
    idName: String? = nil,
    columns: [String] = [],
    fields: [RestaurantField]? = nil,
    isRaw: Bool = false,
    leading: [String]? = nil,
    hasRank: Bool = false,
    keepsUnmatched: Bool = false
  ) {
    self.format = format
    self.hasRank = hasRank
    self.keepsUnmatched = keepsUnmatched
    let summary = AnswerSummary(count: 0, total: 0, extent: nil, hasDistance: true)
    self.fields = fields ?? RestaurantField.allCases.filter(summary.has)
    let names = Self.leadingNames(
      idName: idName,
      columns: columns,
      fields: fields,
      hasRank: hasRank
    )
    notesShown = leading?.compactMap(names.firstIndex) ?? Array(names.indices)
    self.names = notesShown.map { names[$0] }
    matches = format.writer(fields: fields, isRaw: isRaw)
    matches.noteNames = self.names
    matches.isMarked = false
    matches.frame = .init(schema: "geoq.batch/1", listName: "points", head: [], tail: [])
    matches.begin(summary)
  }

  private var hasObjects: Bool { format == .json || format == .jsonl }

  /// Adds the answer to a point.
  package mutating func write(
    _ point: BatchPoint,
    _ matches: [Match],
    statistics: SearchStatistics? = nil
  ) {
    guard hasObjects else {
      let name = point.id.map(JSONValue.string) ?? .number(String(point.line))
      let values = [name] + point.columns.map(\.value)
      for (rank, match) in matches.enumerated() {
        note(values, rank: rank + 1)
        self.matches.write(match)
      }
      if matches.isEmpty, keepsUnmatched {
        note(values, rank: nil)
        self.matches.writeUnmatched()
      }
      return
    }
    add(point, statistics, "items", .array(matches.map { .object($0.members(fields)) }))
  }

  /// Sets the values before those of the next restaurant.
  private mutating func note(_ values: [JSONValue], rank: Int?) {
    let all = hasRank ? values + [rank.map { .number(String($0)) } ?? .null] : values
    matches.notes = zip(names, notesShown).map { JSONMember(name: $0, value: all[$1]) }
  }

  /// Adds the error of a point, which only `json` and `jsonl` contain.
  package mutating func write(_ point: BatchPoint, error: String) {
    if hasObjects { add(point, nil, "error", .string(error)) }
  }

  /// Ends the answer.
  package mutating func end() { matches.end() }

  /// Returns the bytes (UTF-8) written since the last call.
  package mutating func takeBytes() -> [UInt8] { matches.takeBytes() }

  /// Adds the object of a point, with its answer or error as the last member.
  private mutating func add(
    _ point: BatchPoint,
    _ statistics: SearchStatistics?,
    _ name: String,
    _ value: JSONValue
  ) {
    var members: [JSONMember] = []
    members.add("line", point.line)
    members.add("id", point.id)
    // the point's name comes before its columns
    let shown = point.columns.enumerated().filter { notesShown.contains($0.offset + 1) }
    members.add("point", shown.map(\.element).filter { $0.value != .null })
    members.add("explain", statistics?.json)
    members.add(name, value)
    matches.write(members)
  }
}
