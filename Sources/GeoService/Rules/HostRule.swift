/// The hosts that the service answers for.
///
/// This prevents DNS rebinding, in which a page's own host name is made to point to this machine.
package struct HostRule: Sendable {
  /// The names without ports, in lower case.
  private let names: Set<String>

  /// Allows names in addition to those of this machine's loopback.
  package init(allowing names: [String] = []) {
    let own = ["localhost", "127.0.0.1", "[::1]"]
    self.names = Set(own + names.map { $0.lowercased() })
  }

  /// Whether a text is the name of a host: without a scheme, a port or a path.
  package static func isName(_ text: String) -> Bool {
    let (name, port) = split(text)
    return !name.isEmpty && port == nil && name.utf8.count == text.utf8.count
      && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !"/?#@\\,".utf8.contains($0) }
  }

  /// Rejects requests for other hosts.
  ///
  /// - Parameters:
  ///   - hosts: The values of every `Host` of the request.
  ///   - port: The port that the connection came in on; nil if there is none.
  /// - Throws: `Problem` 400 if there is not exactly one, 421 if the service does not answer for
  ///   it.
  func check(_ hosts: [String], port: Int?) throws {
    guard hosts.count == 1, let host = hosts.first, !host.isEmpty else { throw Problem.missingHost }
    let (name, given) = Self.split(host)
    // names are ASCII, and comparing other text is slow
    guard host.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }), names.contains(name.lowercased()) else {
      throw Problem.foreignHost
    }
    guard let given else { return }
    guard let number = DecimalText.integer(given), port == nil || number == port else {
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
