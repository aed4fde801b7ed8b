/// Finds the first byte that is not valid UTF-8 (RFC 3629), or nil.
///
/// - Complexity: O(n).
func firstInvalidUTF8(in bytes: [UInt8]) -> Int? {
  var position = 0
  while position < bytes.count {
    let lead = bytes[position]
    if lead < 0x80 {
      position += 1
      continue
    }
    guard let (length, second) = continuation(of: lead),
      position + length <= bytes.count,
      second.contains(bytes[position + 1]),
      bytes[(position + 2)..<max(position + length, position + 2)].allSatisfy({ $0 & 0xC0 == 0x80 })
    else { return position }
    position += length
  }
  return nil
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
