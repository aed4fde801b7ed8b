import Foundation
import GeoQuery
import HTTPTypes

/// Which clients may change favorites and read protected data: those with the token.
///
/// Programs send the token as `Authorization: Bearer`. Browsers exchange it for a cookie, which
/// they send with every request, even from pages of other origins; so a request with a cookie must
/// also come from a page of this service.
package struct AccessRule: Sendable {
  /// An empty one allows no request.
  private let token: [UInt8]

  /// The time, in seconds since 1970.
  private let now: @Sendable () -> Int

  /// How long a cookie is accepted, in seconds.
  private static let sessionSeconds = 30 * 86_400

  /// How far in the future a cookie's time may be: the clocks of several services differ.
  private static let clockSkew = 300

  /// Whether favorites and metrics are read only with the token.
  let protectsReading: Bool

  package init(
    token: [UInt8],
    protectsReading: Bool,
    now: @escaping @Sendable () -> Int = { Int(Date().timeIntervalSince1970) }
  ) {
    self.token = token
    self.protectsReading = protectsReading
    self.now = now
  }

  /// A token that cannot be guessed: 128 random bits in hexadecimal digits.
  package static func randomToken() -> [UInt8] {
    var random = SystemRandomNumberGenerator()
    return (0..<32).map { _ in Array("0123456789abcdef".utf8)[Int(random.next() & 15)] }
  }

  /// Rejects a request that may not use an operation.
  ///
  /// A header field that is given twice matches nothing.
  ///
  /// - Throws: `Problem` 401 without the token, 403 for a write by a page of another origin.
  func check(_ access: Access, _ request: ServiceRequest, host: String) throws {
    switch access {
    case .anyone, .signIn: break
    case .readers:
      guard !protectsReading || isOwner(request) else { throw Problem.unauthorized }
    case .owner:
      if hasBearer(request) { return }
      guard hasCookie(request) else { throw Problem.unauthorized }
      guard Self.isOwnPage(request, host) else { throw Problem.crossOrigin }
    }
  }

  /// Whether the client has sent the token, so that its writes can succeed.
  func isOwner(_ request: ServiceRequest) -> Bool { hasBearer(request) || hasCookie(request) }

  /// The cookie for a token: the value of a `Set-Cookie`.
  ///
  /// The port is in it because cookies are shared between the ports of a host.
  ///
  /// - Throws: `Problem` 401 if the token is wrong.
  func cookie(for given: [UInt8], port: Int?, isSecure: Bool) throws -> String {
    guard Self.isSame(given, token) else { throw Problem.unauthorized }
    let value = session(since: "\(now())")
    return Self.cookie(value, port, seconds: Self.sessionSeconds, isSecure: isSecure)
  }

  /// The cookie that ends a session: the value of a `Set-Cookie`, with the parameters of `cookie`.
  static func endingCookie(port: Int?, isSecure: Bool) -> String {
    cookie("", port, seconds: 0, isSecure: isSecure)
  }

  private static func cookie(
    _ value: String,
    _ port: Int?,
    seconds: Int,
    isSecure: Bool
  ) -> String {
    "\(cookieName(port))=\(value); Path=/; Max-Age=\(seconds); HttpOnly; "
      + "SameSite=Strict\(isSecure ? "; Secure" : "")"
  }

  /// The value of the cookie for a time: the time, and a hash of it with the token.
  ///
  /// It stays valid after a restart with the same token, does not reveal the token, and its time
  /// cannot be changed without the token.
  private func session(since time: String) -> String {
    "\(time)-" + SHA256.hexDigest(of: Array("geoq session\n\(time)\n".utf8) + token)
  }

  /// Whether a value is that of a cookie which the service has made within the last 30 days.
  private func isCurrent(_ value: some Collection<UInt8>) -> Bool {
    let digits = value.prefix(while: \.isDigit)
    let time = String(decoding: digits, as: UTF8.self)
    guard digits.count < 16, let start = Int(time),
      (-Self.clockSkew..<Self.sessionSeconds).contains(now() - start)
    else { return false }
    return Self.isSame(Array(value), Array(session(since: time).utf8)) && !token.isEmpty
  }

  private static func cookieName(_ port: Int?) -> String { "geoq-\(port ?? 0)" }

  /// Whether a header `Authorization` has the token.
  func hasBearer(_ request: ServiceRequest) -> Bool {
    guard let given = request.fields[.authorization]?.utf8, given.count > 7,
      Array(given.prefix(7)).isEqualIgnoringCase("bearer ")
    else { return false }
    return Self.isSame(Array(given.dropFirst(7)), token)
  }

  private func hasCookie(_ request: ServiceRequest) -> Bool {
    let cookies = request.fields[values: .cookie]
    // most have none
    if cookies.isEmpty { return false }
    let name = Array((Self.cookieName(request.port) + "=").utf8)
    return cookies.contains { cookies in
      cookies.utf8.split(separator: UInt8(ascii: ";")).contains { cookie in
        let cookie = cookie.drop { $0 == 0x20 }
        return cookie.starts(with: name) && isCurrent(cookie.dropFirst(name.count))
      }
    }
  }

  /// Whether a browser says that the request comes from a page of this service.
  private static func isOwnPage(_ request: ServiceRequest, _ host: String) -> Bool {
    if let site = request.fields[.fetchSite] { return site == "same-origin" }
    guard let origin = request.fields[.origin]?.lowercased() else { return false }
    return ["http://", "https://"].contains { origin == $0 + host.lowercased() }
  }

  /// Compares in a time that does not depend on where two texts differ.
  private static func isSame(_ given: [UInt8], _ expected: [UInt8]) -> Bool {
    var difference = UInt8(given.count == expected.count ? 0 : 1)
    for position in expected.indices {
      difference |= expected[position] ^ (given.isEmpty ? 0xFF : given[position % given.count])
    }
    return difference == 0 && !expected.isEmpty
  }
}

extension Collection<UInt8> {
  /// Whether the bytes are this ASCII text in any case.
  ///
  /// - Parameter lower: The text in lower case.
  ///
  /// - Returns: False if they differ in more than case.
  func isEqualIgnoringCase(_ lower: StaticString) -> Bool {
    guard count == lower.utf8CodeUnitCount else { return false }
    return lower.withUTF8Buffer { lower in
      zip(self, lower).allSatisfy { byte, expected in
        byte == expected || (byte | 0x20 == expected && (0x61...0x7A).contains(expected))
      }
    }
  }
}

/// The hosts that the service answers for.
///
/// This prevents DNS rebinding, in which a page's own host name is made to point to this machine.
package struct HostRule: Sendable {
  /// The names that are allowed with any port, in lower case.
  ///
  /// A port adds nothing against rebinding, and clients that come through a tunnel or a
  /// port mapping see another one than the service's.
  private var names: Set<String> = ["localhost", "127.0.0.1", "[::1]"]

  /// `NAME:PORT` of those that are allowed with one port.
  private var authorities: Set<String> = []

  /// Allows hosts in addition to the names of this machine's loopback.
  ///
  /// - Parameter hosts: each `NAME`, for any port, or `NAME:PORT`.
  package init(allowing hosts: [String] = []) {
    for host in hosts {
      let (name, port) = Self.split(host)
      if port == nil {
        names.insert(name.lowercased())
      } else {
        authorities.insert(host.lowercased())
      }
    }
  }

  /// Whether a text is a host that can be allowed: `NAME` or `NAME:PORT`, without a scheme, a path
  /// or a wildcard.
  package static func isHost(_ text: String) -> Bool {
    let (name, port) = split(text)
    guard !name.isEmpty, !text.hasSuffix(":"),
      text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && !"/?#@\\,*".utf8.contains($0) })
    else { return false }
    return port.map(isPort) ?? true
  }

  private static func isPort(_ text: String) -> Bool {
    DecimalText.integer(text).map((1...65_535).contains) ?? false
  }

  /// Rejects requests for other hosts.
  ///
  /// - Parameter hosts: The values of every `Host` of the request.
  /// - Throws: `Problem` 400 if there is not exactly one, 421 if the service does not answer for
  ///   it.
  func check(_ hosts: [String]) throws {
    guard hosts.count == 1, let host = hosts.first, !host.isEmpty else { throw Problem.missingHost }
    // names are ASCII, and comparing other text is slow
    guard host.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { throw Problem.foreignHost }
    let (name, port) = Self.split(host)
    let known = name.lowercased()
    if names.contains(known), port.map(Self.isPort) ?? true { return }
    // without a port, the one of http or https
    let ports = port.map { [$0] } ?? ["80", "443"]
    guard ports.contains(where: { authorities.contains("\(known):\($0)") }) else {
      throw Problem.foreignHost
    }
  }

  /// The name and the port of `NAME[:PORT]`; an empty port is ignored.
  static func split(_ host: String) -> (name: Substring, port: String?) {
    let start = host.hasPrefix("[") ? host.firstIndex(of: "]") ?? host.startIndex : host.startIndex
    guard let colon = host[start...].utf8.firstIndex(of: UInt8(ascii: ":")) else {
      return (host[...], nil)
    }
    let port = String(host[host.utf8.index(after: colon)...])
    return (host[..<colon], port.isEmpty ? nil : port)
  }
}

/// The other origins whose pages may read: none unless `--cors` names them.
package struct CrossOriginRule: Sendable {
  private let origins: Set<String>

  /// Makes a rule.
  ///
  /// - Parameter origins: Origins such as `https://maps.example`, or `*` for all.
  package init(origins: [String] = []) {
    self.origins = Set(origins)
  }

  /// Whether any page of another origin may read.
  var allowsAny: Bool { !origins.isEmpty }

  /// The header fields that allow a page to read an answer; none if it may not.
  func fields(for origin: String?) -> HTTPFields {
    guard !origins.isEmpty else { return [:] }
    var fields: HTTPFields = [:]
    if origins.contains("*") {
      fields[.accessControlAllowOrigin] = "*"
    } else {
      fields[.vary] = "Origin"
      guard let origin, origins.contains(origin) else { return fields }
      fields[.accessControlAllowOrigin] = origin
    }
    fields[.accessControlExposeHeaders] =
      "ETag, Link, X-Geoq-Generation, X-Geoq-Staleness, X-Request-Id"
    return fields
  }

  /// The header fields that answer a browser's preflight request; none if the page may not
  /// send requests.
  func preflightFields(for origin: String?, methods: String) -> HTTPFields {
    var fields = fields(for: origin)
    guard fields[.accessControlAllowOrigin] != nil else { return fields }
    fields[.accessControlAllowMethods] = methods
    fields[.accessControlAllowHeaders] = "Content-Type, If-None-Match"
    fields[.accessControlMaxAge] = "600"
    return fields
  }
}
