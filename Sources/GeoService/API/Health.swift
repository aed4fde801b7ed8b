import GeoIndex
import GeoQuery

/// What operators and their programs ask for: health, readiness and metrics.
extension Endpoint {
  static let health = Endpoint(
    "health",
    "/healthz",
    summary: "Whether data is being served, and which generation.",
    hosts: .any,
    caching: .never,
    get: .inline { Work.Body(bytes: $0.health()) }
  )

  static let ready = Endpoint(
    "ready",
    "/readyz",
    summary: "Whether requests can be answered.",
    hosts: .any,
    caching: .never,
    get: .on(.readiness) { context, _ in try context.readiness() }
  )

  static let metrics = Endpoint(
    "metrics",
    "/metrics",
    summary: "Counters in Prometheus' text format.",
    hosts: .anyWithToken,
    as: [.prometheus],
    caching: .never,
    access: .readers,
    get: .on(.documents) { context, _ in
      let service = context.service
      let text = service.metrics.text(
        of: context.generation,
        staleness: service.live.state.staleness,
        version: service.settings.version,
        service.quotas
      )
      return Work.Body(bytes: Array(text.utf8))
    }
  )
}

extension RequestContext {
  /// The body of `/healthz`.
  fileprivate func health() -> [UInt8] {
    let state = service.live.state
    var json = JSONWriter()
    json.raw(
      "{\"status\":\"ok\",\"generation\":\(generation.number),\"restaurants\":\(generation.snapshot.count),"
    )
    json.raw("\"ageSeconds\":\(state.age.components.seconds)")
    if let staleness = state.staleness {
      json.raw(",\"staleSeconds\":\(staleness.components.seconds)")
    }
    if let problem = state.lastProblem {
      json.raw(",\"lastImportError\":")
      json.string(problem)
    }
    json.raw("}\n")
    return json.bytes
  }

  /// The body of `/readyz`.
  ///
  /// - Throws: `Problem` 503 if the store cannot be read, or the data is older than it may be.
  fileprivate func readiness() throws -> Work.Body {
    let state = service.live.state
    let maximumStaleness = service.settings.maximumStaleness
    if let problem = state.lastProblem, maximumStaleness == .zero {
      throw Problem.busy("\(problem); see the log")
    }
    if let maximumStaleness, maximumStaleness > .zero, state.unconfirmed > maximumStaleness {
      throw Problem.busy(
        "the data was last known to be current \(state.unconfirmed.components.seconds) s ago; "
          + "see the log"
      )
    }
    if let center = Coordinate(latitude: 0, longitude: 0) {
      _ = generation.snapshot.tree.nearest(to: center, count: 1)
    }
    return Work.Body(bytes: health())
  }
}
