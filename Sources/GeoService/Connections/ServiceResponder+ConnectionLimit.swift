import HTTPTypes
import NIOCore

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
    var request = ServiceRequest(.get, "", id: names.next())
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
    let taken = start.duration(to: .now).components
    let seconds = Double(taken.seconds) + Double(taken.attoseconds) / 1e18
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
