import NIOCore

/// The client of a connection, for counting its share: an IPv4 address, or an IPv6 network of 64
/// bits, which belongs to one household.
struct Peer: Hashable, Sendable {
  private let network: UInt64
  private let isIPv6: Bool

  /// The peer of requests without a network, or from an announced proxy.
  static let none = Peer(nil)

  /// Whether it is the loopback address, 127.0.0.1 or ::1.
  let isThisMachine: Bool

  /// The peer with an address; `none` for `nil` and local sockets.
  init(_ address: SocketAddress?) {
    // the offset of the address in sockaddr_in and sockaddr_in6
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

  /// The prefix of IPv4 addresses that are written as IPv6 (RFC 4291 section 2.5.5.2).
  private static let mappedPrefix = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF]

  private static func isLoopback(_ address: ArraySlice<UInt8>) -> Bool {
    address.dropLast().allSatisfy { $0 == 0 } && address.last == 1
  }

  private static func number(_ bytes: some Sequence<UInt8>) -> UInt64 {
    bytes.reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// The address that the proxy in front saw: the last of `X-Forwarded-For`, which that proxy
  /// wrote.
  ///
  /// `nil` if it is not an address.
  static func forwarded(_ list: String?) -> SocketAddress? {
    guard let last = list?.split(separator: ",", omittingEmptySubsequences: false).last else {
      return nil
    }
    return try? SocketAddress(ipAddress: trimmed(last), port: 0)
  }
}
