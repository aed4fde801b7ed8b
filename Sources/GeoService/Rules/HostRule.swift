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
    return port.map { DecimalText.integer($0).map((1...65_535).contains) ?? false } ?? true
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
    if names.contains(known), port.map({ DecimalText.integer($0) != nil }) ?? true { return }
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
