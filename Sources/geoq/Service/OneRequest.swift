import GeoService

/// `serve --get`: one request without a network.
struct OneRequest {
  /// The request target.
  let path: String

  /// The host that links in the answer point to.
  let host: String

  /// Prints the body.
  ///
  /// - Throws: `CommandFailure` with what the service says where it answers with an error.
  func print(from service: RestaurantService) throws {
    let port = host.split(separator: ":").last.flatMap { Int($0) }
    let (status, body) = service.get(path, host: host, port: port)
    let text = String(decoding: body, as: UTF8.self)
    guard status < 400 else {
      throw CommandFailure(
        "--get: \(terminalSafe(text.trimmingLineEnd))",
        exitCode: status < 500 ? CommandFailure.usage : CommandFailure.unavailable
      )
    }
    try StandardStreams.print(text)
  }
}

extension String {
  fileprivate var trimmingLineEnd: String { hasSuffix("\n") ? String(dropLast()) : self }
}
