import HTTPTypes
import Hummingbird
import NIOConcurrencyHelpers
import NIOCore
import NIOHTTP1
import NIOPosix

/// What the service knows of a connection.
struct ServiceContext: InitializableFromSource {
  /// The port that it came in by.
  let port: Int?

  init(source: ApplicationRequestContextSource) {
    port = source.channel.localAddress?.port
  }
}

/// The thin edge: turns Hummingbird's requests into values and answers back.
struct ServiceResponder: HTTPResponder {
  let service: RestaurantService
  let log: AccessLog
  let threads: NIOThreadPool
  /// One thread: whoever waits for the database to be free keeps no query waiting.
  let storeThread: NIOThreadPool
  let gate = QueryGate()
  let storeGate = QueryGate(limit: ServiceLimits.favoriteRequests)
  let unsent = UnsentBytes()
  let names = RequestNames()

  func respond(to request: Request, context: ServiceContext) async throws -> Response {
    let start = ContinuousClock.now
    let id = names.next()
    let body = try await body(of: request)
    service.metrics.begin()
    let (response, share) = await answer(request, body, id: id, port: context.port)
    let taken = start.duration(to: .now).components
    let seconds = Double(taken.seconds) + Double(taken.attoseconds) / 1e18
    let method = Self.name(of: request.method)
    service.metrics.end(
      route: response.route,
      method: method,
      status: response.status.code,
      seconds: seconds
    )
    log.note(response, method: method, id: id, seconds: seconds)
    return Self.written(response, share, isHead: request.method == .head)
  }

  private func answer(
    _ request: Request,
    _ body: [UInt8],
    id: String,
    port: Int?
  ) async -> (ServiceResponse, UnsentBytes.Share?) {
    let asked = ServiceRequest(
      request.method,
      request.head.path ?? "",
      host: request.head.authority,
      fields: request.headers,
      body: body,
      port: port,
      id: id
    )
    switch service.begin(asked) {
    case .done(let response): return counted(response, of: asked)
    case .work(.loop, let make): return counted(make(), of: asked)
    case .work(.pool, let make): return await answer(asked, on: threads, through: gate, make)
    case .work(.store, let make):
      return await answer(asked, on: storeThread, through: storeGate, make)
    }
  }

  private func answer(
    _ asked: ServiceRequest,
    on threads: NIOThreadPool,
    through gate: QueryGate,
    _ make: @escaping @Sendable () -> ServiceResponse
  ) async -> (ServiceResponse, UnsentBytes.Share?) {
    guard gate.enter() else {
      let problem = Problem.busy("too many queries at a time; try again")
      return (service.refusal(of: asked, problem), nil)
    }
    defer { gate.leave() }
    let answer = try? await threads.runIfActive {
      // here, where no more answers are made at a time than there are threads
      unsent.isUsedUp
        ? (service.refusal(of: asked, Self.tooManyWait), nil) : counted(make(), of: asked)
    }
    return answer ?? (service.refusal(of: asked, .busy("the service is ending")), nil)
  }

  /// What a client is told whose body does not come, noted as every answer is.
  func timedOut() -> ServiceResponse {
    let id = names.next()
    service.metrics.begin()
    let response = service.refusal(of: ServiceRequest(.get, "", id: id), .requestTimeout)
    let (route, status) = (response.route, response.status.code)
    service.metrics.end(route: route, method: "other", status: status, seconds: 0)
    log.note(response, method: "other", id: id, seconds: 0)
    return response
  }

  /// An answer with the right to keep it until it is sent, where it is large enough to need one.
  private func counted(
    _ response: ServiceResponse,
    of asked: ServiceRequest
  ) -> (ServiceResponse, UnsentBytes.Share?) {
    guard response.body.count > ServiceLimits.smallAnswer else { return (response, nil) }
    guard let share = unsent.share(of: response.body.count) else {
      return (service.refusal(of: asked, Self.tooManyWait), nil)
    }
    return (response, share)
  }

  private static let tooManyWait = Problem.busy(
    "too many answers wait for readers who do not take them; try again"
  )

  /// The body of a request whose method has one; of a body that is too large one byte too many.
  ///
  /// - Throws: `HTTPParserError`, which Hummingbird answers with 400 and the end of the connection.
  private func body(of request: Request) async throws -> [UInt8] {
    guard [.post, .put, .delete].contains(request.method) else { return [] }
    let declared = request.headers[.contentLength].flatMap { Int($0) } ?? 0
    guard declared <= ServiceLimits.bodyLength else { return Self.tooLarge }
    do {
      let buffer = try await request.body.collect(upTo: ServiceLimits.bodyLength)
      return Array(buffer.readableBytesView)
    } catch let error as HTTPParserError {
      throw error
    } catch {
      return Self.tooLarge
    }
  }

  /// One for all: a slow body waits with what came of it, and with nothing else.
  private static let tooLarge = [UInt8](repeating: 0, count: ServiceLimits.bodyLength + 1)

  /// A method that nobody declares is not repeated in log and metrics.
  private static func name(of method: HTTPRequest.Method) -> String {
    let known: [HTTPRequest.Method] = [.get, .head, .post, .put, .delete, .options, .patch]
    return known.contains(method) ? method.rawValue : "other"
  }

  private static func written(
    _ response: ServiceResponse,
    _ share: UnsentBytes.Share?,
    isHead: Bool
  ) -> Response {
    var fields = response.fields
    let bytes = response.body
    if isHead {
      fields[.contentLength] = String(bytes.count)
      return Response(status: response.status, headers: fields)
    }
    guard let share else {
      let body = ResponseBody(byteBuffer: ByteBuffer(bytes: bytes))
      return Response(status: response.status, headers: fields, body: body)
    }
    // in pieces that keep nothing of the whole: a reader who takes none holds two of them, and the
    // connection's guard sees how fast the others take theirs
    let body = ResponseBody(contentLength: bytes.count) { writer in
      for start in stride(from: 0, to: bytes.count, by: ServiceLimits.pieceLength) {
        let end = min(start + ServiceLimits.pieceLength, bytes.count)
        try await writer.write(ByteBuffer(bytes: bytes[start..<end]))
      }
      try await writer.finish(nil)
      withExtendedLifetime(share) {}
    }
    return Response(status: response.status, headers: fields, body: body)
  }
}

/// Names requests: the process's start and a number.
final class RequestNames: Sendable {
  private let prefix = String(UInt32.random(in: .min ... .max), radix: 36)
  private let count = NIOLockedValueBox(0)

  /// The next name.
  func next() -> String {
    let number = count.withLockedValue { count in
      count += 1
      return count
    }
    return "\(prefix)-\(number)"
  }
}
