import GeoIndex
import GeoQuery

/// What `/healthz`, `/readyz` and `/metrics` say.
struct ServiceStatus: Sendable {
  /// The counters.
  let metrics: ServiceMetrics

  /// Where the data comes from.
  let live: LiveData

  /// What clients share.
  let shares: ServiceShares

  /// The body of `/healthz`.
  func json(of generation: ServedGeneration) -> [UInt8] {
    let state = live.state
    var json = JSONText()
    json.raw(
      "{\"status\":\"ok\",\"generation\":\(generation.number),\"restaurants\":\(generation.snapshot.count),"
    )
    json.raw("\"ageSeconds\":\(state.age.components.seconds)")
    if let problem = state.lastProblem {
      json.raw(",\"lastImportError\":")
      json.string(problem)
    }
    json.raw("}\n")
    return json.bytes
  }

  /// The body of `/readyz`.
  ///
  /// - Throws: `Problem` 503 if the store cannot be read.
  func readiness(of generation: ServedGeneration) throws -> AnswerPlan.Body {
    if let problem = live.state.lastProblem { throw Problem.busy("\(problem); see the log") }
    if let center = Coordinate(latitude: 0, longitude: 0) {
      _ = generation.snapshot.tree.nearest(to: center, count: 1)
    }
    return AnswerPlan.Body(bytes: json(of: generation))
  }

  /// The body of `/metrics`.
  func metricsText(of generation: ServedGeneration) -> [UInt8] {
    Array(metrics.text(of: generation, shares).utf8)
  }
}
