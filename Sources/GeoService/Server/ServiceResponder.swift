import HTTPTypes
import NIOCore

/// Makes the answers to the requests of connections: on their event loops or on other threads, within the
/// quotas of the service.
///
/// A reference: closures of each answer hold it.
final class ServiceResponder: Sendable {
  let service: RestaurantService
  let log: AccessLog
  let date = HTTPDate()
  let threads = ServiceThreads()
  let ids = RequestIDs()

  init(service: RestaurantService, log: AccessLog) {
    self.service = service
    self.log = log
  }

  /// An answer, and its share of the memory for unsent answers if it is large.
  struct Answer: Sendable {
    var response: ServiceResponse
    var share: ResponseBackpressure.Share?
  }

  /// Checks the head of a request.
  func begin(_ exchange: Exchange) -> RestaurantService.NextAction {
    service.metrics.begin()
    return service.begin(exchange.request)
  }

  /// Makes and logs the answer to a request whose body has been read; it never fails, and arrives
  /// on the event loop of the connection.
  func answer(
    _ step: RestaurantService.NextAction,
    to exchange: Exchange
  ) -> EventLoopFuture<Answer> {
    made(step, exchange).map { answer in
      self.note(answer.response, to: exchange.request, since: exchange.start)
      return answer
    }
  }

  // `held` is the quota from which the request has its share already
  private func made(
    _ step: RestaurantService.NextAction,
    _ exchange: Exchange,
    holding held: Quota? = nil
  ) -> EventLoopFuture<Answer> {
    switch step {
    case .done(let response): return exchange.loop.makeSucceededFuture(counted(response, exchange))
    case .body: preconditionFailure("A body is read once.")
    case .search(let find): return found(exchange, find)
    case .work(.inline, let make):
      held?.release(for: exchange.peer)
      return made(make(), exchange)
    case .work(.readiness, let make):
      return withTimeout(ServiceLimits.readySeconds, exchange, on: threads.queries) { done in
        if case .done(let response) = make() { done(response) }
      }
      .map { response in
        response.map { Answer(response: $0) } ?? self.refusal(of: exchange, Self.notReady)
      }
    case .work(let executor, let make):
      let (threads, quota) = threads(of: executor)
      if held !== quota {
        held?.release(for: exchange.peer)
        guard quota.acquire(for: exchange.peer) == nil else {
          return refused(exchange, Self.tooManyQueries)
        }
      }
      let promise = exchange.loop.makePromise(of: Answer.self)
      run(make, for: exchange, on: threads, in: quota, promise)
      return promise.futureResult
    }
  }

  /// The threads of an executor, and the quota for the requests that run or wait there.
  private func threads(of executor: Work.Executor) -> (FairThreadPool, Quota) {
    switch executor {
    case .queries, .inline, .readiness: (threads.queries, service.quotas.queries)
    case .longQueries: (threads.longQueries, service.quotas.queries)
    case .plans: (threads.plans, service.quotas.plans)
    case .documents: (threads.documents, service.quotas.documents)
    case .favoriteReads: (threads.favoriteReads, service.quotas.favoriteReads)
    case .favoriteWrites: (threads.favoriteWrites, service.quotas.favoriteWrites)
    }
  }

  /// Refuses a request, after the time that the client is asked to wait: one that asks again at once
  /// would take the time of the event loops for refusals.
  private func refused(_ exchange: Exchange, _ problem: Problem) -> EventLoopFuture<Answer> {
    let wait = TimeAmount.seconds(Int64(problem.retryAfter ?? 0))
    return exchange.loop.scheduleTask(in: wait) { self.refusal(of: exchange, problem) }.futureResult
  }

  private func refusal(of exchange: Exchange, _ problem: Problem) -> Answer {
    Answer(response: service.refusal(of: exchange.request, problem))
  }

  /// Answers with an image, which may have to be fetched; the wait has a short limit.
  private func found(_ exchange: Exchange, _ find: @escaping Search) -> EventLoopFuture<Answer> {
    let quota = service.quotas.images
    guard quota.acquire(for: exchange.peer) == nil else {
      return refused(exchange, Problem.tooManyImages)
    }
    let limit = ImageLimits.answerSeconds
    return withTimeout(limit, exchange, on: threads.images, find).map { response in
      quota.release(for: exchange.peer)
      return response.map { self.counted($0, exchange) }
        ?? self.refusal(of: exchange, Self.slowImage)
    }
  }

  /// Does work on threads, and all that continues it there; then releases the quota.
  private func run(
    _ make: @escaping @Sendable () -> RestaurantService.NextAction,
    for exchange: Exchange,
    on threads: FairThreadPool,
    in quota: Quota,
    continued isContinued: Bool = false,
    _ promise: EventLoopPromise<Answer>
  ) {
    threads.submit(for: exchange.peer, continued: isContinued) { isActive in
      func end(_ answer: Answer) {
        quota.release(for: exchange.peer)
        promise.succeed(answer)
      }
      guard isActive else { return end(self.refusal(of: exchange, Self.isEnding)) }
      switch make() {
      // counted on the thread, so that at most as many answers exist as there are threads
      case .done(let response): end(self.counted(response, exchange))
      // not by way of the event loop, which a batch of points would pass hundreds of times
      case .work(let executor, let next) where self.threads(of: executor).0 === threads:
        self.run(next, for: exchange, on: threads, in: quota, continued: true, promise)
      case let step:
        exchange.loop.execute { self.made(step, exchange, holding: quota).cascade(to: promise) }
      }
    }
  }

  /// An operation that starts on a thread and calls back with an answer.
  private typealias Search =
    @Sendable (@escaping @Sendable (ServiceResponse) -> Void) -> Void

  /// The answer if a search finds it in time; otherwise `nil`.
  private func withTimeout(
    _ seconds: Int64,
    _ exchange: Exchange,
    on threads: FairThreadPool,
    _ find: @escaping Search
  ) -> EventLoopFuture<ServiceResponse?> {
    // the first to fulfil it counts
    let promise = exchange.loop.makePromise(of: ServiceResponse?.self)
    threads.submit(for: exchange.peer) { isActive in
      isActive ? find { promise.succeed($0) } : promise.succeed(nil)
    }
    let limit = exchange.loop.scheduleTask(in: .seconds(seconds)) { promise.succeed(nil) }
    promise.futureResult.whenComplete { _ in limit.cancel() }
    return promise.futureResult
  }

  /// An answer together with its share of memory, until it is sent, if it is large.
  private func counted(_ response: ServiceResponse, _ exchange: Exchange) -> Answer {
    // smaller ones are counted only if they have to wait (`RequestHandler`)
    guard response.body.count > ServiceLimits.smallAnswer else {
      return Answer(response: response)
    }
    let (unsent, cut) = (service.quotas.unsent, exchange.channel.cut)
    let share = unsent.share(of: response.body.count, for: exchange.peer, cut: cut)
    // documents and metrics must arrive whatever other clients do; their bytes are mostly shared
    if share == nil, response.hits != nil {
      return refusal(of: exchange, Self.tooManyWait)
    }
    return Answer(response: response, share: share)
  }

  private static let isEnding = Problem.busy("the service is ending")
  private static let tooManyQueries = Problem.busy("too many queries at a time; try again")
  private static let tooManyWait = Problem.busy(
    "too many answers wait for slow readers; try again"
  )
  private static let slowImage = Problem.busy("the image's host is slow; try again")
  private static let notReady = Problem.busy(
    "no query finished within \(ServiceLimits.readySeconds) s; try again"
  )
}

extension ServiceResponder {
  /// The client that a connection counts for; those of a proxy belong to all its clients.
  func peer(of channel: any Channel) -> Peer {
    service.settings.isBehindProxy ? .none : Peer(channel.remoteAddress)
  }

  /// Counts and logs a refused connection.
  func noteRefusedConnection(_ address: SocketAddress?) {
    service.metrics.refusedConnection()
    log.noteRefusedConnection(from: address?.ipAddress ?? "unknown")
  }

  /// The answer to a request that violates the protocol.
  func refusal(_ problem: Problem, of address: SocketAddress?) -> ServiceResponse {
    let start = ContinuousClock.now
    var request = ServiceRequest(.get, "", id: ids.next())
    request.peer = address?.ipAddress
    service.metrics.begin()
    service.metrics.protocolError()
    var response = service.refusal(of: request, problem)
    response.cause = problem.detail
    note(response, to: request, method: "other", since: start)
    return response
  }

  /// Counts and logs an answer.
  func note(
    _ response: ServiceResponse,
    to request: ServiceRequest,
    method: String? = nil,
    since start: ContinuousClock.Instant
  ) {
    let seconds = start.duration(to: .now) / .seconds(1)
    let method = method ?? Self.name(of: request.method)
    service.metrics.end(
      route: response.route,
      method: method,
      status: response.status.code,
      seconds: seconds
    )
    log.note(response, to: request, method: method, seconds: seconds)
  }

  /// Replaces an unknown method, so that log and metrics do not repeat it.
  private static func name(of method: HTTPRequest.Method) -> String {
    let known: [HTTPRequest.Method] = [.get, .head, .post, .put, .delete, .options, .patch]
    return known.contains(method) ? method.rawValue : "other"
  }
}
