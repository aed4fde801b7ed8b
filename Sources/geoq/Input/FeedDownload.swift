import AsyncHTTPClient
import GeoQuery
import NIOCore
import NIOHTTP1
import NIOPosix

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// A feed fetched from an http or https address that its user typed.
///
/// Bounded: 10 s to connect, 30 s without a byte, 120 s in all, the reader's largest feed, and five
/// redirects.
enum FeedDownload {
  /// What the server answered.
  enum Answer {
    /// 304: the feed is the one that the store has.
    case notModified
    /// A feed, with the validators to send next time.
    case feed([UInt8], FeedOrigin)
  }

  /// Whether a feed's name is an address rather than a path.
  static func isAddress(_ name: String) -> Bool {
    let scheme = name.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0)) }
    return !scheme.isEmpty && name.dropFirst(scheme.count).hasPrefix("://")
  }

  /// Fetches a feed.
  ///
  /// - Parameters:
  ///   - address: An http or https address.
  ///   - known: What the store remembers of the address; an unchanged feed is then not sent again.
  /// - Returns: The feed's bytes, or that they have not changed.
  /// - Throws: `CommandFailure` with exit code 69 where it cannot be fetched.
  static func fetch(_ address: String, known: FeedOrigin?) async throws -> Answer {
    let scheme = address.lowercased()
    guard scheme.hasPrefix("http://") || scheme.hasPrefix("https://") else {
      throw CommandFailure(
        "\(terminalSafe(address)): only http and https addresses are fetched",
        exitCode: CommandFailure.usage
      )
    }
    guard !hasUser(address) else {
      // the address would be kept, printed and exported as the name of the source
      throw CommandFailure(
        "an address with a user or password is not fetched; let curl fetch it: curl -u USER … | "
          + "geoq import - --source NAME",
        exitCode: CommandFailure.usage
      )
    }
    let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    do {
      let answer = try await withDeadline(address) {
        try await request(address, known: known, through: client)
      }
      try await client.shutdown()
      return answer
    } catch {
      try? await client.shutdown()
      throw error as? CommandFailure ?? unavailable(address, reason(error))
    }
  }

  /// Whether the part before the path holds `user@` or `user:password@`.
  private static func hasUser(_ address: String) -> Bool {
    let afterScheme = address.drop { $0 != "/" }.drop { $0 == "/" }
    return afterScheme.prefix { $0 != "/" && $0 != "?" && $0 != "#" }.contains("@")
  }

  private static var configuration: HTTPClient.Configuration {
    var configuration = HTTPClient.Configuration(
      redirectConfiguration: .follow(max: 5, allowCycles: false),
      timeout: .init(connect: .seconds(10), read: .seconds(30))
    )
    // a refused connection is said at once, not tried again until the time is up
    configuration.connectionPool.retryConnectionEstablishment = false
    return configuration
  }

  private static func request(
    _ address: String,
    known: FeedOrigin?,
    through client: HTTPClient
  ) async throws -> Answer {
    var request = HTTPClientRequest(url: address)
    request.headers.add(name: "User-Agent", value: "geoq/\(Geoq.version)")
    request.headers.add(name: "Accept", value: "application/json, application/geo+json, */*;q=0.5")
    if let etag = known?.etag { request.headers.add(name: "If-None-Match", value: etag) }
    if let date = known?.lastModified {
      request.headers.add(name: "If-Modified-Since", value: date)
    }
    let response = try await client.execute(request, timeout: .seconds(120))
    if response.status == .notModified, known != nil { return .notModified }
    guard (200..<300).contains(response.status.code) else {
      throw unavailable(address, "the server answered \(response.status)")
    }
    var body = try await response.body.collect(upTo: FeedReader.maximumBytes)
    let origin = FeedOrigin(
      address: address,
      etag: response.headers.first(name: "ETag"),
      lastModified: response.headers.first(name: "Last-Modified")
    )
    return .feed(body.readBytes(length: body.readableBytes) ?? [], origin)
  }

  /// The client's own deadline ends with the head of the answer; this one covers the body too.
  private static func withDeadline(
    _ address: String,
    _ body: @escaping @Sendable () async throws -> Answer
  ) async throws -> Answer {
    try await withThrowingTaskGroup(of: Answer.self) { group in
      group.addTask(operation: body)
      group.addTask {
        try await Task.sleep(for: .seconds(120))
        throw unavailable(address, "not finished after 120 seconds")
      }
      defer { group.cancelAll() }
      guard let answer = try await group.next() else { throw CancellationError() }
      return answer
    }
  }

  private static func reason(_ error: any Error) -> String {
    switch error {
    case is NIOTooManyBytesError:
      "the feed is larger than \(FeedReader.maximumBytes >> 20) MiB, the most that is read"
    case let error as HTTPClientError: error.shortDescription.lowercased()
    case let error as NIOConnectionError: reason(error)
    default: "\(error)"
    }
  }

  private static func reason(_ error: NIOConnectionError) -> String {
    guard let attempt = error.connectionErrors.first else { return "unknown host \(error.host)" }
    guard let code = (attempt.error as? IOError)?.errnoCode else { return "\(attempt.error)" }
    return String(cString: strerror(code)).lowercased()
  }

  private static func unavailable(_ address: String, _ reason: String) -> CommandFailure {
    CommandFailure(
      "\(terminalSafe(address)): cannot be fetched: \(terminalSafe(reason))",
      exitCode: CommandFailure.unavailable
    )
  }
}
