public import GeoIndex

extension JSONText {
  /// Writes a match's keys as members, without the braces; missing ones are omitted.
  mutating func members(of match: Match, fields: some Sequence<RestaurantField>) {
    var isFirst = true
    for field in fields {
      if let text = match.restaurant.text(field) {
        begin(field, &isFirst)
        string(text)
        continue
      }
      guard let value = match[field] else { continue }
      begin(field, &isFirst)
      self.value(value)
    }
  }

  /// Writes a key, which needs no escapes, and what comes before its value.
  private mutating func begin(_ field: RestaurantField, _ isFirst: inout Bool) {
    raw(isFirst ? "\"" : ",\"")
    isFirst = false
    raw(field.rawValue)
    raw("\":")
  }

  /// Writes a match as one flat object.
  mutating func object(of match: Match, fields: some Sequence<RestaurantField>) {
    raw("{")
    members(of: match, fields: fields)
    raw("}")
  }
}

/// Writes `{"schema":"geoq.matches/1","count":n,"items":[…]}`, one item per line, with the cursor
/// of the next page as `"next"` and `"explain":{…}` before the items, if the answer has them.
struct JSONWriter: MatchWriter {
  private let fields: [RestaurantField]
  private var json = JSONText()
  private var isFirst = true

  init(fields: [RestaurantField]?) {
    self.fields = fields ?? RestaurantField.allCases
  }

  var pendingCount: Int { json.bytes.count }

  mutating func begin(_ summary: AnswerSummary) {
    json.raw("{\"schema\":\"geoq.matches/1\",\"count\":\(summary.count),")
    if let next = summary.next {
      json.raw("\"next\":")
      json.string(next)
      json.raw(",")
    }
    json.explanation(summary.statistics)
    json.raw("\"items\":[")
  }

  mutating func write(_ match: Match) {
    json.raw(isFirst ? "\n" : ",\n")
    isFirst = false
    json.object(of: match, fields: fields)
  }

  mutating func end() {
    json.raw(isFirst ? "]}\n" : "\n]}\n")
  }

  mutating func takeBytes() -> [UInt8] { json.takeBytes() }
}

/// Writes the items of `geoq.matches/1`, one per line.
struct JSONLinesWriter: MatchWriter {
  private let fields: [RestaurantField]
  private var json = JSONText()

  init(fields: [RestaurantField]?) {
    self.fields = fields ?? RestaurantField.allCases
  }

  var pendingCount: Int { json.bytes.count }

  mutating func begin(_ summary: AnswerSummary) {}

  mutating func write(_ match: Match) {
    json.object(of: match, fields: fields)
    json.raw("\n")
  }

  mutating func end() {}

  mutating func takeBytes() -> [UInt8] { json.takeBytes() }
}

/// Writes one id per line.
struct IDWriter: MatchWriter {
  private let terminator: String
  private var bytes: [UInt8] = []

  init(terminator: String) {
    self.terminator = terminator
  }

  var pendingCount: Int { bytes.count }

  mutating func begin(_ summary: AnswerSummary) {}

  mutating func write(_ match: Match) {
    bytes.append(contentsOf: match.restaurant.id.utf8)
    bytes.append(contentsOf: terminator.utf8)
  }

  mutating func write(_ page: Page, at index: Int) {
    bytes += page.snapshot.id(at: page.hits[index].position)
    bytes.append(contentsOf: terminator.utf8)
  }

  mutating func end() {}

  mutating func takeBytes() -> [UInt8] {
    defer { bytes.removeAll(keepingCapacity: true) }
    return bytes
  }
}

extension SearchStatistics {
  /// The counts by name, in the order of the search, for explained answers in JSON.
  public var members: [(name: String, count: Int)] {
    [
      ("nodesVisited", nodesVisited), ("nodesPruned", nodesPruned),
      ("subtreesTaken", subtreesTaken), ("leavesScanned", leavesScanned),
      ("pointsScanned", pointsScanned), ("distancesSolved", distancesSolved),
      ("longGeodesicsSolved", longGeodesicsSolved),
    ]
  }
}

extension JSONText {
  /// Writes `"explain":{…},`, or nothing if there is nothing to explain.
  mutating func explanation(_ statistics: SearchStatistics?) {
    guard let statistics else { return }
    let members = statistics.members.map { "\"\($0.name)\":\($0.count)" }
    raw("\"explain\":{\(members.joined(separator: ","))},")
  }
}

/// Counts by the values of a field, as text.
package struct FacetText {
  private let field: Condition.Field
  private let facets: [Facet]

  /// - Parameters:
  ///   - facets: The counts, in their order.
  ///   - field: The field.
  package init(_ facets: [Facet], by field: Condition.Field) {
    self.facets = facets
    self.field = field
  }

  /// `geoq.facets/1`: `{"schema":…,"field":…,"count":n,"items":[{"value":…,"count":…}]}`, one item
  /// per line; `count` is the number of restaurants, `value` is null for those that have none.
  package var json: [UInt8] {
    var json = JSONText()
    json.raw("{\"schema\":\"geoq.facets/1\",\"field\":")
    json.string(field.rawValue)
    json.raw(",\"count\":\(facets.reduce(0) { $0 + $1.count }),\"items\":[")
    for (index, facet) in facets.enumerated() {
      json.raw(index == 0 ? "\n" : ",\n")
      json.raw("{\"value\":")
      if let value = facet.value { json.string(value) } else { json.raw("null") }
      json.raw(",\"count\":\(facet.count)}")
    }
    json.raw(facets.isEmpty ? "]}\n" : "\n]}\n")
    return json.bytes
  }

  /// A header line and one value per line, as csv or tsv; nil for another format.
  ///
  /// The cell of restaurants without a value is empty.
  package func delimited(_ format: AnswerFormat) -> [UInt8]? {
    guard format == .csv || format == .tsv else { return nil }
    var writer = DelimitedWriter(format == .csv ? .csv : .tsv, fields: [])
    writer.row([field.rawValue, "count"])
    for facet in facets { writer.row([facet.value ?? "", "\(facet.count)"]) }
    return writer.takeBytes()
  }
}
