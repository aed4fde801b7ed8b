import GeoIndex
import GeoQuery

/// The contents of `/healthz`, `/readyz` and `/metrics`.
struct ServiceStatus: Sendable {
  private let service: RestaurantService

  init(_ service: RestaurantService) { self.service = service }

  /// The body of `/healthz`.
  func json(of generation: ServedGeneration) -> [UInt8] {
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
  func readiness(of generation: ServedGeneration) throws -> AnswerPlan.Body {
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
    return AnswerPlan.Body(bytes: json(of: generation))
  }

  /// The body of `/metrics`.
  func metricsText(of generation: ServedGeneration) -> [UInt8] {
    let text = service.metrics.text(
      of: generation,
      staleness: service.live.state.staleness,
      version: service.settings.version,
      service.shares
    )
    return Array(text.utf8)
  }
}
