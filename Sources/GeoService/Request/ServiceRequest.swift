package import HTTPTypes

/// A request as a value, read from a connection or made by a test.
package struct ServiceRequest: Sendable {
  /// The method.
  package var method: HTTPRequest.Method

  /// The request target as it was sent: `/nearest?lat=…`.
  package var target: String

  /// The first `Host`; nil without one.
  package var host: String?

  /// All header fields; a second `Host` is still among them.
  package var fields: HTTPFields

  /// The body; empty without one.
  package var body: [UInt8]

  /// The port that the connection came in on; nil if there is none.
  package var port: Int?

  /// The address that the connection came from; `nil` without a network.
  package var peer: String?

  /// The address that a proxy in front saw; `nil` without a proxy.
  package var forwardedPeer: String?

  /// Identifies the request in answers and in the log.
  package var id: String

  /// The `traceparent` that the proxy in front sent, for answers and the log; `nil` without one.
  package var traceParent: String?

  /// Makes a request, by default to localhost.
  package init(
    _ method: HTTPRequest.Method = .get,
    _ target: String,
    host: String? = "localhost",
    fields: HTTPFields = [:],
    body: [UInt8] = [],
    port: Int? = nil,
    id: String = "0"
  ) {
    self.method = method
    self.target = target
    self.host = host
    self.fields = fields
    self.body = body
    self.port = port
    self.id = id
  }
}

/// An answer as a value.
package struct ServiceResponse: Sendable {
  /// The status.
  package var status: HTTPResponse.Status

  /// The header fields, without those that the edge adds (`Date`, `Content-Length`).
  package var fields: HTTPFields

  /// The body; for HEAD that of GET, which the edge does not send.
  package var body: [UInt8]

  /// The name of the route in log and metrics; a fixed word if there is no route.
  package var route: String

  /// The number of restaurants in the body; nil if it has no such number.
  package var hits: Int?

  /// The cause of a failure, for the log; `nil` if there is none.
  package var cause: String?

  /// Whether the operator, not the client, must fix it: logged even if requests are not.
  package var isFault = false
}
