import GeoQuery
import GeoService

/// `serve --get`: one request without a network.
struct OneRequest {
  /// The request target.
  let path: String

  /// The host in the answer's links.
  let host: String

  /// The service's token, because the user who runs the command owns the database.
  let token: [UInt8]

  /// Prints the body: its bytes, or on a terminal its text with control characters escaped.
  ///
  /// - Throws: `CommandFailure` with the service's sentence if it answers with an error.
  func print(from service: RestaurantService) throws {
    let port = host.split(separator: ":").last.flatMap { Int($0) }
    let (status, body) = service.get(path, host: host, port: port, token: token)
    guard status < 400 else {
      throw CommandFailure(
        "--get: \(terminalSafe(Self.detail(of: body))) (\(status))",
        exitCode: status < 500 ? CommandFailure.usage : CommandFailure.unavailable
      )
    }
    guard StandardStreams.isOutputTerminal else { return try StandardStreams.print(body) }
    // JSON stays JSON
    let text = terminalSafeJSON(String(decoding: body, as: UTF8.self))
    try StandardStreams.print(terminalSafeLines(text))
  }

  /// The sentence in problem details.
  private static func detail(of body: [UInt8]) -> String {
    guard case .object(let members)? = try? JSONValue(parsing: body),
      case .string(let detail)? = members.first(where: { $0.name == "detail" })?.value
    else { return "the service refused" }
    return detail
  }
}
