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

  package struct Key: Sendable, Hashable {
    package let low: UInt64
    package let high: UInt64

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

  private mutating func absorb(_ word: UInt64, _ rounds: Int) {
    v3 ^= word
    for _ in 0..<rounds { round() }
    v0 ^= word
  }

  private mutating func squeeze(_ rounds: Int) -> UInt64 {
    for _ in 0..<rounds { round() }
    return v0 ^ v1 ^ v2 ^ v3
  }

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

/// The hash SHA-256 (FIPS 180-4, section 6.2), for values that must be the same on every machine.
///
/// A library would take minutes to build; this hashes a few dozen bytes at a time.
package enum SHA256 {
  /// The 32 bytes of the hash.
  ///
  /// - Complexity: O(bytes).
  package static func digest(of message: [UInt8]) -> [UInt8] {
    var padded = message
    padded.append(0x80)
    padded.append(contentsOf: repeatElement(0, count: (119 - message.count % 64) % 64))
    withUnsafeBytes(of: (UInt64(message.count) * 8).bigEndian) { padded.append(contentsOf: $0) }
    var hash = initial
    for start in stride(from: 0, to: padded.count, by: 64) {
      add(padded[start..<start + 64], to: &hash)
    }
    return hash.flatMap { word in withUnsafeBytes(of: word.bigEndian) { Array($0) } }
  }

  /// The hash in 64 hexadecimal digits.
  package static func hexDigest(of message: [UInt8]) -> String { hex(digest(of: message)) }

  /// Bytes in hexadecimal digits.
  package static func hex(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 0x10 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  private static func add(_ block: ArraySlice<UInt8>, to hash: inout [UInt32]) {
    var words = stride(from: block.startIndex, to: block.endIndex, by: 4).map { start in
      block[start..<start + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    }
    for index in 16..<64 {
      let (first, second) = (words[index - 15], words[index - 2])
      words.append(
        words[index - 16] &+ (turn(first, 7) ^ turn(first, 18) ^ first >> 3)
          &+ words[index - 7] &+ (turn(second, 17) ^ turn(second, 19) ^ second >> 10)
      )
    }
    var state = hash
    for (word, constant) in zip(words, constants) {
      let (a, b, c, e, f, g) = (state[0], state[1], state[2], state[4], state[5], state[6])
      let choice = (e & f) ^ (~e & g)
      let majority = (a & b) ^ (a & c) ^ (b & c)
      let one = state[7] &+ (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) &+ choice &+ constant &+ word
      let two = (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) &+ majority
      state = [one &+ two, a, b, c, state[3] &+ one, e, f, g]
    }
    for index in hash.indices { hash[index] &+= state[index] }
  }

  private static func turn(_ word: UInt32, _ count: UInt32) -> UInt32 {
    word >> count | word << (32 - count)
  }

  private static let initial: [UInt32] = [
    0x6A09_E667, 0xBB67_AE85, 0x3C6E_F372, 0xA54F_F53A, 0x510E_527F, 0x9B05_688C, 0x1F83_D9AB,
    0x5BE0_CD19,
  ]

  private static let constants: [UInt32] = [
    0x428A_2F98, 0x7137_4491, 0xB5C0_FBCF, 0xE9B5_DBA5, 0x3956_C25B, 0x59F1_11F1, 0x923F_82A4,
    0xAB1C_5ED5, 0xD807_AA98, 0x1283_5B01, 0x2431_85BE, 0x550C_7DC3, 0x72BE_5D74, 0x80DE_B1FE,
    0x9BDC_06A7, 0xC19B_F174, 0xE49B_69C1, 0xEFBE_4786, 0x0FC1_9DC6, 0x240C_A1CC, 0x2DE9_2C6F,
    0x4A74_84AA, 0x5CB0_A9DC, 0x76F9_88DA, 0x983E_5152, 0xA831_C66D, 0xB003_27C8, 0xBF59_7FC7,
    0xC6E0_0BF3, 0xD5A7_9147, 0x06CA_6351, 0x1429_2967, 0x27B7_0A85, 0x2E1B_2138, 0x4D2C_6DFC,
    0x5338_0D13, 0x650A_7354, 0x766A_0ABB, 0x81C2_C92E, 0x9272_2C85, 0xA2BF_E8A1, 0xA81A_664B,
    0xC24B_8B70, 0xC76C_51A3, 0xD192_E819, 0xD699_0624, 0xF40E_3585, 0x106A_A070, 0x19A4_C116,
    0x1E37_6C08, 0x2748_774C, 0x34B0_BCB5, 0x391C_0CB3, 0x4ED8_AA4A, 0x5B9C_CA4F, 0x682E_6FF3,
    0x748F_82EE, 0x78A5_636F, 0x84C8_7814, 0x8CC7_0208, 0x90BE_FFFA, 0xA450_6CEB, 0xBEF9_A3F7,
    0xC671_78F2,
  ]
}
