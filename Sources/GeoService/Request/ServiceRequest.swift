package import HTTPTypes

/// A request as a value: what the edge read from a connection, or what a test made up.
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

  /// The port that the connection came in by; nil where there is none.
  package var port: Int?

  /// The address that the connection came from; `nil` without a network.
  package var peer: String?

  /// The address that a proxy in front saw; `nil` without a proxy.
  package var forwardedPeer: String?

  /// Names the request in answers and in the log.
  package var id: String

  /// Makes a request; what is not given is absent.
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

  /// The header fields, without what the edge adds (`Date`, `Content-Length`).
  package var fields: HTTPFields

  /// The body; for HEAD that of GET, which the edge does not send.
  package var body: [UInt8]

  /// What the log and the metrics call the route; a fixed word where none fits.
  package var route: String

  /// How many restaurants the body holds; nil where that has no meaning.
  package var hits: Int?

  /// What went wrong, for the log; `nil` if nothing did.
  package var cause: String?

  /// Whether it is for the operator to mend, not for the client: noted even if requests are not.
  package var isFault = false
}
