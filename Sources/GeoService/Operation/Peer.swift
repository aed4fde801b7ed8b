import NIOCore

/// The client at the other end of a connection, as shares are counted: an IPv4 address, or an IPv6
/// network of 64 bits, which one household has to itself.
struct Peer: Hashable, Sendable {
  private let network: UInt64
  private let isIPv6: Bool

  /// The peer of requests that come without a network, or by a proxy that is announced.
  static let none = Peer(nil)

  /// Whether it is the address by which this machine's programs reach each other, 127.0.0.1 or ::1.
  let isThisMachine: Bool

  /// The peer of an address; `nil` and local sockets are `none`.
  init(_ address: SocketAddress?) {
    // where the address lies in the system's structures: sockaddr_in and sockaddr_in6
    let bytes = address?.withSockAddr { start, size in
      Array(UnsafeRawBufferPointer(start: UnsafeRawPointer(start), count: size))
    }
    switch address {
    case .v4:
      (network, isIPv6) = (Self.number(bytes?[4..<8] ?? []), false)
      isThisMachine = network == 0x7F00_0001
    case .v6:
      let address = bytes?[8..<24] ?? []
      isIPv6 = !address.starts(with: Self.mappedPrefix)
      network = Self.number(isIPv6 ? address.prefix(8) : address.suffix(4))
      isThisMachine = isIPv6 ? Self.isLoopback(address) : network == 0x7F00_0001
    default: (network, isIPv6, isThisMachine) = (0, false, false)
    }
  }

  /// What an IPv4 address begins with that is written as one of IPv6 (RFC 4291 section 2.5.5.2).
  private static let mappedPrefix = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF]

  private static func isLoopback(_ address: ArraySlice<UInt8>) -> Bool {
    address.dropLast().allSatisfy { $0 == 0 } && address.last == 1
  }

  private static func number(_ bytes: some Sequence<UInt8>) -> UInt64 {
    bytes.reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// The address that the proxy in front saw: the rightmost of an `X-Forwarded-For`, which the proxy
  /// itself wrote; `nil` if that is not an address.
  static func forwarded(_ list: String?) -> SocketAddress? {
    guard let last = list?.split(separator: ",", omittingEmptySubsequences: false).last else {
      return nil
    }
    return try? SocketAddress(ipAddress: trimmed(last), port: 0)
  }
}
