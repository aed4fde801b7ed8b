import GeoQuery
package import GeoStore
import HTTPTypes

/// The service without a network: requests go in as values, answers come out as values.
package struct RestaurantService: Sendable {
  /// What whoever runs it decided.
  let settings: ServiceSettings

  /// What it serves.
  package let live: LiveData

  /// What it counts.
  let metrics: ServiceMetrics

  /// What its clients share.
  let shares = ServiceShares()

  /// Where favorites are kept; nil where none are.
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

  /// What there is: no favorites where none are kept.
  var routes: [Route] { favorites == nil ? Route.withoutFavorites : Route.allCases }

  /// An answer, or what leads to it.
  enum Step: Sendable {
    /// The answer.
    case done(ServiceResponse)
    /// The request's head is accepted; its body, of so many bytes at most, decides.
    case body(limit: Int, @Sendable ([UInt8]) -> Step)
    /// The work that makes the answer.
    case work(AnswerPlan.Place, @Sendable () -> ServiceResponse)
  }

  /// The answer to a request that is here with its body.
  package func answer(_ request: ServiceRequest) -> ServiceResponse {
    var step = begin(request)
    while true {
      switch step {
      case .done(let response): return response
      case .work(_, let make): return make()
      case .body(let limit, let next):
        guard request.body.count <= limit else {
          return refusal(of: request, .bodyTooLarge(limit))
        }
        step = next(request.body)
      }
    }
  }

  /// Checks the head of a request; nothing is searched yet, and no body is read.
  func begin(_ request: ServiceRequest) -> Step {
    let generation = live.current
    var writer = ResponseWriting(request: request, settings: settings, generation: generation)
    var route: Route?
    do {
      if request.method == .options, request.target == "*" {
        _ = try host(of: request, nil)
        return .done(writer.serverOptions())
      }
      let target = try RequestTarget(request.target)
      let host = try host(of: request, target.authority)
      let found = try Route.find(target.path)
      guard routes.contains(found.route) else { throw Problem.unknownPath }
      route = found.route
      guard Self.isOffered(request.method, by: found.route) else {
        guard request.method == .options else { throw Problem.notAllowed(found.route.allow) }
        return .done(writer.options(found.route))
      }
      try checkAccess(to: found.route, request, host: host)
      let asked = try asked(request, target, found, generation, host: host)
      writer.isPrivate = asked.usesFavorites
      if asked.usesFavorites {
        try settings.access.checkRead(AccessRule.Evidence(of: request, host: host))
      }
      if let step = try openedSession(asked, writer) { return step }
      guard request.method != .get, request.method != .head else { return try step(asked, writer) }
      try Self.checkBodyFields(asked)
      return .body(limit: asked.route.bodyLimit) { [writer] body in
        do {
          var asked = asked
          asked.request.body = body
          try Self.checkBodyFields(asked)
          return try step(asked, writer)
        } catch {
          return .done(writer.failure(error, route: asked.route))
        }
      }
    } catch {
      return .done(writer.failure(error, route: route))
    }
  }

  /// What is left to do for a request that is complete.
  private func step(_ asked: Asked, _ writer: ResponseWriting) throws -> Step {
    let plan = try plan(asked)
    let deadline = Deadline(in: settings.queryTime)
    if asked.usesFavorites {
      return .work(.favoriteRead) { favoriteAnswer(asked, writer, until: deadline) }
    }
    let validators = validators(asked, writer)
    if validators.isCurrent(asked.request) {
      return .done(writer.notModified(asked, validators))
    }
    return .work(plan.place) {
      writer.response(to: asked, validators) {
        try deadline.check()
        return try plan.make(deadline)
      }
    }
  }

  /// The answer to a request whose answer depends on the favorites: these are read first.
  private func favoriteAnswer(
    _ asked: Asked,
    _ writer: ResponseWriting,
    until deadline: Deadline
  ) -> ServiceResponse {
    do {
      var asked = asked
      asked.favoriteIDs = try favorites?.favoriteIDs() ?? []
      let plan = try plan(asked)
      let validators = validators(asked, writer)
      if validators.isCurrent(asked.request) { return writer.notModified(asked, validators) }
      return writer.response(to: asked, validators) {
        try deadline.check()
        return try plan.make(deadline)
      }
    } catch {
      return writer.failure(error, route: asked.route)
    }
  }

  private func validators(_ asked: Asked, _ writer: ResponseWriting) -> Validators {
    Validators(asked, version: settings.version, isCompressed: writer.acceptsGzip)
  }

  private func plan(_ asked: Asked) throws -> AnswerPlan {
    switch (asked.request.method, asked.route) {
    case (.post, .session): try sessionPlan(asked)
    case (.post, .cover): asked.coverOfBody()
    case (.post, .pageSession): try pageSessionPlan(asked)
    case (.post, .favoritesPage): try asked.favoriteForm()
    case (.post, _): asked.nearestBatch()
    case (.put, _), (.delete, _): try asked.favoriteChange()
    default: try asked.plan(ServiceStatus(metrics: metrics, live: live, shares: shares))
    }
  }

  /// The host that a request is for, as its client sees it: what the proxy in front says, if there is
  /// one; else the absolute form's alone (RFC 9112 §3.2.2), or that of the header.
  ///
  /// - Throws: `Problem` 400 where there is not exactly one, 421 where it is foreign.
  private func host(of request: ServiceRequest, _ authority: Substring?) throws -> String {
    let others = request.fields[values: .hostField]
    let named = authority.map { [String($0)] } ?? (request.host.map { [$0] } ?? []) + others
    if settings.isBehindProxy, let shown = LinkBase.forwardedHost(request) {
      try settings.hosts.check([shown], port: nil)
      return shown
    }
    try settings.hosts.check(named, port: settings.isBehindProxy ? nil : request.port)
    return named[0]
  }

  private static func isOffered(_ method: HTTPRequest.Method, by route: Route) -> Bool {
    route.methods.contains(method == .head ? .get : method)
  }

  /// Refuses what needs the token to those who do not have it.
  private func checkAccess(to route: Route, _ request: ServiceRequest, host: String) throws {
    switch (route, request.method) {
    case (.favorite, _), (.favoritesPage, .post):
      try settings.access.checkWrite(AccessRule.Evidence(of: request, host: host))
    case (.favorites, _), (.metrics, _):
      try settings.access.checkRead(AccessRule.Evidence(of: request, host: host))
    default: break
    }
  }

  /// Refuses a body of another kind, by what the head says of it.
  private static func checkBodyFields(_ asked: Asked) throws {
    let request = asked.request
    let declared = request.fields[.contentLength].flatMap { Int($0) } ?? 0
    let hasBody =
      declared > 0 || !request.body.isEmpty || request.fields[.transferEncoding] != nil
    guard request.method == .post || hasBody else { return }
    guard request.fields[.contentEncoding] == nil else { throw Problem.encodedBody }
    let type = request.fields[.contentType]?.utf8.prefix { $0 != UInt8(ascii: ";") } ?? ""[...].utf8
    let plainType = Array(type.filter { $0 > 0x20 })
    if asked.route.isPage {
      guard plainType.isEqualIgnoringCase("application/x-www-form-urlencoded") else {
        throw Problem.notForm
      }
    } else {
      guard plainType.isEqualIgnoringCase("application/json") else { throw Problem.notJSON }
    }
    guard declared <= asked.route.bodyLimit else {
      throw Problem.bodyTooLarge(asked.route.bodyLimit)
    }
  }

  private func asked(
    _ request: ServiceRequest,
    _ target: RequestTarget,
    _ found: (route: Route, id: String?),
    _ generation: ServedGeneration,
    host: String
  ) throws -> Asked {
    let isRead = request.method == .get || request.method == .head
    let declared =
      isRead ? found.route.parameters(keepsFavorites: favorites != nil) : []
    let pairs = try target.pairs()
    let parameters =
      found.route.isOfAPI
      ? try Parameters(pairs, declared: declared)
      : try Parameters(ofPage: pairs, declared: declared)
    let representation = try Negotiation.choose(
      from: isRead || found.route.isPage ? found.route.representations : [.json],
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
      links: LinkBase(request, host: host, settings),
      favorites: favorites,
      routes: routes,
      places: settings.places,
      isOwner: settings.access.isOwner(AccessRule.Evidence(of: request, host: host))
    )
  }
}
