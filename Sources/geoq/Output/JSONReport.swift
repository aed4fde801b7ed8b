import GeoFeed
import GeoIndex
import GeoQuery
import GeoStore

/// The JSON output of `info`, `doctor`, `verify`, `compact` and `import`: one object with the name
/// of its schema, as described in docs/json.md.
enum JSONReport {
  static func text(of info: StoreInfo) -> String {
    let versions = [
      ("geoq", Geoq.version), ("sqlite", Diagnosis.versions.sqlite),
      ("spatialite", Diagnosis.versions.spatialite),
    ]
    let box = info.extent.map(\.readableSides)
    return document(
      "geoq.info/1",
      info.path,
      [
        ("bytes", number(info.bytes)),
        ("snapshot", info.snapshot.map(value)),
        ("storeID", .string(info.storeID)),
        ("schemaVersion", number(info.schemaVersion)),
        ("versions", object(versions.map { ($0, .string($1)) })),
        ("generation", number(info.generation)),
        ("importedAt", text(info.importedAt)),
        ("count", number(info.count)),
        ("chains", positive(info.chainCount)),
        ("offers", positive(info.offerCount)),
        ("offersRevision", positive(info.offersRevision)),
        ("bbox", box.map { .array($0.map { .number($0.description) }) }),
        ("sources", .array(info.sources.map(value))),
        ("categories", counts(info.categories.map { ($0.name, $0.count) }, of: "name")),
      ]
    )
  }

  /// `geoq.doctor/1` and `geoq.verify/1`.
  static func text(of findings: [Finding], schema: String) -> String {
    let items = findings.map { finding in
      object([
        ("subject", .string(finding.subject)), ("good", .bool(finding.isGood)),
        ("detail", .string(Remedy.naming(finding.detail))),
      ])
    }
    let isGood = findings.allSatisfy(\.isGood)
    return document(schema, nil, [("good", .bool(isGood)), ("findings", .array(items))])
  }

  static func text(of sources: [StoreInfo.Source], database: String) -> String {
    document("geoq.sources/1", database, [("sources", .array(sources.map(value)))])
  }

  static func text(of corrections: [Correction], database: String) -> String {
    let items = corrections.map { correction in
      let changes = correction.changes.map { change in
        object([
          ("key", .string(change.field.rawValue)),
          ("feed", correction.feed?[change.field] ?? .null),
          ("value", text(change.value) ?? .null), ("since", .string(change.since)),
        ])
      }
      return object([
        ("id", .string(correction.id)), ("name", .string(correction.name)),
        ("source", .string(correction.source)),
        ("gone", correction.feed == nil ? .bool(true) : nil),
        ("hiddenSince", text(correction.hiddenSince)), ("changes", .array(changes)),
      ])
    }
    return document("geoq.corrections/1", database, [("corrections", .array(items))])
  }

  static func text(of areas: [SavedArea], database: String) -> String {
    let items = areas.map { area in
      object([
        ("name", .string(area.name)), ("positions", number(area.vertexCount)),
        ("savedAt", .string(area.since)),
      ])
    }
    return document("geoq.areas/1", database, [("areas", .array(items))])
  }

  static func text(of report: CompactReport, database: String) -> String {
    document(
      "geoq.compact/1",
      database,
      [("bytesBefore", number(report.bytesBefore)), ("bytesAfter", number(report.bytesAfter))]
    )
  }

  static func text(
    of report: ImportReport,
    source: String,
    database: String,
    isDryRun: Bool
  ) -> String {
    let shared = report.sharedIDs.map { ($0.source, $0.count) }
    return document(
      "geoq.import/1",
      database,
      [
        ("source", .string(source)),
        ("content", content(report.content)),
        ("read", number(report.read)),
        ("inserted", number(report.inserted)),
        ("updated", number(report.updated)),
        ("unchanged", number(report.unchanged)),
        ("removed", number(report.removed)),
        ("rejected", number(report.rejectedCount)),
        ("repeated", positive(report.repeated)),
        ("unknownChains", positive(report.unknownChains)),
        ("correctionsInFeed", positive(report.correctionsInFeed)),
        ("correctionsGone", positive(report.correctionsGone)),
        ("generation", number(report.generation)),
        ("dryRun", isDryRun ? .bool(true) : nil),
        ("sharedIDs", shared.isEmpty ? nil : counts(shared, of: "source")),
        ("rejections", .array(report.rejected.map(value))),
        ("warnings", .array(report.warnings.map(value))),
      ]
    )
  }

  private static func value(of snapshot: StoreInfo.SnapshotFile) -> JSONValue {
    object([("path", .string(snapshot.path)), ("bytes", number(snapshot.bytes))])
  }

  private static func value(of error: FeedError) -> JSONValue { .object(error.members) }

  private static func value(of source: StoreInfo.Source) -> JSONValue {
    object([
      ("name", .string(source.name)),
      ("content", content(source.content)),
      ("count", number(source.count)),
      ("importedAt", text(source.importedAt)),
      ("address", text(source.address)),
      ("rejections", source.rejections.map(value)),
      ("attribution", text(source.credit.attribution)),
      ("license", text(source.credit.license)),
    ])
  }

  private static func value(of rejections: StoreInfo.Rejections) -> JSONValue {
    let reasons = rejections.reasons.map { (Remedy.naming($0.name), $0.count) }
    return object([
      ("count", number(rejections.count)), ("reasons", counts(reasons, of: "problem")),
    ])
  }

  /// The kind of records of a feed or source; omitted for restaurants.
  private static func content(_ content: FeedContent) -> JSONValue? {
    content == .restaurants ? nil : .string(content.rawValue)
  }

  private static func text(_ text: String?) -> JSONValue? { text.map(JSONValue.string) }

  private static func number(_ value: Int) -> JSONValue { .number(String(value)) }

  /// A number that is omitted if it is 0.
  private static func positive(_ value: Int) -> JSONValue? { value > 0 ? number(value) : nil }

  /// Counts by a member's text.
  private static func counts(_ counts: [(String, Int)], of name: String) -> JSONValue {
    .array(counts.map { text, count in object([(name, .string(text)), ("count", number(count))]) })
  }

  private static func object(_ pairs: [(String, JSONValue?)]) -> JSONValue {
    var members: [JSONMember] = []
    for (name, value) in pairs { members.add(name, value) }
    return .object(members)
  }

  private static func document(
    _ schema: String,
    _ database: String?,
    _ pairs: [(String, JSONValue?)]
  ) -> String {
    "\(object([("schema", .string(schema)), ("database", text(database))] + pairs))\n"
  }
}

extension FeedError {
  /// The record with its place, and the problem.
  var members: [JSONMember] {
    var members: [JSONMember] = []
    members.add("record", record)
    members.add("line", line)
    members.add("byte", byte)
    members.add("problem", Remedy.naming(problem))
    return members
  }
}

/// The index statistics of a query or a batch, in words (`--explain`).
struct StatisticsText {
  private var counts: [String: Int] = [:]
  private var queryCount = 0

  /// Adds the statistics of another query; ignores a query without any.
  mutating func add(_ statistics: SearchStatistics?) {
    guard let statistics else { return }
    queryCount += 1
    for (name, count) in statistics.members { counts[name, default: 0] += count }
  }

  /// The lines for standard error; empty without statistics.
  var lines: [String] {
    guard queryCount > 0 else { return [] }
    let head = queryCount > 1 ? "explain (\(grouped(queryCount)) queries)" : "explain"
    return [
      "\(head): nodes: \(count("nodesVisited")) visited, \(count("nodesPruned")) pruned; "
        + "subtrees accepted without tests: \(count("subtreesTaken"))",
      "\(head): leaves scanned: \(count("leavesScanned")), points in them: "
        + count("pointsScanned"),
      "\(head): distances solved: \(count("distancesSolved")), "
        + "of these beyond 400 km: \(count("longGeodesicsSolved"))",
    ]
  }

  private func count(_ name: String) -> String { grouped(counts[name, default: 0]) }
}
