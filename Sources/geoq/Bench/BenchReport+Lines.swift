extension BenchReport {
  /// The report for people, one fact per line.
  var lines: [String] {
    var facts = [
      ("points", grouped(pointCount)),
      ("operation", operation.description),
      ("queries", grouped(queryCount)),
      ("per query", Self.time(measurement.nanosecondsPerQuery) + percentiles + spread),
      ("answers", answers),
      ("threads", threads.map { "\($0)" } ?? "all cores"),
    ]
    facts += measuredOnce.compactMap { name, value in value.map { (name, $0) } }
    let width = facts.map(\.0.count).max() ?? 0
    return facts.map { $0.padded(toWidth: width + 2, alignRight: false) + $1 }
  }

  private var measuredOnce: [(String, String?)] {
    [
      ("build", buildSeconds.map { Self.time($0 * 1e9) }),
      ("memory", bytesPerPoint.map { "\(Self.rounded($0)) bytes a point" }),
    ]
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
