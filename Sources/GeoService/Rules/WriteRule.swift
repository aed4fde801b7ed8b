/// Who may write: `PUT` and `DELETE` of favourites.
///
/// A pure rule over what a request says of itself. With a token, only the token counts. Without one,
/// a loopback listener takes what comes from its own pages or from no page at all (`curl`); every
/// other listener is read-only.
package struct WriteRule: Sendable {
  /// The token that writers must have; nil where none was configured.
  let token: [UInt8]?

  /// Whether the service listens on loopback only.
  let isLoopback: Bool

  /// Makes a rule.
  ///
  /// - Parameters:
  ///   - token: The token that writers must have; nil where none was configured.
  ///   - isLoopback: Whether nobody but this machine's own programs can reach the listener: no proxy
  ///     stands in front of it either.
  package init(token: [UInt8]?, isLoopback: Bool) {
    self.token = token
    self.isLoopback = isLoopback
  }

  /// What a request says of where it comes from.
  struct Evidence {
    /// The header `Authorization`.
    var authorization: String?
    /// The header `Origin`.
    var origin: String?
    /// The header `Sec-Fetch-Site`.
    var fetchSite: String?
    /// The host that the request is for, checked already.
    var host: String
  }

  /// Refuses a write.
  ///
  /// - Throws: `Problem` 401 or 403.
  func check(_ evidence: Evidence) throws {
    if let token {
      guard Self.isBearer(evidence.authorization, token) else { throw Problem.unauthorized }
      return
    }
    guard isLoopback else { throw Problem.readOnly }
    if let origin = evidence.origin {
      guard Self.authority(of: origin) == evidence.host.lowercased() else {
        throw Problem.crossOrigin
      }
      // an origin that fits does not outweigh a browser that says the page is another's
      guard evidence.fetchSite == nil || evidence.fetchSite == "same-origin" else {
        throw Problem.crossOrigin
      }
      return
    }
    guard evidence.fetchSite == nil || evidence.fetchSite == "same-origin" else {
      throw Problem.crossOrigin
    }
  }

  /// The authority of an origin in lower case; nil for `null` and what is no http origin.
  private static func authority(of origin: String) -> String? {
    let lower = origin.lowercased()
    guard let scheme = ["http://", "https://"].first(where: lower.hasPrefix) else { return nil }
    let authority = String(lower.dropFirst(scheme.count))
    return authority.contains("/") || authority.contains("@") ? nil : authority
  }

  /// Compares without telling by its time where two tokens differ.
  private static func isBearer(_ authorization: String?, _ token: [UInt8]) -> Bool {
    guard let authorization, authorization.lowercased().hasPrefix("bearer ") else { return false }
    let given = Array(authorization.utf8.dropFirst(7))
    var difference = UInt8(given.count == token.count ? 0 : 1)
    for position in token.indices {
      difference |= token[position] ^ (given.isEmpty ? 0xFF : given[position % given.count])
    }
    return difference == 0 && !token.isEmpty
  }
}
