import HTTPTypes

extension LinkBase {
  /// Where a client sees the service: its `Host`, checked before, or what a proxy says if there is one.
  init(_ request: ServiceRequest, authority: Substring?, _ settings: ServiceSettings) {
    let host = authority.map(String.init) ?? request.host ?? "localhost"
    guard settings.isBehindProxy else {
      base = "http://\(host)"
      return
    }
    let fields = request.fields
    let scheme = Self.first(fields[.forwardedProto])?.lowercased() == "https" ? "https" : "http"
    let shown = Self.first(fields[.forwardedHost]).flatMap { Self.isAuthority($0) ? $0 : nil }
    let prefix = Self.first(fields[.forwardedPrefix]).flatMap(Self.prefix) ?? ""
    base = "\(scheme)://\(shown ?? host)\(prefix)"
  }

  /// What the proxy nearest to the client says: each one adds to the end of the list.
  private static func first(_ list: String?) -> String? {
    let words = list?.prefix { $0 != "," }.split(separator: " ") ?? []
    return words.count == 1 ? String(words[0]) : nil
  }

  private static func isAuthority(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.allSatisfy { isNamePart($0) || "[]:".utf8.contains($0) }
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
