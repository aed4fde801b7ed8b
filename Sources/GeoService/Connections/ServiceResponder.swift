import HTTPTypes
import HummingbirdCore
import NIOCore
import NIOHTTP1

/// Connects the service to the network: turns Hummingbird's requests into values, and answers back.
struct ServiceResponder: Sendable {
  let service: RestaurantService
  let log: AccessLog
  let date = HTTPDate()
  let threads = ServiceThreads()
  let names = RequestNames()

  private typealias Answer = (response: ServiceResponse, share: UnsentAnswers.Share?)

  /// Answers a request of a connection.
  ///
  /// - Throws: The error of the connection.
  func respond(
    to request: Request,
    _ writer: consuming ResponseWriter,
    on channel: any Channel
  ) async throws {
    var response = try await response(to: request, on: channel)
    response.headers[.date] = date.now()
    do {
      try await writer.write(response: response.head, body: response.body)
    } catch is HTTPParserError {
      // the answer has begun, so that no error can follow it
      throw ChannelError.inputClosed
    }
  }

  private func response(to request: Request, on channel: any Channel) async throws -> Response {
    let start = ContinuousClock.now
    let address = channel.remoteAddress
    let forwarded =
      service.settings.isBehindProxy ? Peer.forwarded(request.headers[.forwardedFor]) : nil
    var asked = ServiceRequest(
      request.method,
      request.head.path ?? "",
      host: request.head.authority,
      fields: request.headers,
      port: channel.localAddress?.port,
      id: names.next()
    )
    asked.peer = address?.ipAddress
    asked.forwardedPeer = forwarded?.ipAddress
    let client = Client(peer: Peer(forwarded ?? address), channel: channel)
    service.metrics.begin()
    do {
      let answer = try await answer(asked, request.body, client)
      note(answer.response, to: asked, since: start)
      return Self.written(answer, isHead: request.method == .head)
    } catch {
      service.metrics.abandon()
      throw error
    }
  }

  /// The client of a request.
  private struct Client {
    let peer: Peer
    let channel: any Channel
  }

  private func answer(
    _ asked: ServiceRequest,
    _ body: RequestBody,
    _ client: Client
  ) async throws -> Answer {
    switch service.begin(asked) {
    case .body(let limit, let next):
      // bytes that are kept until the answer is made
      var held = HeldBody(service.shares.bodies, client.peer)
      defer { held.release() }
      if asked.fields[.expect] != nil {
        try? await client.channel.triggerUserOutboundEvent(BodyIsWanted())
      }
      do {
        for try await buffer in body { try held.append(buffer, limit: limit) }
      } catch let problem as Problem {
        return (service.refusal(of: asked, problem), nil)
      }
      return await answer(next(held.bytes), of: asked, client)
    case let step: return await answer(step, of: asked, client)
    }
  }

  private func answer(
    _ step: RestaurantService.Step,
    of asked: ServiceRequest,
    _ client: Client
  ) async -> Answer {
    let shares = service.shares
    switch step {
    case .done(let response): return counted(response, of: asked, client)
    case .body: preconditionFailure("A body is read once.")
    case .image(let find): return await image(asked, client, find)
    case .favorites(let read):
      do {
        try shares.favoriteReads.take(for: client.peer)
      } catch {
        return (service.refusal(of: asked, Self.tooManyQueries), nil)
      }
      // freed before the answer is made, which is counted by itself
      let next = await threads.favoriteReads.run(for: client.peer, read)
      shares.favoriteReads.give(for: client.peer)
      guard let next else { return (service.refusal(of: asked, Self.isEnding), nil) }
      return await answer(next, of: asked, client)
    case .work(.loop, let make): return counted(make(), of: asked, client)
    case .work(.pool, let make):
      return await answer(asked, client, on: threads.queries, in: shares.queries, make)
    case .work(.longPool, let make):
      return await answer(asked, client, on: threads.longQueries, in: shares.queries, make)
    case .work(.planPool, let make):
      return await answer(asked, client, on: threads.plans, in: shares.plans, make)
    case .work(.favoriteRead, let make):
      return await answer(asked, client, on: threads.favoriteReads, in: shares.favoriteReads, make)
    case .work(.favoriteWrite, let make):
      return await answer(
        asked,
        client,
        on: threads.favoriteWrites,
        in: shares.favoriteWrites,
        make
      )
    case .work(.readiness, let make):
      let limit = Seconds(on: threads.queries, ServiceLimits.readySeconds)
      let answer = await soon(client, limit) { $0(make()) }
      return (answer ?? service.refusal(of: asked, Self.notReady), nil)
    }
  }

  /// Answers with an image, which may have to be fetched; the wait has a short limit.
  private func image(
    _ asked: ServiceRequest,
    _ client: Client,
    _ find: @escaping Search
  ) async -> Answer {
    let budget = service.shares.images
    do {
      try budget.take(for: client.peer)
    } catch {
      return (service.refusal(of: asked, Problem.tooManyImages), nil)
    }
    defer { budget.give(for: client.peer) }
    let limit = Seconds(on: threads.images, ImageLimits.answerSeconds)
    let answer = await soon(client, limit, find)
    return counted(answer ?? service.refusal(of: asked, Self.slowImage), of: asked, client)
  }

  private func answer(
    _ asked: ServiceRequest,
    _ client: Client,
    on threads: FairThreads,
    in budget: SharedBudget,
    _ make: @escaping @Sendable () -> ServiceResponse
  ) async -> Answer {
    do {
      try budget.take(for: client.peer)
    } catch {
      return (service.refusal(of: asked, Self.tooManyQueries), nil)
    }
    defer { budget.give(for: client.peer) }
    let answer = await threads.run(for: client.peer) {
      // on the thread, so that at most as many answers exist as there are threads
      counted(make(), of: asked, client)
    }
    return answer ?? (service.refusal(of: asked, Self.isEnding), nil)
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
    _ client: Client,
    _ seconds: Seconds,
    _ find: @escaping Search
  ) async -> ServiceResponse? {
    let (answers, found) = AsyncStream.makeStream(of: ServiceResponse?.self)
    seconds.threads.submit(for: client.peer) { isActive in
      if isActive {
        find { _ = found.yield($0) }
      } else {
        found.yield(nil)
      }
    }
    let limit = client.channel.eventLoop.scheduleTask(in: .seconds(seconds.count)) {
      _ = found.yield(nil)
    }
    defer { limit.cancel() }
    for await answer in answers { return answer }
    return nil
  }

  /// An answer together with its share of memory, until it is sent, if it is large.
  private func counted(
    _ response: ServiceResponse,
    of asked: ServiceRequest,
    _ client: Client
  ) -> Answer {
    // answers for operators are small, and must arrive whatever other clients do
    guard response.body.count > ServiceLimits.smallAnswer, response.hits != nil else {
      return (response, nil)
    }
    let share = service.shares.unsent.share(of: response.body.count, for: client.peer) {
      client.channel.discardUnsent()
      client.channel.close(promise: nil)
    }
    guard let share else { return (service.refusal(of: asked, Self.tooManyWait), nil) }
    return (response, share)
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

  private static func written(_ answer: Answer, isHead: Bool) -> Response {
    var fields = answer.response.fields
    let status = answer.response.status
    let bytes = answer.response.body
    if isHead {
      fields[.contentLength] = String(bytes.count)
      return Response(status: status, headers: fields)
    }
    guard let share = answer.share else {
      let body = ResponseBody(byteBuffer: ByteBuffer(bytes: bytes))
      return Response(status: status, headers: fields, body: body)
    }
    // in pieces that do not retain the whole: for a client that does not read there are two pieces,
    // and the connection's guard measures how fast others read
    let body = ResponseBody(contentLength: bytes.count) { writer in
      for start in stride(from: 0, to: bytes.count, by: ServiceLimits.pieceLength) {
        let end = min(start + ServiceLimits.pieceLength, bytes.count)
        try await writer.write(ByteBuffer(bytes: bytes[start..<end]))
        share.sent(end - start)
      }
      try await writer.finish(nil)
      withExtendedLifetime(share) {}
    }
    return Response(status: status, headers: fields, body: body)
  }
}
