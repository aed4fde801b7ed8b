import GeoQuery

/// Who may change favorites, and who may read what strangers may not: whoever has the token.
///
/// A rule over what a request says of itself. Programs send the token as `Authorization: Bearer`;
/// browsers have a cookie, which they get for the token and send along with every request, those of
/// other origins' pages included: so with a cookie the request has to come from an own page.
package struct AccessRule: Sendable {
  private let token: [UInt8]

  /// What the cookie holds: derived from the token, so that it outlives a restart with the same token
  /// and does not give the token away.
  private let session: [UInt8]

  /// Whether favorites and metrics are read with the token only.
  let protectsReading: Bool

  /// Makes a rule.
  ///
  /// - Parameters:
  ///   - token: The service's token; an empty one lets nobody in.
  ///   - protectsReading: Whether favorites and metrics are read with the token only.
  package init(token: [UInt8], protectsReading: Bool) {
    self.token = token
    self.protectsReading = protectsReading
    session = Array(SHA256.hexDigest(of: Array("geoq session\n".utf8) + token).utf8)
  }

  /// A token that nobody can guess: 128 random bits in hexadecimal digits.
  package static func randomToken() -> [UInt8] {
    var random = SystemRandomNumberGenerator()
    return (0..<32).map { _ in Array("0123456789abcdef".utf8)[Int(random.next() & 15)] }
  }

  /// What a request says of where it comes from.
  struct Evidence {
    /// The header `Authorization`.
    var authorization: String?
    /// Every header `Cookie`.
    var cookies: [String] = []
    /// The header `Origin`.
    var origin: String?
    /// The header `Sec-Fetch-Site`.
    var fetchSite: String?
    /// The host that the request is for, as its client sees it; checked already.
    var host: String
    /// The port that the service listens on.
    var port: Int?
  }

  /// Refuses a write.
  ///
  /// - Throws: `Problem` 401 without the token, 403 for a page of another origin.
  func checkWrite(_ evidence: Evidence) throws {
    if hasBearer(evidence) { return }
    guard hasCookie(evidence) else { throw Problem.unauthorized }
    guard Self.isOwnPage(evidence) else { throw Problem.crossOrigin }
  }

  /// Refuses to let favorites or metrics be read.
  ///
  /// - Throws: `Problem` 401.
  func checkRead(_ evidence: Evidence) throws {
    guard !protectsReading || hasBearer(evidence) || hasCookie(evidence) else {
      throw Problem.unauthorized
    }
  }

  /// Whether the client has shown the token, so that its writes can succeed.
  func isOwner(_ evidence: Evidence) -> Bool { hasBearer(evidence) || hasCookie(evidence) }

  /// The cookie for a token.
  ///
  /// - Parameters:
  ///   - given: The token as the client has it.
  ///   - port: The port that the service listens on: cookies are shared between the ports of a host.
  ///   - isSecure: Whether the client's connection is encrypted.
  /// - Returns: The value of a `Set-Cookie`.
  /// - Throws: `Problem` 401 if it is another token.
  func cookie(for given: [UInt8], port: Int?, isSecure: Bool) throws -> String {
    guard Self.isSame(given, token) else { throw Problem.unauthorized }
    return
      "\(Self.cookieName(port))=\(String(decoding: session, as: UTF8.self)); Path=/; HttpOnly; "
      + "SameSite=Strict\(isSecure ? "; Secure" : "")"
  }

  private static func cookieName(_ port: Int?) -> String { "geoq-\(port ?? 0)" }

  private func hasBearer(_ evidence: Evidence) -> Bool {
    guard let given = evidence.authorization?.utf8, given.count > 7,
      Array(given.prefix(7)).isEqualIgnoringCase("bearer ")
    else { return false }
    return Self.isSame(Array(given.dropFirst(7)), token)
  }

  private func hasCookie(_ evidence: Evidence) -> Bool {
    let name = Array((Self.cookieName(evidence.port) + "=").utf8)
    return evidence.cookies.contains { cookies in
      cookies.utf8.split(separator: UInt8(ascii: ";")).contains { cookie in
        let cookie = cookie.drop { $0 == 0x20 }
        return cookie.starts(with: name)
          && Self.isSame(Array(cookie.dropFirst(name.count)), session)
      }
    }
  }

  /// Whether a browser says that the request comes from a page of this service.
  private static func isOwnPage(_ evidence: Evidence) -> Bool {
    if let site = evidence.fetchSite { return site == "same-origin" }
    guard let origin = evidence.origin?.lowercased() else { return false }
    let schemes = ["http://", "https://"]
    return schemes.contains { origin == $0 + evidence.host.lowercased() }
  }

  /// Compares without telling by its time where two texts differ.
  private static func isSame(_ given: [UInt8], _ expected: [UInt8]) -> Bool {
    var difference = UInt8(given.count == expected.count ? 0 : 1)
    for position in expected.indices {
      difference |= expected[position] ^ (given.isEmpty ? 0xFF : given[position % given.count])
    }
    return difference == 0 && !expected.isEmpty
  }
}

extension Collection<UInt8> {
  /// Whether the bytes are an ASCII text, whatever the case of its letters.
  ///
  /// - Parameter lower: The text in lower case.
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
