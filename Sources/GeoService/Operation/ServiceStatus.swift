import GeoQuery

/// What `/healthz`, `/readyz` and `/metrics` say.
struct ServiceStatus: Sendable {
  /// The counters.
  let metrics: ServiceMetrics

  /// Where the data comes from.
  let live: LiveData

  /// The body of `/healthz`.
  func json(of data: some ServedData) -> [UInt8] {
    let state = live.state
    var json = JSONText()
    json.raw("{\"status\":\"ok\",\"generation\":\(data.generation),\"restaurants\":\(data.count),")
    json.raw("\"ageSeconds\":\(state.age.components.seconds)")
    if let problem = state.lastProblem {
      json.raw(",\"lastImportError\":")
      json.string(problem)
    }
    json.raw("}\n")
    return json.bytes
  }

  /// The body of `/metrics`.
  func metricsText(of data: some ServedData) -> [UInt8] {
    Array(metrics.text(of: data).utf8)
  }
}
