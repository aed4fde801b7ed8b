import Dispatch
import GeoQuery
package import GeoStore
import HTTPTypes
import NIOConcurrencyHelpers

/// The service without a network: requests and answers are values.
///
/// A reference, because each request retains it until its answer is made.
package final class RestaurantService: Sendable {
  let settings: ServiceSettings

  /// The data that it serves.
  package let live: LiveData

  let metrics = ServiceMetrics()

  /// The resources that its clients share.
  let quotas = Quotas()

  /// The most recently requested tiles.
  private let tiles = TileCache()

  /// Answers that do not depend on the data: made once, plain and compressed, not for each request.
  let documents = NIOLockedValueBox<[String: Work.Body]>([:])

  /// The endpoints of this service: without favorites, images or basemap if it has none.
  let endpoints: [Endpoint]

  /// Finds endpoints, those that this service does not have among them.
  private let router: Router

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
    router = Router(settings.endpoints)
    endpoints = settings.endpoints.filter { endpoint in
      switch endpoint.feature {
      case .favorites: favorites != nil
      case .images: settings.images != nil
      case .basemap: settings.basemap != nil
      case nil: true
      }
    }
  }

  /// An answer, or what to do next for it.
  enum NextAction: Sendable {
    case done(ServiceResponse)
    /// The head of the request is accepted; next its body, of at most `limit` bytes, is read.
    case body(limit: Int, @Sendable ([UInt8]) -> NextAction)
    /// Work that leads to the next action, and where it is done.
    case work(Work.Executor, @Sendable () -> NextAction)
    /// A search for the answer, which calls back once; something may have to be fetched first.
    case search(@Sendable (@escaping @Sendable (ServiceResponse) -> Void) -> Void)
  }

  /// Answers a request that is complete with its body.
  package func answer(_ request: ServiceRequest) -> ServiceResponse {
    var action = begin(request)
    while true {
      switch action {
      case .done(let response): return response
      case .work(_, let make): action = make()
      case .search(let find): return Self.awaited(find)
      case .body(let limit, let next):
        guard request.body.count <= limit else {
          return refusal(of: request, .bodyTooLarge(limit))
        }
        action = next(request.body)
      }
    }
  }

  /// Answers one GET without a network.
  ///
  /// `host` is that of links, which the service must answer for.
  package func get(
    _ target: String,
    host: String,
    port: Int?,
    token: [UInt8]
  ) -> (status: Int, body: [UInt8]) {
    var request = ServiceRequest(.get, target, host: host, port: port, id: "get")
    request.fields[.authorization] = "Bearer " + String(decoding: token, as: UTF8.self)
    let response = answer(request)
    return (response.status.code, response.body)
  }

  /// The answer to a request that is rejected before its contents are looked at.
  func refusal(of request: ServiceRequest, _ problem: Problem) -> ServiceResponse {
    let target = try? RequestTarget(request.target)
    let found = target.flatMap { try? router.find($0.path) }
    return ResponseBuilder(request: request, service: self, generation: live.current)
      .failure(problem, endpoint: found?.endpoint)
  }

  /// Checks the head of a request, before its body is read and before anything is searched.
  func begin(_ request: ServiceRequest) -> NextAction {
    let (generation, staleness) = live.served
    var builder = ResponseBuilder(request: request, service: self, generation: generation)
    builder.staleness = staleness
    var endpoint: Endpoint?
    do {
      if request.method == .options, request.target == "*" {
        _ = try host(of: request, nil, for: nil)
        return .done(builder.serverOptions())
      }
      let target = try RequestTarget(request.target)
      let found = Result { try router.find(target.path) }
      let host = try host(of: request, target.authority, for: try? found.get().endpoint)
      let match = try found.get()
      guard endpoints.contains(match.endpoint) else { throw Problem.unknownPath }
      endpoint = match.endpoint
      guard let operation = match.endpoint.operation(request.method) else {
        guard request.method == .options else { throw Problem.notAllowed(match.endpoint.allow) }
        return .done(builder.options(match.endpoint))
      }
      try settings.access.check(operation.access, request, host: host)
      let context = try context(request, target, match, operation, generation, host)
      builder.isPrivate = context.usesFavorites
      if context.usesFavorites { try settings.access.check(.readers, request, host: host) }
      if let cookie = try context.openedSession() {
        return .done(builder.seeOther(context, cookie: cookie))
      }
      guard operation.method != .get else { return try answer(context, operation, builder) }
      try Self.checkBodyFields(context, operation)
      return .body(limit: operation.bodyLimit) { [builder] body in
        do {
          var context = context
          context.request.body = body
          return try self.answer(context, operation, builder)
        } catch {
          return .done(builder.failure(error, endpoint: context.endpoint))
        }
      }
    } catch {
      return .done(builder.failure(error, endpoint: endpoint))
    }
  }

  /// The next action for a complete request.
  private func answer(
    _ context: RequestContext,
    _ operation: Operation,
    _ builder: ResponseBuilder
  ) throws -> NextAction {
    guard case .work(let handler) = operation.handler else {
      guard case .search(let find) = operation.handler else { throw Problem.internalError }
      return .search { complete in find(context, builder, complete) }
    }
    let deadline = Deadline(in: settings.queryTime)
    let key = TileCache.Key(context, isGzip: builder.acceptsGzip)
    if let key, let tile = tiles.tile(key) {
      return action(context, Work(on: .inline) { _ in tile }, builder, until: deadline)
    }
    if let area = try context.unreadArea() {
      return .work(.plans) {
        do {
          // what is wrong with it, its reader says
          _ = try? area.area()
          return try self.answer(context, operation, builder)
        } catch {
          return .done(builder.failure(error, endpoint: context.endpoint))
        }
      }
    }
    let work = try work(context, handler)
    if context.usesFavorites {
      return .work(.favoriteReads) {
        do {
          var context = context
          try context.readFavorites()
          return self.action(context, try self.work(context, handler), builder, until: deadline)
        } catch {
          return .done(builder.failure(error, endpoint: context.endpoint))
        }
      }
    }
    return action(context, work, builder, until: deadline, keepingAs: key)
  }

  private func work(
    _ context: RequestContext,
    _ handler: @Sendable (RequestContext) throws -> Work
  ) throws -> Work {
    let work = try handler(context)
    // a page for people is written on the thread that makes its data
    guard work.executor == .inline, context.representation == .html,
      context.endpoint.audience == .programs, context.documentBody == nil
    else { return work }
    return Work(startingOn: .queries, run: work.run)
  }

  /// Work on its executor; none if the client has the answer already.
  private func action(
    _ context: RequestContext,
    _ work: Work,
    _ builder: ResponseBuilder,
    until deadline: Deadline,
    keepingAs key: TileCache.Key? = nil
  ) -> NextAction {
    let tag = context.tag(isCompressed: builder.acceptsGzip)
    if let tag, tag.isNamed(in: context.request.fields[.ifNoneMatch]) {
      return .done(builder.notModified(context, tag))
    }
    return action(work, until: deadline) { made in
      let response = builder.response(to: context, tag, made)
      if let key { self.tiles.keep(response, for: key) }
      return response
    }
  }

  /// Work and what continues it.
  private func action(
    _ work: Work,
    until deadline: Deadline,
    _ respond: @escaping @Sendable (Result<Work.Body, any Error>) -> ServiceResponse
  ) -> NextAction {
    .work(work.executor) {
      do {
        try deadline.check()
        switch try work.run(deadline) {
        case .body(let body): return .done(respond(.success(body)))
        case .next(let next): return self.action(next, until: deadline, respond)
        }
      } catch {
        return .done(respond(.failure(error)))
      }
    }
  }

  /// The result of a search, which is waited for.
  private static func awaited(
    _ find: (@escaping @Sendable (ServiceResponse) -> Void) -> Void
  ) -> ServiceResponse {
    let answer = NIOLockedValueBox<ServiceResponse?>(nil)
    let done = DispatchSemaphore(value: 0)
    find { response in
      answer.withLockedValue { $0 = response }
      done.signal()
    }
    done.wait()
    guard let response = answer.withLockedValue({ $0 }) else {
      preconditionFailure("A search calls back with an answer.")
    }
    return response
  }

  /// The host that a request is for, as its client sees it.
  ///
  /// From the proxy in front if there is one; otherwise from the target if it is absolute (RFC 9112
  /// §3.2.2), or from `Host`.
  ///
  /// - Throws: `Problem` 400 if there is not exactly one, 421 if the service does not answer for
  /// it.
  private func host(
    of request: ServiceRequest,
    _ authority: Substring?,
    for endpoint: Endpoint?
  ) throws -> String {
    let others = request.fields[values: .hostField]
    let named = authority.map { [String($0)] } ?? (request.host.map { [$0] } ?? []) + others
    let shown = settings.isBehindProxy ? LinkBase.forwardedHost(request) : nil
    let hosts = shown.map { [$0] } ?? named
    do {
      try settings.hosts.check(hosts)
    } catch let problem as Problem where problem.status == .misdirectedRequest {
      switch endpoint?.hosts {
      case .any: break
      case .anyWithToken where settings.access.hasBearer(request): break
      default: throw problem
      }
    }
    return hosts[0]
  }

  /// Rejects a body with another media type or coding, by its header fields.
  private static func checkBodyFields(
    _ context: RequestContext,
    _ operation: Operation
  ) throws {
    let request = context.request
    let declared = request.fields[.contentLength].flatMap { Int($0) } ?? 0
    let hasBody =
      declared > 0 || !request.body.isEmpty || request.fields[.transferEncoding] != nil
    guard request.method == .post || hasBody else { return }
    guard request.fields[.contentEncoding] == nil else { throw Problem.encodedBody }
    let type = request.fields[.contentType]?.utf8.prefix { $0 != UInt8(ascii: ";") } ?? ""[...].utf8
    let plainType = Array(type.filter { $0 > 0x20 })
    if context.endpoint.audience == .people {
      guard plainType.isEqualIgnoringCase("application/x-www-form-urlencoded") else {
        throw Problem.notForm
      }
    } else {
      guard plainType.isEqualIgnoringCase("application/json") else { throw Problem.notJSON }
    }
    guard declared <= operation.bodyLimit else {
      throw Problem.bodyTooLarge(operation.bodyLimit)
    }
  }

  private func context(
    _ request: ServiceRequest,
    _ target: RequestTarget,
    _ match: Router.Match,
    _ operation: Operation,
    _ generation: ServedGeneration,
    _ host: String
  ) throws -> RequestContext {
    let endpoint = match.endpoint
    let isRead = operation.method == .get
    let declared = isRead ? endpoint.parameters(keepsFavorites: favorites != nil) : []
    var pairs = try target.pairs()
    if endpoint.audience != .programs {
      // a page reads all others itself (`PageState`)
      pairs.removeAll { pair in !declared.contains { $0.name.isUTF8Equal(to: pair.name) } }
    }
    let parameters = try Parameters(pairs, declared: declared)
    let representation = try Negotiation.choose(
      from: isRead || endpoint.audience == .people
        ? endpoint.representations : [operation.representation],
      format: parameters.text(.format),
      accept: operation.negotiates ? request.fields[.accept] : nil
    )
    return RequestContext(
      request: request,
      endpoint: endpoint,
      pathValues: match.values,
      parameters: parameters,
      representation: representation,
      generation: generation,
      links: LinkBase(request, host: host, settings),
      service: self,
      isOwner: settings.access.isOwner(request)
    )
  }
}
