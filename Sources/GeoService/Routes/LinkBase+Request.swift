import HTTPTypes

extension LinkBase {
  /// Where a client sees the service: its `Host`, or what the proxy in front says if there is one.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - host: The host as the client sees it, checked already.
  ///   - settings: Whether there is a proxy.
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

  /// The host that the proxy in front was asked for; `nil` if it does not say.
  static func forwardedHost(_ request: ServiceRequest) -> String? {
    last(request.fields[.forwardedHost])
  }

  /// What the proxy next to the service says: each one adds to the end of the list, and what stands
  /// before may be the client's own words.
  private static func last(_ list: String?) -> String? {
    guard let word = list?.split(separator: ",", omittingEmptySubsequences: false).last else {
      return nil
    }
    let bare = trimmed(word)
    return bare.isEmpty ? nil : bare
  }

  /// A path without a slash at its end; nil where it is none.
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
