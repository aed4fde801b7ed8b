import NIOCore

/// Makes the answers to the requests of connections: on their event loops or on other threads, within the
/// budgets of the service.
struct ServiceResponder: Sendable {
  let service: RestaurantService
  let log: AccessLog
  let date = HTTPDate()
  let threads = ServiceThreads()
  let names = RequestNames()

  /// An answer, and its share of the memory for unsent answers if it is large.
  struct Answer: Sendable {
    var response: ServiceResponse
    var share: UnsentAnswers.Share?
  }

  /// Checks the head of a request.
  func begin(_ exchange: Exchange) -> RestaurantService.Step {
    service.metrics.begin()
    return service.begin(exchange.request)
  }

  /// Makes the answer to a request, and logs it.
  ///
  /// - Parameters:
  ///   - step: What is to be done for the answer; its body has been read.
  ///   - exchange: The request.
  /// - Returns: The answer, which arrives on the event loop of the connection, and never fails.
  func answer(
    _ step: RestaurantService.Step,
    to exchange: Exchange
  ) -> EventLoopFuture<Answer> {
    made(step, exchange).map { answer in
      note(answer.response, to: exchange.request, since: exchange.start)
      return answer
    }
  }

  private func made(
    _ step: RestaurantService.Step,
    _ exchange: Exchange
  ) -> EventLoopFuture<Answer> {
    let shares = service.shares
    switch step {
    case .done(let response): return exchange.loop.makeSucceededFuture(counted(response, exchange))
    case .body: preconditionFailure("A body is read once.")
    case .image(let find): return image(exchange, find)
    case .favorites(let read):
      do {
        try shares.favoriteReads.take(for: exchange.client.peer)
      } catch {
        return refused(exchange, Self.tooManyQueries)
      }
      let next = threads.favoriteReads.run(for: exchange.client.peer, on: exchange.loop, read)
      return next.flatMap { next in
        // freed before the answer is made, which is counted by itself
        shares.favoriteReads.give(for: exchange.client.peer)
        return next.map { made($0, exchange) } ?? refused(exchange, Self.isEnding)
      }
    case .work(.loop, let make):
      return exchange.loop.makeSucceededFuture(counted(make(), exchange))
    case .work(.pool, let make):
      return made(exchange, on: threads.queries, in: shares.queries, make)
    case .work(.longPool, let make):
      return made(exchange, on: threads.longQueries, in: shares.queries, make)
    case .work(.planPool, let make):
      return made(exchange, on: threads.plans, in: shares.plans, make)
    case .work(.favoriteRead, let make):
      return made(exchange, on: threads.favoriteReads, in: shares.favoriteReads, make)
    case .work(.favoriteWrite, let make):
      return made(exchange, on: threads.favoriteWrites, in: shares.favoriteWrites, make)
    case .work(.readiness, let make):
      let limit = Seconds(on: threads.queries, ServiceLimits.readySeconds)
      return soon(exchange, limit) { $0(make()) }.map { answer in
        Answer(response: answer ?? service.refusal(of: exchange.request, Self.notReady))
      }
    }
  }

  private func refused(_ exchange: Exchange, _ problem: Problem) -> EventLoopFuture<Answer> {
    exchange.loop.makeSucceededFuture(
      Answer(response: service.refusal(of: exchange.request, problem))
    )
  }

  /// Answers with an image, which may have to be fetched; the wait has a short limit.
  private func image(_ exchange: Exchange, _ find: @escaping Search) -> EventLoopFuture<Answer> {
    let budget = service.shares.images
    do {
      try budget.take(for: exchange.client.peer)
    } catch {
      return refused(exchange, Problem.tooManyImages)
    }
    let limit = Seconds(on: threads.images, ImageLimits.answerSeconds)
    return soon(exchange, limit, find).map { answer in
      budget.give(for: exchange.client.peer)
      return counted(answer ?? service.refusal(of: exchange.request, Self.slowImage), exchange)
    }
  }

  private func made(
    _ exchange: Exchange,
    on threads: FairThreads,
    in budget: SharedBudget,
    _ make: @escaping @Sendable () -> ServiceResponse
  ) -> EventLoopFuture<Answer> {
    do {
      try budget.take(for: exchange.client.peer)
    } catch {
      return refused(exchange, Self.tooManyQueries)
    }
    // counted on the thread, so that at most as many answers exist as there are threads
    let answer = threads.run(for: exchange.client.peer, on: exchange.loop) {
      counted(make(), exchange)
    }
    return answer.map { answer in
      budget.give(for: exchange.client.peer)
      return answer ?? Answer(response: service.refusal(of: exchange.request, Self.isEnding))
    }
  }

  /// An operation that starts on a thread and calls back with an answer.
  private typealias Search =
    @Sendable (@escaping @Sendable (ServiceResponse) -> Void) -> Void

  /// The thread where a search starts, and how long to wait for it.
  private struct Seconds {
    let threads: FairThreads
    let count: Int64

    init(on threads: FairThreads, _ count: Int64) {
      self.threads = threads
      self.count = count
    }
  }

  /// The answer if a search finds it in time; otherwise `nil`.
  private func soon(
    _ exchange: Exchange,
    _ seconds: Seconds,
    _ find: @escaping Search
  ) -> EventLoopFuture<ServiceResponse?> {
    // the first to fulfil it counts
    let promise = exchange.loop.makePromise(of: ServiceResponse?.self)
    seconds.threads.submit(for: exchange.client.peer) { isActive in
      isActive ? find { promise.succeed($0) } : promise.succeed(nil)
    }
    let limit = exchange.loop.scheduleTask(in: .seconds(seconds.count)) { promise.succeed(nil) }
    promise.futureResult.whenComplete { _ in limit.cancel() }
    return promise.futureResult
  }

  /// An answer together with its share of memory, until it is sent, if it is large.
  private func counted(_ response: ServiceResponse, _ exchange: Exchange) -> Answer {
    // smaller ones are counted only if they have to wait (`RequestHandler`)
    guard response.body.count > ServiceLimits.smallAnswer else {
      return Answer(response: response)
    }
    let channel = exchange.client.channel
    let share = service.shares.unsent.share(of: response.body.count, for: exchange.client.peer) {
      channel.discardUnsent()
      channel.close(promise: nil)
    }
    guard let share else {
      return Answer(response: service.refusal(of: exchange.request, Self.tooManyWait))
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
