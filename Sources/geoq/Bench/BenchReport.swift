import GeoQuery

/// The measurements of a benchmark.
struct BenchReport {
  let operation: BenchOperation
  let queryCount: Int
  let pointCount: Int
  let measurement: Measurement
  let buildSeconds: Double
  let bytesPerPoint: Double
  /// The number of threads; nil for all cores.
  let threads: Int?

  /// Nanoseconds per result; nil if there was none.
  var nanosecondsPerHit: Double? {
    guard measurement.hits > 0 else { return nil }
    return measurement.nanosecondsPerQuery * Double(queryCount) / Double(measurement.hits)
  }

  /// The average number of results per query.
  var hitsPerQuery: Double { Double(measurement.hits) / Double(queryCount) }

  /// `geoq.bench/1`: one object, `null` for what was not measured.
  var json: String {
    var members = [("schema", "\"geoq.bench/1\""), ("op", "\"\(operation.name.rawValue)\"")]
    switch operation {
    case .nearest(let count): members.append(("k", "\(count)"))
    case .radius(let meters): members += [("k", "null"), ("radius", "\(meters)")]
    case .box(let halfWidth): members += [("k", "null"), ("halfWidth", "\(halfWidth)")]
    }
    let percentiles = measurement.percentiles
    let rounds = measurement.rounds.map { Self.number($0 / 1e3) }.joined(separator: ",")
    members += [
      ("points", "\(pointCount)"), ("queries", "\(queryCount)"),
      ("usPerQuery", Self.number(measurement.nanosecondsPerQuery / 1e3)),
      ("p50us", Self.number(percentiles.map { Double($0.p50) / 1e3 })),
      ("p99us", Self.number(percentiles.map { Double($0.p99) / 1e3 })),
      ("p999us", Self.number(percentiles.map { Double($0.p999) / 1e3 })),
      ("hits", "\(measurement.hits)"), ("nsPerHit", Self.number(nanosecondsPerHit)),
      ("buildSeconds", Self.number(buildSeconds, decimals: 6)),
      ("bytesPerPoint", Self.number(bytesPerPoint)),
      ("threads", threads.map { "\($0)" } ?? "null"), ("rounds", "[\(rounds)]"),
      ("instructions", "\"\(InstructionSet.name)\""),
    ]
    return "{" + members.map { "\"\($0)\":\($1)" }.joined(separator: ",") + "}\n"
  }

  /// A number with at most `decimals` decimals, or `null`.
  private static func number(_ value: Double?, decimals: Int = 3) -> String {
    guard let value else { return "null" }
    let scale = decimals == 3 ? 1e3 : 1e6
    return "\((value * scale).rounded() / scale)"
  }

  /// The report for people, one fact per line.
  var lines: [String] {
    let facts = [
      ("points", grouped(pointCount)),
      ("operation", operation.description),
      ("queries", grouped(queryCount)),
      ("per query", Self.time(measurement.nanosecondsPerQuery) + percentiles + spread),
      ("answers", answers),
      ("threads", threads.map { "\($0)" } ?? "all cores"),
      ("built for", InstructionSet.name),
      ("build", Self.time(buildSeconds * 1e9)),
      ("memory", "\(Self.rounded(bytesPerPoint)) bytes a point"),
    ]
    let width = facts.map(\.0.count).max() ?? 0
    return facts.map { $0.padded(toWidth: width + 2, alignRight: false) + $1 }
  }

  private var percentiles: String {
    guard let measured = measurement.percentiles else { return "" }
    let (half, most) = (Self.time(Double(measured.p50)), Self.time(Double(measured.p99)))
    return "; half within \(half), 99% within \(most), "
      + "99.9% within \(Self.time(Double(measured.p999)))"
  }

  private var spread: String {
    guard measurement.rounds.count > 1, let least = measurement.rounds.first,
      let most = measurement.rounds.last
    else { return "" }
    return "; \(measurement.rounds.count) rounds, \(Self.time(least)) to \(Self.time(most))"
  }

  private var answers: String {
    let each = nanosecondsPerHit.map { ", \(Self.time($0)) each" } ?? ""
    return "\(grouped(measurement.hits)), \(Self.rounded(hitsPerQuery)) a query\(each)"
  }

  /// A time in a suitable unit: `850 ns`, `1.25 µs`, `4.8 ms`, `2.1 s`.
  private static func time(_ nanoseconds: Double) -> String {
    switch nanoseconds {
    case ..<999.5: "\(rounded(nanoseconds)) ns"
    case ..<999_500: "\(rounded(nanoseconds / 1e3)) µs"
    case ..<999_500_000: "\(rounded(nanoseconds / 1e6)) ms"
    default: "\(rounded(nanoseconds / 1e9)) s"
    }
  }

  /// A number with three significant digits and at most two decimals.
  private static func rounded(_ value: Double) -> String {
    if value >= 99.95 { return grouped(Int(value.rounded())) }
    let scale = value < 9.995 ? 100.0 : 10
    return "\((value * scale).rounded() / scale)"
  }
}
