import HTTPTypes

extension LinkBase {
  /// The address of the service as its client sees it: from `Host`, or from the fields of the proxy
  /// in front.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - host: The host as the client sees it, checked already.
  ///   - settings: Say whether there is a proxy.
  init(_ request: ServiceRequest, host: String, _ settings: ServiceSettings) {
    guard settings.isBehindProxy else {
      base = "http://\(host)"
      return
    }
    let isSecure = Self.isSecure(request, settings)
    let prefix = Self.last(request.fields[.forwardedPrefix]).flatMap(Self.prefix) ?? ""
    base = "\(isSecure ? "https" : "http")://\(host)\(prefix)"
  }

  /// Whether the client's own connection is encrypted.
  static func isSecure(_ request: ServiceRequest, _ settings: ServiceSettings) -> Bool {
    settings.isBehindProxy && last(request.fields[.forwardedProto])?.lowercased() == "https"
  }

  /// Whether browsers trust the client's address: its connection is encrypted, or the host is the client's own
  /// machine (W3C, Secure Contexts, 3.1).
  static func isTrustworthy(_ request: ServiceRequest, _ settings: ServiceSettings) -> Bool {
    if isSecure(request, settings) { return true }
    let shown = settings.isBehindProxy ? forwardedHost(request) : nil
    let name = HostRule.split(shown ?? request.host ?? "").name
    return ["localhost", "127.0.0.1", "[::1]"].contains { name.utf8.elementsEqual($0.utf8) }
  }

  /// The host in the client's request to the proxy in front; `nil` if the proxy does not say.
  static func forwardedHost(_ request: ServiceRequest) -> String? {
    last(request.fields[.forwardedHost])
  }

  /// The last entry of a list, which is from the proxy in front: the client may have sent those
  /// before it.
  private static func last(_ list: String?) -> String? {
    guard let word = list?.split(separator: ",", omittingEmptySubsequences: false).last else {
      return nil
    }
    let bare = trimmed(word)
    return bare.isEmpty ? nil : bare
  }

  /// A path without its trailing slash; nil if it is not a path.
  private static func prefix(_ text: String) -> String? {
    let path = text.hasSuffix("/") ? text.dropLast() : text[...]
    let isPath =
      (path.isEmpty || path.hasPrefix("/")) && !path.contains("//")
      && PercentCoding.decoded(path) != nil
      && path.utf8.allSatisfy { isNamePart($0) || "/~%".utf8.contains($0) }
    return isPath ? String(path) : nil
  }

  private static func isNamePart(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: ".-_".utf8.contains(byte)
    }
  }
}
