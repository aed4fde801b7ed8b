import CCurl
import Foundation
import GeoFeed
import GeoQuery
import GeoStore

/// A feed fetched from an http or https address that the user typed.
///
/// It is stored in a nameless file, because it may be too large for memory.
enum FeedDownload {
  struct Limits {
    /// Seconds until a connection must be made.
    var connecting = 10
    /// Seconds without a byte until the download fails.
    var silence = 30
    /// The maximum time in seconds.
    var seconds = 120
    /// The maximum size of the feed in bytes.
    var bytes = FeedReader.maximumBytes
    /// The maximum number of redirects.
    var redirects = 5
  }

  /// Whether a feed's name is an address, not a path.
  static func isAddress(_ name: String) -> Bool {
    let scheme = name.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0)) }
    return !scheme.isEmpty && name.dropFirst(scheme.count).hasPrefix("://")
  }

  /// Fetches a feed, unless it is the known version, which the server does not send again.
  ///
  /// - Returns: The feed, with the validators to send next time; nil if it is unchanged (304).
  /// - Throws: `CommandFailure`, with exit code 69 if it cannot be fetched.
  static func fetch(
    _ address: String,
    known: FeedOrigin?,
    limits: Limits = Limits()
  ) throws -> (file: FeedFile, origin: FeedOrigin)? {
    let scheme = address.lowercased()
    guard scheme.hasPrefix("http://") || scheme.hasPrefix("https://") else {
      throw CommandFailure.usage(address, "only http and https addresses are fetched")
    }
    guard !hasUser(address) else {
      // the address would be stored, printed and exported as the name of the source
      throw CommandFailure.usage(
        "an address with a user or password is not fetched; let curl fetch it: curl -u USER … | "
          + "geoq import - --source NAME"
      )
    }
    do {
      return try request(address, known: known, limits: limits)
    } catch let missing as MissingLibrary {
      throw unavailable(address, "\(missing)")
    }
  }

  /// Whether the part before the path contains `user@` or `user:password@`.
  private static func hasUser(_ address: String) -> Bool {
    let afterScheme = address.drop { $0 != "/" }.drop { $0 == "/" }
    return afterScheme.prefix { $0 != "/" && $0 != "?" && $0 != "#" }.contains("@")
  }

  private static func request(
    _ address: String,
    known: FeedOrigin?,
    limits: Limits
  ) throws -> (file: FeedFile, origin: FeedOrigin)? {
    let transfer = try transfer(of: address, known: known, limits: limits)
    let answer = try IncomingFeed(maximumBytes: limits.bytes)
    let code = answer.receive(transfer)
    if let error = answer.writeError {
      throw CommandFailure.inputOutput(
        address,
        "cannot be kept in a temporary file: "
          + "\(String(cString: strerror(error))); set TMPDIR to a folder with more space"
      )
    }
    if answer.isTooLarge || code == GEOQ_CURLE_FILESIZE_EXCEEDED {
      let limit = "\(limits.bytes >> 20) MiB"
      throw unavailable(address, "the feed is larger than \(limit), the most that is read")
    }
    let isTurnedAway = code == GEOQ_CURLE_WRITE_ERROR && !answer.isSuccess
    guard code == 0 || isTurnedAway else {
      throw unavailable(address, reason(code, transfer))
    }
    if answer.status == 304, known != nil { return nil }
    guard answer.isSuccess else {
      throw unavailable(address, "the server answered \(answer.statusText)")
    }
    let origin = FeedOrigin(address: address, etag: answer.etag, lastModified: answer.lastModified)
    return (try answer.file(name: address), origin)
  }

  private static func transfer(
    of address: String,
    known: FeedOrigin?,
    limits: Limits
  ) throws -> CurlTransfer {
    // non-ASCII letters and blanks are escaped
    guard let url = URL(string: address) else { throw unavailable(address, "invalid address") }
    let transfer = try CurlTransfer()
    transfer.set(GEOQ_CURLOPT_URL, url.absoluteString)
    let isSecure = address.lowercased().hasPrefix("https:")
    transfer.keepToTheWeb(
      proxy: variable(isSecure ? ["https_proxy", "HTTPS_PROXY"] : ["http_proxy"]),
      exceptions: variable(["no_proxy", "NO_PROXY"])
    )
    transfer.set(GEOQ_CURLOPT_FOLLOWLOCATION, 1)
    transfer.set(GEOQ_CURLOPT_MAXREDIRS, limits.redirects)
    transfer.set(GEOQ_CURLOPT_CONNECTTIMEOUT_MS, limits.connecting * 1000)
    transfer.set(GEOQ_CURLOPT_LOW_SPEED_LIMIT, 1)
    transfer.set(GEOQ_CURLOPT_LOW_SPEED_TIME, limits.silence)
    transfer.set(GEOQ_CURLOPT_TIMEOUT_MS, limits.seconds * 1000)
    transfer.set(GEOQ_CURLOPT_MAXFILESIZE_LARGE, limits.bytes)
    transfer.add(field: "Accept", "application/json, application/geo+json, */*;q=0.5")
    if let etag = known?.etag, isFieldValue(etag) { transfer.add(field: "If-None-Match", etag) }
    if let date = known?.lastModified, isFieldValue(date) {
      transfer.add(field: "If-Modified-Since", date)
    }
    return transfer
  }

  /// The first of some environment variables that is set; empty if none is.
  ///
  /// `HTTP_PROXY` is not among them, because a server may set it from a field of a request.
  private static func variable(_ names: [String]) -> String {
    names.lazy.compactMap(CommandContext.variable).first { !$0.isEmpty } ?? ""
  }

  /// Whether a validator is safe in a header field, because the database may come from elsewhere.
  private static func isFieldValue(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
  }

  private static func reason(_ code: Int32, _ transfer: CurlTransfer) -> String {
    switch code {
    case GEOQ_CURLE_COULDNT_CONNECT where transfer.systemError != 0:
      String(cString: strerror(transfer.systemError)).lowercased()
    case GEOQ_CURLE_UNSUPPORTED_PROTOCOL:
      "a redirect leads to an address that is neither http nor https"
    case GEOQ_CURLE_LOGIN_DENIED: "a redirect leads to an address with a user or password"
    default: transfer.text(of: code)
    }
  }

  private static func unavailable(_ address: String, _ reason: String) -> CommandFailure {
    CommandFailure.unavailable(address, "cannot be fetched: \(terminalSafe(reason))")
  }
}

/// The further pages of a feed that an address gives in pages, as an OGC API does.
final class FeedPages {
  private static let maximumCount = 10_000

  private let first: URL?
  private let limits: FeedDownload.Limits
  private var seen: Set<String>
  private var last: URL?

  init(_ address: String, seconds: Int) {
    first = URL(string: address)
    last = first
    seen = [address]
    limits = FeedDownload.Limits(seconds: seconds)
  }

  /// Fetches the page that a link leads to.
  ///
  /// - Returns: Its name and its bytes.
  /// - Throws: `CommandFailure` if it is on another host, has been read before, or is one too many.
  func open(_ link: String) throws -> (name: String, bytes: any ByteSource) {
    guard let url = URL(string: link, relativeTo: last)?.absoluteURL, let first else {
      throw failure(link, "is not an address")
    }
    let address = url.absoluteString
    guard url.scheme == first.scheme, url.host == first.host, url.port == first.port else {
      throw failure(address, "is not of the same host as the first page; fetch it yourself")
    }
    guard seen.insert(address).inserted else { throw failure(address, "has been read before") }
    guard seen.count <= Self.maximumCount else {
      throw failure(address, "is one of more than \(Self.maximumCount) pages")
    }
    last = url
    guard let file = try FeedDownload.fetch(address, known: nil, limits: limits)?.file else {
      throw failure(address, "has not changed")
    }
    return (address, file)
  }

  private func failure(_ address: String, _ problem: String) -> CommandFailure {
    CommandFailure.badData(
      "the next page \(terminalSafe(shortened(address, to: 300))) \(problem); nothing was changed"
    )
  }
}
