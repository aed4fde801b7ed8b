/// A keyed hash of bytes, the same on every machine and in every run.
///
/// J.-P. Aumasson, D. J. Bernstein, SipHash: a fast short-input PRF, INDOCRYPT 2012; the form with 128
/// bits is that of the authors' reference. One round for each word and three at the end, as in Swift's
/// own `Hasher`: without the key, a client cannot make two inputs collide.
package struct SipHash {
  private var v0: UInt64
  private var v1: UInt64
  private var v2: UInt64
  private var v3: UInt64

  /// A key of 128 bits.
  package struct Key: Sendable, Hashable {
    package let low: UInt64
    package let high: UInt64

    /// Makes a key.
    package init(low: UInt64, high: UInt64) {
      self.low = low
      self.high = high
    }
  }

  /// The 64-bit hash of some bytes.
  package static func short(
    _ bytes: UnsafeRawBufferPointer,
    key: Key,
    rounds: (word: Int, end: Int) = (1, 3)
  ) -> UInt64 {
    var state = SipHash(key)
    state.absorb(bytes, rounds: rounds.word)
    state.v2 ^= 0xFF
    return state.squeeze(rounds.end)
  }

  /// The 128-bit hash of some bytes.
  package static func long(
    _ bytes: UnsafeRawBufferPointer,
    key: Key,
    rounds: (word: Int, end: Int) = (1, 3)
  ) -> (low: UInt64, high: UInt64) {
    var state = SipHash(key)
    state.v1 ^= 0xEE
    state.absorb(bytes, rounds: rounds.word)
    state.v2 ^= 0xEE
    let low = state.squeeze(rounds.end)
    state.v1 ^= 0xDD
    return (low, state.squeeze(rounds.end))
  }

  private init(_ key: Key) {
    v0 = key.low ^ 0x736F_6D65_7073_6575
    v1 = key.high ^ 0x646F_7261_6E64_6F6D
    v2 = key.low ^ 0x6C79_6765_6E65_7261
    v3 = key.high ^ 0x7465_6462_7974_6573
  }

  /// Adds all words, then the remaining bytes with the low byte of the count on top.
  private mutating func absorb(_ bytes: UnsafeRawBufferPointer, rounds: Int) {
    var place = 0
    while bytes.count &- place >= 8 {
      let word = bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self)
      absorb(UInt64(littleEndian: word), rounds)
      place &+= 8
    }
    var last = UInt64(truncatingIfNeeded: bytes.count) &<< 56
    var shift: UInt64 = 0
    while place < bytes.count {
      last |= UInt64(bytes[place]) &<< shift
      shift &+= 8
      place &+= 1
    }
    absorb(last, rounds)
  }

  @inline(__always)
  private mutating func absorb(_ word: UInt64, _ rounds: Int) {
    v3 ^= word
    for _ in 0..<rounds { round() }
    v0 ^= word
  }

  private mutating func squeeze(_ rounds: Int) -> UInt64 {
    for _ in 0..<rounds { round() }
    return v0 ^ v1 ^ v2 ^ v3
  }

  @inline(__always)
  private mutating func round() {
    v0 = v0 &+ v1
    v1 = (v1 &<< 13 | v1 &>> 51) ^ v0
    v0 = v0 &<< 32 | v0 &>> 32
    v2 = v2 &+ v3
    v3 = (v3 &<< 16 | v3 &>> 48) ^ v2
    v0 = v0 &+ v3
    v3 = (v3 &<< 21 | v3 &>> 43) ^ v0
    v2 = v2 &+ v1
    v1 = (v1 &<< 17 | v1 &>> 47) ^ v2
    v2 = v2 &<< 32 | v2 &>> 32
  }
}
