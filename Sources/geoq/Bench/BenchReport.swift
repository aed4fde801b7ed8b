/// The measurements of a benchmark; nil for what was not measured.
struct BenchReport {
  let operation: BenchOperation
  let queryCount: Int
  var pointCount = 0
  var measurement = Measurement(nanosecondsPerQuery: 0, percentiles: nil, hits: 0)
  var buildSeconds: Double?
  var bytesPerPoint: Double?
  /// The number of threads; nil for all cores.
  var threads: Int? = 1

  /// Nanoseconds per result; nil if there was none.
  var nanosecondsPerHit: Double? {
    guard measurement.hits > 0 else { return nil }
    return measurement.nanosecondsPerQuery * Double(queryCount) / Double(measurement.hits)
  }

  /// The average number of results per query.
  var hitsPerQuery: Double { Double(measurement.hits) / Double(queryCount) }
}

extension BenchReport {
  /// `geoq.bench/1`: one object, `null` for what was not measured.
  var json: String {
    let text = (head + times + tail).map { "\"\($0)\":\($1)" }
    return "{" + text.joined(separator: ",") + "}\n"
  }

  private var head: [(String, String)] {
    var members = [("schema", "\"geoq.bench/1\""), ("op", "\"\(operation.name.rawValue)\"")]
    switch operation {
    case .nearest(let count): members.append(("k", "\(count)"))
    case .radius(let meters): members += [("k", "null"), ("radius", "\(meters)")]
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
      ("threads", threads.map { "\($0)" } ?? "null"),
      (
        "rounds",
        "[" + measurement.rounds.map { Self.number($0 / 1e3) }.joined(separator: ",") + "]"
      ),
    ]
  }

  /// A number with at most `decimals` decimals, or `null`.
  private static func number(_ value: Double?, decimals: Int = 3) -> String {
    guard let value else { return "null" }
    let scale = decimals == 3 ? 1e3 : 1e6
    return "\((value * scale).rounded() / scale)"
  }
}
