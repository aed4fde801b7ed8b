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
    get: .inline { $0.health() }
  )

  static let ready = Endpoint(
    "ready",
    "/readyz",
    summary: "Whether requests can be answered.",
    hosts: .any,
    caching: .never,
    get: .work { context in Work(on: .readiness) { _ in try context.readiness() } }
  )

  static let metrics = Endpoint(
    "metrics",
    "/metrics",
    summary: "Counters in Prometheus' text format.",
    hosts: .anyWithToken,
    as: [.prometheus],
    caching: .never,
    access: .readers,
    get: .work { context in Work(on: .documents) { _ in context.metrics() } }
  )
}

extension RequestContext {
  fileprivate func metrics() -> Work.Body {
    let text = service.metrics.text(
      of: generation,
      staleness: service.live.state.staleness,
      version: settings.version,
      service.quotas
    )
    return Work.Body(bytes: Array(text.utf8))
  }

  fileprivate func health() -> Work.Body {
    let state = service.live.state
    return Work.Body([
      "status": "ok", "generation": .init(generation.number),
      "restaurants": .init(snapshot.count), "ageSeconds": .init(Int(state.age.components.seconds)),
      "staleSeconds": state.staleness.map { JSONValue(Int($0.components.seconds)) },
      "lastImportError": state.lastProblem.map(JSONValue.string),
    ])
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
    return health()
  }
}
