import Testing

@testable import GeoIndex

struct ChecksumTests {
  /// The seed and the bytes of xxHash's own sanity check.
  private static let seed: UInt64 = 2_654_435_761

  private static let sanityBytes: [UInt8] = {
    var generator = seed
    return (0..<222).map { _ in
      defer { generator &*= 11_400_714_785_074_694_797 }
      return UInt8(generator >> 56)
    }
  }()

  @Test(
    arguments: [
      (0, 0, 0xEF46_DB37_51D8_E999), (0, seed, 0xAC75_FDA2_929B_17EF),
      (1, 0, 0xE934_A84A_DB05_2768), (1, seed, 0x5014_6076_43A9_B4C3),
      (4, 0, 0x9136_A0DC_A574_57EE),
      (14, 0, 0x8282_DCC4_994E_35C8), (14, seed, 0xC3BD_6BF6_3DEB_6DF0),
      (222, 0, 0xB641_AE8C_B691_C174), (222, seed, 0x20CB_8AB7_AE10_C14A),
    ] as [(Int, UInt64, UInt64)]
  )
  func `the checksum is XXH64`(_ length: Int, _ seed: UInt64, _ expected: UInt64) {
    Self.sanityBytes.prefix(length).withUnsafeBytes {
      #expect(Checksum.of($0, seed: seed) == expected)
    }
  }

  @Test(
    arguments: [
      ("a", 0xD24E_C4F1_A98C_6E5B), ("abc", 0x44BC_2CF5_AD77_0999),
      ("Nobody inspects the spammish repetition", 0xFBCE_A83C_8A37_8BF1),
    ] as [(String, UInt64)]
  )
  func `known texts have their known checksums`(_ text: String, _ expected: UInt64) {
    Array(text.utf8).withUnsafeBytes { #expect(Checksum.of($0) == expected) }
  }

  @Test func `every bit of every length counts`() {
    for length in 1...70 {
      var bytes = Array(Self.sanityBytes.prefix(length))
      var met = [bytes.withUnsafeBytes { Checksum.of($0) }]
      for bit in 0..<8 * length {
        bytes[bit / 8] ^= 1 << UInt8(bit % 8)
        met.append(bytes.withUnsafeBytes { Checksum.of($0) })
        bytes[bit / 8] ^= 1 << UInt8(bit % 8)
      }
      #expect(Set(met).count == met.count)
    }
  }
}
