import NIOCore
import Testing

@testable import GeoService

/// Which addresses are of the public Internet.
struct NetworkAddressTests {
  private func address(_ text: String) throws -> NetworkAddress {
    let socket = try SocketAddress(ipAddress: text, port: 80)
    let found = socket.withSockAddr { NetworkAddress($0, length: $1) }
    return try #require(found)
  }

  @Test(
    arguments: [
      // each network's first and last address
      "0.0.0.0", "0.255.255.255", "10.0.0.0", "10.255.255.255", "100.64.0.0", "100.127.255.255",
      "127.0.0.0", "127.255.255.255", "169.254.0.0", "169.254.169.254", "169.254.255.255",
      "172.16.0.0", "172.31.255.255", "192.0.0.0", "192.0.0.255", "192.0.2.0", "192.0.2.255",
      "192.88.99.0", "192.88.99.255", "192.168.0.0", "192.168.255.255", "198.18.0.0",
      "198.19.255.255", "198.51.100.0", "198.51.100.255", "203.0.113.0", "203.0.113.255",
      "224.0.0.0", "239.255.255.255", "240.0.0.0", "255.255.255.255",
      "::", "::1", "::127.0.0.1", "::8.8.8.8", "::ffff:127.0.0.1", "::ffff:8.8.8.8",
      "::ffff:0:8.8.8.8", "64:ff9b::", "64:ff9b::8.8.8.8", "64:ff9b:1::1", "100::1", "1fff::1",
      "2001::", "2001:0:808:808::1", "2001:1ff:ffff::", "2001:db8::", "2001:db8:ffff::1", "2002::",
      "2002:7f00:1::", "2002:ffff::1", "3fff::", "3fff:fff::1", "4000::1", "5f00::1", "fc00::",
      "fdff::1", "fe80::", "fe80::1", "febf::1", "fec0::1", "ff00::", "ff02::1", "ffff::",
    ]
  )
  func `this is not public`(text: String) throws {
    #expect(try address(text).isGlobal == false)
  }

  @Test(
    arguments: [
      "1.0.0.0", "8.8.8.8", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0",
      "126.255.255.255", "128.0.0.0", "169.253.255.255", "169.255.0.0", "172.15.255.255",
      "172.32.0.0", "192.0.1.0", "192.0.3.0", "192.167.255.255", "192.169.0.0", "198.17.255.255",
      "198.20.0.0", "223.255.255.255", "2000::1", "2001:200::1", "2001:4860:4860::8888",
      "2003::1", "2606:4700::1111", "3ffe::1", "3fff:1000::1",
    ]
  )
  func `this is public`(text: String) throws {
    #expect(try address(text).isGlobal)
  }
}
