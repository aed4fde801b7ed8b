package import GeoQuery
import HTTPTypes

/// The service without a network: requests go in as values, answers come out as values.
package struct RestaurantService: Sendable {
  /// What whoever runs it decided.
  let settings: ServiceSettings

  /// What it serves.
  package let live: LiveData

  /// What it counts.
  let metrics: ServiceMetrics

  /// Where favourites are kept; nil where none are.
  let favorites: (any FavoriteKeeping)?

  /// Makes a service.
  package init(
    settings: ServiceSettings = ServiceSettings(),
    live: LiveData,
    favorites: (any FavoriteKeeping)? = nil
  ) {
    self.settings = settings
    self.live = live
    self.favorites = favorites
    metrics = ServiceMetrics()
  }

  /// What there is: no favourites where none are kept.
  var routes: [Route] { favorites == nil ? Route.withoutFavorites : Route.allCases }

  /// An answer, or the work that makes it.
  enum Step: Sendable {
    case done(ServiceResponse)
    case work(AnswerPlan.Place, @Sendable () -> ServiceResponse)
  }

  /// The answer to a request.
  package func answer(_ request: ServiceRequest) -> ServiceResponse {
    switch begin(request) {
    case .done(let response): response
    case .work(_, let make): make()
    }
  }

  /// Checks a request; nothing is searched yet.
  func begin(_ request: ServiceRequest) -> Step {
    let generation = live.current
    let writer = ResponseWriting(request: request, settings: settings, generation: generation)
    var route: Route?
    do {
      let target = try RequestTarget(request.target)
      try settings.hosts.check(
        hosts(of: request, target),
        port: settings.isBehindProxy ? nil : request.port
      )
      let found = try Route.find(target.path)
      guard routes.contains(found.route) else { throw Problem.unknownPath }
      route = found.route
      if let answer = try methodAnswer(request, found.route, writer) { return .done(answer) }
      let asked = try asked(request, target, found, generation)
      let plan = try plan(asked)
      let validators = Validators(
        asked,
        version: settings.version,
        isCompressed: writer.acceptsGzip
      )
      if validators.isCurrent(request) { return .done(writer.notModified(asked, validators)) }
      let deadline = Deadline()
      return .work(plan.place) {
        writer.response(to: asked, validators) {
          try deadline.check()
          return try plan.make(deadline)
        }
      }
    } catch {
      return .done(writer.failure(error, route: route))
    }
  }

  private func plan(_ asked: Asked) throws -> AnswerPlan {
    switch asked.request.method {
    case .post: asked.nearestBatch()
    case .put, .delete: try asked.favoriteChange()
    default: try asked.plan(ServiceStatus(metrics: metrics, live: live))
    }
  }

  /// Every host that a request names; the absolute form's counts alone (RFC 9112 §3.2.2).
  private func hosts(of request: ServiceRequest, _ target: RequestTarget) -> [String] {
    if let authority = target.authority { return [String(authority)] }
    let others = request.fields[values: .hostField]
    return (request.host.map { [$0] } ?? []) + others
  }

  /// The answer to OPTIONS; nil where the method is one of the route's.
  private func methodAnswer(
    _ request: ServiceRequest,
    _ route: Route,
    _ writer: ResponseWriting
  ) throws -> ServiceResponse? {
    switch request.method {
    case .get where route.methods.contains(.get), .head where route.methods.contains(.get):
      return nil
    case .options: return writer.options(route)
    case let method where route.methods.contains(method):
      if method != .post { try settings.writes.check(WriteRule.Evidence(of: request)) }
      if method != .post, request.body.isEmpty { return nil }
      guard request.fields[.contentEncoding] == nil else { throw Problem.encodedBody }
      let type = request.fields[.contentType]?.split(separator: ";").first
      guard let type, trimmed(type).lowercased() == "application/json" else {
        throw Problem.notJSON
      }
      guard request.body.count <= ServiceLimits.bodyLength else { throw Problem.bodyTooLarge }
      return nil
    default: throw Problem.notAllowed(route.allow)
    }
  }

  private func asked(
    _ request: ServiceRequest,
    _ target: RequestTarget,
    _ found: (route: Route, id: String?),
    _ generation: ServedGeneration
  ) throws -> Asked {
    let isRead = request.method == .get || request.method == .head
    let declared = isRead ? found.route.parameters : []
    let parameters = try Parameters(target.pairs(), declared: declared)
    let representation = try Negotiation.choose(
      from: isRead ? found.route.representations : [.json],
      format: parameters.text(.format),
      accept: found.route == .favorite ? nil : request.fields[.accept]
    )
    return Asked(
      request: request,
      route: found.route,
      id: found.id,
      parameters: parameters,
      representation: representation,
      generation: generation,
      links: LinkBase(request, authority: target.authority, settings),
      favorites: favorites,
      routes: routes
    )
  }
}
