/// A host that images may be fetched from, as the operator lists it: `a.example`,
/// `a.example:8443`, or `http://a.example` for one without https.
package struct ImageHost: Hashable, Sendable {
  private let name: String
  private let port: Int?
  private let allowsPlain: Bool

  /// Parses a host; nil if the text is not one.
  package init?(_ text: String) {
    let bytes = text.utf8.prefix(300)
    let isPlain = bytes.starts(with: "http://".utf8)
    let scheme = isPlain ? 7 : bytes.starts(with: "https://".utf8) ? 8 : 0
    guard text.utf8.count < 300, let place = HostAndPort(bytes.dropFirst(scheme)) else {
      return nil
    }
    name = place.name
    port = place.port
    allowsPlain = isPlain
  }

  /// Whether an address has this host.
  package func includes(_ address: WebAddress) -> Bool {
    address.host == name && (address.isSecure || allowsPlain)
      && address.port == port ?? (address.isSecure ? 443 : 80)
  }
}
