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
  let gate = QueryGate()
  let names = RequestNames()

  func respond(to request: Request, context: ServiceContext) async throws -> Response {
    let start = ContinuousClock.now
    let id = names.next()
    let body = try await body(of: request)
    service.metrics.begin()
    let response = await answer(request, body, id: id, port: context.port)
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
    return Self.written(response, isHead: request.method == .head)
  }

  private func answer(
    _ request: Request,
    _ body: [UInt8],
    id: String,
    port: Int?
  ) async -> ServiceResponse {
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
    case .done(let response): return response
    case .work(false, let make): return make()
    case .work(true, let make):
      guard gate.enter() else {
        return service.refusal(of: asked, .busy("too many queries at a time; try again"))
      }
      defer { gate.leave() }
      let response = try? await threads.runIfActive(make)
      return response ?? service.refusal(of: asked, .busy("the service is ending"))
    }
  }

  /// The body of a request whose method has one; of a body that is too large one byte too many.
  ///
  /// - Throws: `HTTPParserError`, which Hummingbird answers with 400 and the end of the connection.
  private func body(of request: Request) async throws -> [UInt8] {
    guard [.post, .put, .delete].contains(request.method) else { return [] }
    let tooLarge = [UInt8](repeating: 0, count: ServiceLimits.bodyLength + 1)
    let declared = request.headers[.contentLength].flatMap { Int($0) } ?? 0
    guard declared <= ServiceLimits.bodyLength else { return tooLarge }
    do {
      let buffer = try await request.body.collect(upTo: ServiceLimits.bodyLength)
      return Array(buffer.readableBytesView)
    } catch let error as HTTPParserError {
      throw error
    } catch {
      return tooLarge
    }
  }

  /// A method that nobody declares is not repeated in log and metrics.
  private static func name(of method: HTTPRequest.Method) -> String {
    let known: [HTTPRequest.Method] = [.get, .head, .post, .put, .delete, .options, .patch]
    return known.contains(method) ? method.rawValue : "other"
  }

  private static let pieceLength = 1 << 16

  private static func written(_ response: ServiceResponse, isHead: Bool) -> Response {
    var fields = response.fields
    if isHead {
      fields[.contentLength] = String(response.body.count)
      return Response(status: response.status, headers: fields)
    }
    let buffer = ByteBuffer(bytes: response.body)
    guard buffer.readableBytes > pieceLength else {
      return Response(
        status: response.status,
        headers: fields,
        body: ResponseBody(byteBuffer: buffer)
      )
    }
    // in pieces, so that the connection's guard sees how fast the reader takes them
    let body = ResponseBody(contentLength: buffer.readableBytes) { writer in
      var rest = buffer
      while let piece = rest.readSlice(length: min(pieceLength, rest.readableBytes)),
        piece.readableBytes > 0
      {
        try await writer.write(piece)
      }
      try await writer.finish(nil)
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
