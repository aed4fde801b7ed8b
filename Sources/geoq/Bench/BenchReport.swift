import GeoQuery

/// What a benchmark measured; what it did not is nil.
struct BenchReport {
  let operation: BenchOperation
  let queryCount: Int
  var pointCount = 0
  var measurement = Measurement(nanosecondsPerQuery: 0, percentiles: nil, hits: 0)
  var buildSeconds: Double?
  var bytesPerPoint: Double?
  var openSeconds: Double?
  var openToAnswerSeconds: Double?
  /// How many threads answered; nil for all cores.
  var threads: Int? = 1
  var comparison: FilterComparison?
  var database: String?
  var rival: StoreBench.Rival?

  /// Nanoseconds per answer; nil where there was none.
  var nanosecondsPerHit: Double? {
    guard measurement.hits > 0 else { return nil }
    return measurement.nanosecondsPerQuery * Double(queryCount) / Double(measurement.hits)
  }

  /// How many answers a query had on average.
  var hitsPerQuery: Double { Double(measurement.hits) / Double(queryCount) }
}

extension BenchReport {
  /// `geoq.bench/1`: one object, `null` for what was not measured.
  var json: String {
    let text = (head + times + tail + extras).map { "\"\($0)\":\($1)" }
    return "{" + text.joined(separator: ",") + "}\n"
  }

  private var head: [(String, String)] {
    var members = [("schema", "\"geoq.bench/1\""), ("op", "\"\(operation.name.rawValue)\"")]
    switch operation {
    case .nearest(let count): members.append(("k", "\(count)"))
    case .radius(let metres): members += [("k", "null"), ("radius", "\(metres)")]
    case .box(let halfWidth): members += [("k", "null"), ("halfWidth", "\(halfWidth)")]
    }
    return members + [("points", "\(pointCount)"), ("queries", "\(queryCount)")]
  }

  private var times: [(String, String)] {
    let percentiles = measurement.percentiles
    return [
      ("usPerQuery", Self.number(measurement.nanosecondsPerQuery / 1e3)),
      ("p50us", Self.number(percentiles.map { Double($0.p50) / 1e3 })),
      ("p99us", Self.number(percentiles.map { Double($0.p99) / 1e3 })),
      ("p999us", Self.number(percentiles.map { Double($0.p999) / 1e3 })),
      ("hits", "\(measurement.hits)"),
      ("nsPerHit", Self.number(nanosecondsPerHit)),
    ]
  }

  private var tail: [(String, String)] {
    [
      ("buildSeconds", Self.number(buildSeconds, decimals: 6)),
      ("bytesPerPoint", Self.number(bytesPerPoint)),
      ("openSeconds", Self.number(openSeconds, decimals: 6)),
      ("threads", threads.map { "\($0)" } ?? "null"),
      (
        "rounds",
        "[" + measurement.rounds.map { Self.number($0 / 1e3) }.joined(separator: ",") + "]"
      ),
    ]
  }

  private var extras: [(String, String)] {
    var members: [(String, String)] = []
    if let openToAnswerSeconds {
      members.append(("openToAnswerSeconds", Self.number(openToAnswerSeconds, decimals: 6)))
    }
    if let comparison {
      members += [
        ("scanQueries", "\(comparison.queryCount)"),
        ("scanUsPerQuery", Self.number(comparison.scanMicroseconds)),
        ("listScanUsPerQuery", Self.number(comparison.listScanMicroseconds)),
      ]
    }
    if let database { members.append(("database", JSONValue.string(database).description)) }
    if let rival {
      members += [
        ("spatialiteQueries", "\(rival.queryCount)"),
        ("spatialiteUsPerQuery", Self.number(rival.microseconds)),
        ("spatialiteDisagreements", "\(rival.disagreements)"),
      ]
    }
    return members
  }

  /// A number with so many decimals at most, or `null`.
  private static func number(_ value: Double?, decimals: Int = 3) -> String {
    guard let value else { return "null" }
    let scale = decimals == 3 ? 1e3 : 1e6
    return "\((value * scale).rounded() / scale)"
  }
}
