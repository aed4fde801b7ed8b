import GeoQuery
package import GeoStore
import HTTPTypes

/// The service without a network: requests and answers are values.
///
/// A reference, because each request retains it until its answer is made.
package final class RestaurantService: Sendable {
  /// The operator's settings.
  let settings: ServiceSettings

  /// The data that it serves.
  package let live: LiveData

  /// The counters.
  let metrics: ServiceMetrics

  /// The resources that its clients share.
  let shares = ServiceShares()

  /// The most recently requested tiles.
  private let tiles = TileCache()

  /// Answers that do not depend on the data.
  let documents = DocumentCache()

  /// The routes of this service: without favorites, images or basemap if it has none.
  let routes: [Route]

  /// The favorites; nil if the service keeps none.
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
    routes = Route.offered(
      favorites: favorites != nil,
      images: settings.images != nil,
      basemap: settings.basemap != nil
    )
  }

  /// An answer, or the next step toward it.
  enum Step: Sendable {
    /// The answer.
    case done(ServiceResponse)
    /// The head of the request is accepted; next its body, of at most `limit` bytes, is read.
    case body(limit: Int, @Sendable ([UInt8]) -> Step)
    /// Work that leads to the next step, and where it is done.
    case work(AnswerPlan.Place, @Sendable () -> Step)
    /// The search for an image, which calls back once; the image may have to be fetched first.
    case image(@Sendable (@escaping @Sendable (ServiceResponse) -> Void) -> Void)
  }

  /// Answers a request that is complete with its body.
  package func answer(_ request: ServiceRequest) -> ServiceResponse {
    var step = begin(request)
    while true {
      switch step {
      case .done(let response): return response
      case .work(_, let make): step = make()
      case .image(let find): return Self.awaited(find)
      case .body(let limit, let next):
        guard request.body.count <= limit else {
          return refusal(of: request, .bodyTooLarge(limit))
        }
        step = next(request.body)
      }
    }
  }

  /// Checks the head of a request, before its body is read and before anything is searched.
  func begin(_ request: ServiceRequest) -> Step {
    let (generation, staleness) = live.served
    var writer = ResponseWriting(request: request, service: self, generation: generation)
    writer.staleness = staleness
    var route: Route?
    do {
      if request.method == .options, request.target == "*" {
        _ = try host(of: request, nil, for: nil)
        return .done(writer.serverOptions())
      }
      let target = try RequestTarget(request.target)
      let host = try host(of: request, target.authority, for: try? Route.find(target.path).route)
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
          return try self.step(asked, writer)
        } catch {
          return .done(writer.failure(error, route: asked.route))
        }
      }
    } catch {
      return .done(writer.failure(error, route: route))
    }
  }

  /// The next step for a complete request.
  private func step(_ asked: Asked, _ writer: ResponseWriting) throws -> Step {
    if asked.route == .image { return imageStep(asked, writer) }
    let deadline = Deadline(in: settings.queryTime)
    let key = TileCache.Key(asked, isGzip: writer.acceptsGzip)
    if let key, let tile = tiles.tile(key) {
      return answerStep(asked, AnswerPlan(at: .loop) { _ in tile }, writer, until: deadline)
    }
    let plan = try self.plan(asked)
    if asked.usesFavorites {
      return .work(.favoriteRead) {
        do {
          var asked = asked
          try asked.readFavorites()
          return self.answerStep(asked, try self.plan(asked), writer, until: deadline)
        } catch {
          return .done(writer.failure(error, route: asked.route))
        }
      }
    }
    return answerStep(asked, plan, writer, until: deadline, keepingAs: key)
  }

  /// The work of a plan, on its threads; none if the client has the answer already.
  private func answerStep(
    _ asked: Asked,
    _ plan: AnswerPlan,
    _ writer: ResponseWriting,
    until deadline: Deadline,
    keepingAs key: TileCache.Key? = nil
  ) -> Step {
    let validators = validators(asked, writer)
    if validators.isCurrent(asked.request) {
      return .done(writer.notModified(asked, validators))
    }
    return work(plan, until: deadline) { made in
      let response = writer.response(to: asked, validators, made)
      if let key { self.tiles.keep(response, for: key) }
      return response
    }
  }

  /// The work of a plan and of those that continue it.
  private func work(
    _ plan: AnswerPlan,
    until deadline: Deadline,
    _ respond: @escaping @Sendable (Result<AnswerPlan.Body, any Error>) -> ServiceResponse
  ) -> Step {
    .work(plan.place) {
      do {
        try deadline.check()
        switch try plan.make(deadline) {
        case .body(let body): return .done(respond(.success(body)))
        case .next(let next): return self.work(next, until: deadline, respond)
        }
      } catch {
        return .done(respond(.failure(error)))
      }
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
    case (.post, .pageSessionEnd): try sessionEndPlan(asked)
    case (.post, .favoritesPage): try asked.favoriteForm()
    case (.post, _): asked.nearestBatch()
    case (.put, _), (.delete, _): try asked.favoriteChange()
    default: try asked.plan()
    }
  }

  /// The host that a request is for, as its client sees it.
  ///
  /// From the proxy in front if there is one; otherwise from the target if it is absolute (RFC 9112
  /// §3.2.2), or from `Host`. Probes and scrapers ask by address: health is told for any host, and
  /// metrics to clients that send the token.
  ///
  /// - Throws: `Problem` 400 if there is not exactly one, 421 if the service does not answer for
  /// it.
  private func host(
    of request: ServiceRequest,
    _ authority: Substring?,
    for route: Route?
  ) throws -> String {
    let others = request.fields[values: .hostField]
    let named = authority.map { [String($0)] } ?? (request.host.map { [$0] } ?? []) + others
    let shown = settings.isBehindProxy ? LinkBase.forwardedHost(request) : nil
    let hosts = shown.map { [$0] } ?? named
    do {
      try settings.hosts.check(hosts)
    } catch let problem as Problem where problem.status == .misdirectedRequest {
      guard isForAnyHost(route, request) else { throw problem }
    }
    return hosts[0]
  }

  /// Whether a request is answered whatever its host: nothing of the restaurants is in the answer.
  private func isForAnyHost(_ route: Route?, _ request: ServiceRequest) -> Bool {
    switch route {
    case .health, .ready: true
    case .metrics: settings.access.hasBearer(request.fields[.authorization])
    default: false
    }
  }

  private static func isOffered(_ method: HTTPRequest.Method, by route: Route) -> Bool {
    route.methods.contains(method == .head ? .get : method)
  }

  /// Rejects requests without the token to routes that need it.
  private func checkAccess(to route: Route, _ request: ServiceRequest, host: String) throws {
    switch (route, request.method) {
    case (.favorite, _), (.favoritesPage, .post), (.pageSessionEnd, .post):
      try settings.access.checkWrite(AccessRule.Evidence(of: request, host: host))
    case (.favorites, _), (.metrics, _):
      try settings.access.checkRead(AccessRule.Evidence(of: request, host: host))
    default: break
    }
  }

  /// Rejects a body with another media type or coding, by its header fields.
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
      service: self,
      isOwner: settings.access.isOwner(AccessRule.Evidence(of: request, host: host))
    )
  }
}
