import Testing

@testable import GeoFeed
@testable import GeoQuery

struct SipHashTests {
  /// The key 00 01 … 0F of the authors' tests.
  private let key = SipHash.Key(low: 0x0706_0504_0302_0100, high: 0x0F0E_0D0C_0B0A_0908)

  @Test func `the paper's value and the reference's first ones come out`() {
    let fifteen = Array(0..<15 as Range<UInt8>)
    let rounds = (word: 2, end: 4)
    fifteen.withUnsafeBytes {
      #expect(SipHash.short($0, key: key, rounds: rounds) == 0xA129_CA61_49BE_45E5)
    }
    let empty = UnsafeRawBufferPointer(start: nil, count: 0)
    #expect(SipHash.short(empty, key: key, rounds: rounds) == 0x726F_DB47_DD0E_0E31)
    let long = SipHash.long(empty, key: key, rounds: rounds)
    #expect(long.low == 0xE6A8_25BA_047F_81A3)
    #expect(long.high == 0x9302_55C7_1472_F66D)
  }

  @Test func `another length, byte or key is another hash`() {
    var seen: Set<UInt64> = []
    for count in 0..<40 {
      [UInt8](repeating: 0, count: count).withUnsafeBytes {
        seen.insert(SipHash.short($0, key: key))
        seen.insert(SipHash.short($0, key: SipHash.Key(low: 1, high: 2)))
      }
    }
    #expect(seen.count == 80)
  }
}
