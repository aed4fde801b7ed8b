import GeoFeed
import GeoIndex
import GeoQuery
import GeoStore

/// The JSON output of `info`, `doctor`, `verify`, `compact` and `import`: one object with the name
/// of its schema, as described in docs/json.md.
enum JSONReport {
  /// `geoq.info/1`.
  static func text(of info: StoreInfo) -> String {
    let box = info.extent.map(\.readableSides)
    return object([
      ("schema", .string("geoq.info/1")),
      ("database", .string(info.path)),
      ("bytes", number(info.bytes)),
      ("snapshot", info.snapshot.map(value)),
      ("storeID", .string(info.storeID)),
      ("schemaVersion", number(info.schemaVersion)),
      ("versions", versions),
      ("generation", number(info.generation)),
      ("importedAt", info.importedAt.map(JSONValue.string)),
      ("count", number(info.count)),
      ("chains", info.chainCount > 0 ? number(info.chainCount) : nil),
      ("offers", info.offerCount > 0 ? number(info.offerCount) : nil),
      ("offersRevision", info.offersRevision > 0 ? number(info.offersRevision) : nil),
      ("bbox", box.map { .array($0.map { .number($0.description) }) }),
      ("sources", .array(info.sources.map(value))),
      (
        "categories",
        .array(
          info.categories.map {
            members([("name", .string($0.name)), ("count", number($0.count))])
          }
        )
      ),
    ])
  }

  /// `geoq.doctor/1` and `geoq.verify/1`.
  static func text(of findings: [Finding], schema: String) -> String {
    let items = findings.map { finding in
      members([
        ("subject", .string(finding.subject)), ("good", .bool(finding.isGood)),
        ("detail", .string(Remedy.naming(finding.detail))),
      ])
    }
    return object([
      ("schema", .string(schema)),
      ("good", .bool(findings.allSatisfy(\.isGood))),
      ("findings", .array(items)),
    ])
  }

  /// `geoq.sources/1`.
  static func text(of sources: [StoreInfo.Source], database: String) -> String {
    object([
      ("schema", .string("geoq.sources/1")),
      ("database", .string(database)),
      ("sources", .array(sources.map(value))),
    ])
  }

  /// `geoq.corrections/1`.
  static func text(of corrections: [Correction], database: String) -> String {
    let items = corrections.map { correction in
      members([
        ("id", .string(correction.id)), ("name", .string(correction.name)),
        ("source", .string(correction.source)),
        ("gone", correction.feed == nil ? .bool(true) : nil),
        ("hiddenSince", correction.hiddenSince.map(JSONValue.string)),
        (
          "changes",
          .array(
            correction.changes.map { change in
              members([
                ("key", .string(change.field.rawValue)),
                ("feed", correction.feed?[change.field] ?? .null),
                ("value", change.value.map(JSONValue.string) ?? .null),
                ("since", .string(change.since)),
              ])
            }
          )
        ),
      ])
    }
    return object([
      ("schema", .string("geoq.corrections/1")),
      ("database", .string(database)),
      ("corrections", .array(items)),
    ])
  }

  /// `geoq.areas/1`.
  static func text(of areas: [SavedArea], database: String) -> String {
    let items = areas.map { area in
      members([
        ("name", .string(area.name)), ("positions", number(area.vertexCount)),
        ("savedAt", .string(area.since)),
      ])
    }
    return object([
      ("schema", .string("geoq.areas/1")),
      ("database", .string(database)),
      ("areas", .array(items)),
    ])
  }

  /// `geoq.compact/1`.
  static func text(of report: CompactReport, database: String) -> String {
    object([
      ("schema", .string("geoq.compact/1")),
      ("database", .string(database)),
      ("bytesBefore", number(report.bytesBefore)),
      ("bytesAfter", number(report.bytesAfter)),
    ])
  }

  /// `geoq.import/1`.
  static func text(
    of report: ImportReport,
    source: String,
    database: String,
    isDryRun: Bool
  ) -> String {
    object([
      ("schema", .string("geoq.import/1")),
      ("database", .string(database)),
      ("source", .string(source)),
      ("content", content(report.content)),
      ("read", number(report.read)),
      ("inserted", number(report.inserted)),
      ("updated", number(report.updated)),
      ("unchanged", number(report.unchanged)),
      ("removed", number(report.removed)),
      ("rejected", number(report.rejectedCount)),
      ("repeated", report.repeated > 0 ? number(report.repeated) : nil),
      ("unknownChains", report.unknownChains > 0 ? number(report.unknownChains) : nil),
      ("correctionsInFeed", report.correctionsInFeed > 0 ? number(report.correctionsInFeed) : nil),
      ("correctionsGone", report.correctionsGone > 0 ? number(report.correctionsGone) : nil),
      ("generation", number(report.generation)),
      ("dryRun", isDryRun ? .bool(true) : nil),
      (
        "sharedIDs",
        report.sharedIDs.isEmpty
          ? nil
          : .array(
            report.sharedIDs.map {
              members([("source", .string($0.source)), ("count", number($0.count))])
            }
          )
      ),
      ("rejections", .array(report.rejected.map(value))),
      ("warnings", .array(report.warnings.map(value))),
    ])
  }

  private static var versions: JSONValue {
    members([
      ("geoq", .string(Geoq.version)),
      ("sqlite", .string(Diagnosis.versions.sqlite)),
      ("spatialite", .string(Diagnosis.versions.spatialite)),
    ])
  }

  private static func value(of snapshot: StoreInfo.SnapshotFile) -> JSONValue {
    members([("path", .string(snapshot.path)), ("bytes", number(snapshot.bytes))])
  }

  private static func value(of error: FeedError) -> JSONValue {
    members([
      ("record", error.record.map(number)),
      ("line", error.line.map(number)),
      ("byte", error.byte.map(number)),
      ("problem", .string(Remedy.naming(error.problem))),
    ])
  }

  private static func value(of source: StoreInfo.Source) -> JSONValue {
    members([
      ("name", .string(source.name)),
      ("content", content(source.content)),
      ("count", number(source.count)),
      ("importedAt", source.importedAt.map(JSONValue.string)),
      ("address", source.address.map(JSONValue.string)),
      ("rejections", source.rejections.map(value)),
      ("attribution", source.credit.attribution.map(JSONValue.string)),
      ("license", source.credit.license.map(JSONValue.string)),
    ])
  }

  private static func value(of rejections: StoreInfo.Rejections) -> JSONValue {
    members([
      ("count", number(rejections.count)),
      (
        "reasons",
        .array(
          rejections.reasons.map {
            members([("problem", .string(Remedy.naming($0.name))), ("count", number($0.count))])
          }
        )
      ),
    ])
  }

  /// The kind of records of a feed or source; omitted for restaurants.
  private static func content(_ content: FeedContent) -> JSONValue? {
    content == .restaurants ? nil : .string(content.rawValue)
  }

  private static func number(_ value: Int) -> JSONValue { .number(String(value)) }

  private static func members(_ pairs: [(String, JSONValue?)]) -> JSONValue {
    .object(pairs.compactMap { name, value in value.map { JSONMember(name: name, value: $0) } })
  }

  private static func object(_ pairs: [(String, JSONValue?)]) -> String {
    members(pairs).description + "\n"
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
