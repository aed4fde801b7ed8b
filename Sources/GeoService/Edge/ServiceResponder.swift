import HTTPTypes
import Hummingbird
import NIOCore

/// What the service knows of a connection.
struct ServiceContext: InitializableFromSource {
  /// The connection.
  let channel: any Channel

  init(source: ApplicationRequestContextSource) {
    channel = source.channel
  }
}

/// The thin edge: turns Hummingbird's requests into values and answers back.
struct ServiceResponder: HTTPResponder {
  let service: RestaurantService
  let log: AccessLog
  let threads = ServiceThreads()
  let names = RequestNames()

  private typealias Answer = (response: ServiceResponse, share: UnsentAnswers.Share?)

  func respond(to request: Request, context: ServiceContext) async throws -> Response {
    let start = ContinuousClock.now
    let address = context.channel.remoteAddress
    let forwarded =
      service.settings.isBehindProxy ? Peer.forwarded(request.headers[.forwardedFor]) : nil
    var asked = ServiceRequest(
      request.method,
      request.head.path ?? "",
      host: request.head.authority,
      fields: request.headers,
      port: context.channel.localAddress?.port,
      id: names.next()
    )
    asked.peer = address?.ipAddress
    asked.forwardedPeer = forwarded?.ipAddress
    let client = Client(peer: Peer(forwarded ?? address), channel: context.channel)
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

  /// Who asks.
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
      // bytes that are held until the answer is made
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
      return (await soon(client, make) ?? service.refusal(of: asked, Self.notReady), nil)
    }
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
      // here, where no more answers are made at a time than there are threads
      counted(make(), of: asked, client)
    }
    return answer ?? (service.refusal(of: asked, .busy("the service is ending")), nil)
  }

  /// An answer if a thread for queries makes it soon; else `nil`.
  private func soon(
    _ client: Client,
    _ make: @escaping @Sendable () -> ServiceResponse
  ) async -> ServiceResponse? {
    let (answers, found) = AsyncStream.makeStream(of: ServiceResponse?.self)
    threads.queries.submit(for: client.peer) { isActive in found.yield(isActive ? make() : nil) }
    let limit = client.channel.eventLoop.scheduleTask(in: .seconds(ServiceLimits.readySeconds)) {
      _ = found.yield(nil)
    }
    defer { limit.cancel() }
    for await answer in answers { return answer }
    return nil
  }

  /// An answer with the memory that it takes until it is sent, if it is large.
  private func counted(
    _ response: ServiceResponse,
    of asked: ServiceRequest,
    _ client: Client
  ) -> Answer {
    // what operators look at is small, and has to come whatever readers do
    guard response.body.count > ServiceLimits.smallAnswer, response.hits != nil else {
      return (response, nil)
    }
    let share = service.shares.unsent.share(of: response.body.count, for: client.peer) {
      client.channel.close(promise: nil)
    }
    guard let share else { return (service.refusal(of: asked, Self.tooManyWait), nil) }
    return (response, share)
  }

  private static let tooManyQueries = Problem.busy("too many queries at a time; try again")
  private static let tooManyWait = Problem.busy(
    "too many answers wait for readers who do not take them; try again"
  )
  private static let notReady = Problem.busy(
    "no query came back within \(ServiceLimits.readySeconds) s; try again"
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
    // in pieces that keep nothing of the whole: a reader who takes none holds two of them, and the
    // connection's guard sees how fast the others take theirs
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
