/// Finds the first byte that is not valid UTF-8 (RFC 3629), or nil.
///
/// - Complexity: O(n).
package func firstInvalidUTF8(in bytes: [UInt8], from start: Int = 0) -> Int? {
  bytes.withUnsafeBytes { firstInvalidUTF8(in: $0, from: start) }
}

/// The same for bytes anywhere in memory.
package func firstInvalidUTF8(in all: UnsafeRawBufferPointer, from start: Int = 0) -> Int? {
  var position = start
  while position < all.count {
    position = endOfASCII(all, position)
    guard position < all.count else { break }
    guard let (length, second) = continuation(of: all[position]),
      position + length <= all.count,
      second.contains(all[position + 1]),
      (2..<max(length, 2)).allSatisfy({ all[position + $0] & 0xC0 == 0x80 })
    else { return position }
    position += length
  }
  return nil
}

/// Whether bytes are the start of one character that could still become valid.
package func isCutCharacter(_ bytes: ArraySlice<UInt8>) -> Bool {
  guard let lead = bytes.first, let (length, second) = continuation(of: lead) else { return false }
  guard bytes.count < length else { return false }
  let followers = bytes.dropFirst()
  return (followers.first.map(second.contains) ?? true)
    && followers.dropFirst().allSatisfy { $0 & 0xC0 == 0x80 }
}

/// The first byte at or after a position that is not ASCII; 32 at a time.
private func endOfASCII(_ bytes: UnsafeRawBufferPointer, _ start: Int) -> Int {
  var position = start
  while position + 32 <= bytes.count {
    let words = (0..<4).reduce(0 as UInt64) {
      $0 | bytes.loadUnaligned(fromByteOffset: position + $1 * 8, as: UInt64.self)
    }
    if words & 0x8080_8080_8080_8080 != 0 { break }
    position += 32
  }
  while position < bytes.count, bytes[position] < 0x80 { position += 1 }
  return position
}

/// The length of a sequence and the bytes allowed second, from its lead byte (Unicode, table 3-7).
private func continuation(of lead: UInt8) -> (length: Int, second: ClosedRange<UInt8>)? {
  switch lead {
  case 0xC2...0xDF: (2, 0x80...0xBF)
  case 0xE0: (3, 0xA0...0xBF)
  case 0xE1...0xEC, 0xEE, 0xEF: (3, 0x80...0xBF)
  case 0xED: (3, 0x80...0x9F)
  case 0xF0: (4, 0x90...0xBF)
  case 0xF1...0xF3: (4, 0x80...0xBF)
  case 0xF4: (4, 0x80...0x8F)
  default: nil
  }
}
