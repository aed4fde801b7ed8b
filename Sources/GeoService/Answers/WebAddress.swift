/// An http or https address in a form that all programs parse alike.
///
/// If a check and a client find different hosts in one address, the check can be bypassed. So an
/// address is rejected if it has a user, a backslash, or a host with anything but letters, digits,
/// dots and hyphens.
package struct WebAddress: Hashable, Sendable {
  /// The maximum length of an address in bytes.
  private static let maximumLength = 2_048

  /// The whole address: printable ASCII, without a fragment.
  package let text: String

  /// Whether the scheme is https.
  package let isSecure: Bool

  /// The host's name, in lower case.
  package let host: String

  /// The port; the default of the scheme if the address has none.
  package let port: Int

  /// Scheme, host and port, as in a content security policy.
  package let origin: String

  /// Parses an address; nil if it is invalid or too long.
  package init?(_ text: String) {
    let bytes = Array(text.utf8.prefix(Self.maximumLength + 1))
    guard bytes.count <= Self.maximumLength else { return nil }
    let start = bytes.prefix(8).map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
    if start.starts(with: "https://".utf8) {
      isSecure = true
    } else if start.starts(with: "http://".utf8) {
      isSecure = false
    } else {
      return nil
    }
    let scheme = isSecure ? "https" : "http"
    let rest = bytes.dropFirst(scheme.utf8.count + 3).prefix { $0 != UInt8(ascii: "#") }
    let authority = rest.prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
    guard let place = HostAndPort(authority), let path = Self.escaped(rest[authority.endIndex...])
    else { return nil }
    host = place.name
    port = place.port ?? (isSecure ? 443 : 80)
    origin = "\(scheme)://\(host)" + (place.port.map { ":\($0)" } ?? "")
    self.text = origin + (path.hasPrefix("/") ? path : "/" + path)
  }

  /// A path and query in which all characters are escaped that addresses must not contain; nil if
  /// it has control characters.
  private static func escaped(_ bytes: ArraySlice<UInt8>) -> String? {
    guard bytes.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else { return nil }
    let digits = Array("0123456789ABCDEF".utf8)
    var result: [UInt8] = []
    for byte in bytes {
      if byte > 0x20, byte < 0x7F, !"<>\"\\^`{|}".utf8.contains(byte) {
        result.append(byte)
      } else {
        result += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: result, as: UTF8.self)
  }
}

/// A host and an optional port: `a.example:8080`.
struct HostAndPort {
  /// The host, in lower case.
  let name: String

  /// The port; nil if there is none.
  let port: Int?

  init?(_ bytes: some Collection<UInt8>) {
    let name = bytes.prefix { $0 != UInt8(ascii: ":") }
    let rest = bytes.dropFirst(name.count)
    guard (1...253).contains(name.count), name.allSatisfy(Self.isOfName),
      let first = name.first, first != UInt8(ascii: "."), first != UInt8(ascii: "-")
    else { return nil }
    self.name = String(
      decoding: name.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 },
      as: UTF8.self
    )
    if rest.isEmpty {
      port = nil
      return
    }
    let digits = rest.dropFirst()
    guard (1...5).contains(digits.count), digits.allSatisfy({ (0x30...0x39).contains($0) }),
      let port = Int(String(decoding: digits, as: UTF8.self)), (1...65_535).contains(port)
    else { return nil }
    self.port = port
  }

  private static func isOfName(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "."), UInt8(ascii: "-"): true
    default: false
    }
  }
}
