/// An IP address, which may be public or not.
package struct NetworkAddress: Hashable, Sendable {
  /// The 4 or 16 bytes, in network order.
  package let bytes: [UInt8]

  /// The address of a socket; nil for other kinds of sockets.
  package init?(_ address: UnsafePointer<sockaddr>, length: Int) {
    let raw = UnsafeRawBufferPointer(start: address, count: length)
    switch Int32(address.pointee.sa_family) {
    case AF_INET where length >= MemoryLayout<sockaddr_in>.size: bytes = Array(raw[4..<8])
    case AF_INET6 where length >= MemoryLayout<sockaddr_in6>.size: bytes = Array(raw[8..<24])
    default: return nil
    }
  }

  /// Whether it is globally routable: not multicast, and not in the IANA registries of special
  /// addresses (RFC 6890).
  package var isGlobal: Bool {
    if bytes.count == 4 { return !Self.special4.contains { $0.includes(bytes) } }
    // only 2000::/3 has been allocated (RFC 4291 section 2.4)
    return Self.unicast.includes(bytes) && !Self.special6.contains { $0.includes(bytes) }
  }

  /// A network: the bits that its addresses start with.
  private struct Network: Sendable {
    let start: [UInt8]
    let bitCount: Int

    init(_ start: [UInt8], _ bitCount: Int) {
      self.start = start
      self.bitCount = bitCount
    }

    func includes(_ bytes: [UInt8]) -> Bool {
      (0..<bitCount).allSatisfy { bit in
        let mask: UInt8 = 0x80 >> UInt8(bit % 8)
        return bytes[bit / 8] & mask == (bit / 8 < start.count ? start[bit / 8] : 0) & mask
      }
    }
  }

  private static let special4 = [
    Network([0], 8), Network([10], 8), Network([100, 64], 10), Network([127], 8),
    Network([169, 254], 16), Network([172, 16], 12), Network([192, 0, 0], 24),
    Network([192, 0, 2], 24), Network([192, 88, 99], 24), Network([192, 168], 16),
    Network([198, 18], 15), Network([198, 51, 100], 24), Network([203, 0, 113], 24),
    Network([224], 4), Network([240], 4),
  ]

  private static let unicast = Network([0x20], 3)

  private static let special6 = [
    // 2001::/23 with Teredo, documentation, 6to4, documentation
    Network([0x20, 0x01], 23), Network([0x20, 0x01, 0x0D, 0xB8], 32), Network([0x20, 0x02], 16),
    Network([0x3F, 0xFF], 20),
  ]
}
