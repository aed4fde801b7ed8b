/// The first byte at or after a position that ends or breaks a JSON string: a quote, a backslash or a
/// control character; eight at a time.
package func endOfPlainText(_ bytes: [UInt8], _ start: Int, _ end: Int) -> Int {
  bytes.withUnsafeBytes { endOfPlainText($0, start, end) }
}

/// The same for bytes anywhere in memory.
package func endOfPlainText(_ bytes: UnsafeRawBufferPointer, _ start: Int, _ end: Int) -> Int {
  var position = start
  while position + 8 <= end {
    let word = bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self)
    let found = stops(in: word)
    if found != 0 { return position + found.trailingZeroBitCount / 8 }
    position += 8
  }
  while position < end {
    let byte = bytes[position]
    if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") || byte < 0x20 { break }
    position += 1
  }
  return position
}

/// The index of the quote that ends a string, from the index after its opening quote; nil if there
/// is none.
package func endOfString(_ bytes: UnsafeRawBufferPointer, _ start: Int) -> Int? {
  var position = start
  while true {
    position = endOfPlainText(bytes, position, bytes.count)
    guard position < bytes.count else { return nil }
    if bytes[position] == UInt8(ascii: "\"") { return position }
    position += bytes[position] == UInt8(ascii: "\\") ? 2 : 1
    if position > bytes.count { return nil }
  }
}

/// The high bit of each byte at which to stop; bits after the first one may be wrong.
///
/// A byte below n, or equal to zero, borrows when n is subtracted from it: its top bit is then set
/// though it was not before. A borrow runs only to later bytes, in the order of a little-endian
/// load.
private func stops(in word: UInt64) -> UInt64 {
  let word = UInt64(littleEndian: word)
  let ones: UInt64 = 0x0101_0101_0101_0101
  let quotes = word ^ (ones &* UInt64(UInt8(ascii: "\"")))
  let backslashes = word ^ (ones &* UInt64(UInt8(ascii: "\\")))
  let controls = (word &- ones &* 0x20) & ~word
  return (controls | ((quotes &- ones) & ~quotes) | ((backslashes &- ones) & ~backslashes))
    & (ones &* 0x80)
}
