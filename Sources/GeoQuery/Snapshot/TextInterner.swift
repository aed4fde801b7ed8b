#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Numbers texts 0, 1, … in the order in which they first appear; equal bytes get the same number.
///
/// A hash table of 32-bit numbers over one array of bytes: the texts and about 20 bytes each.
/// The hash has a key of its own, so that no input can choose texts that collide.
struct TextInterner {
  private(set) var bytes: [UInt8] = []
  private(set) var ends: [Int] = []
  private var slots = [UInt32](repeating: 0, count: 1 << 8)
  private let key = SipHash.Key(low: .random(in: .min ... .max), high: .random(in: .min ... .max))

  /// The number of texts.
  var count: Int { ends.count }

  /// The bytes of the text with a number.
  subscript(number: Int) -> ArraySlice<UInt8> {
    bytes[(number == 0 ? 0 : ends[number - 1])..<ends[number]]
  }

  /// The number of a text, which is added if it is new.
  mutating func number(of text: UnsafeRawBufferPointer) -> (number: Int, isNew: Bool) {
    let mask = slots.count - 1
    var slot = Int(truncatingIfNeeded: SipHash.short(text, key: key)) & mask
    while slots[slot] != 0 {
      let found = Int(slots[slot]) - 1
      if isEqual(found, text) { return (found, false) }
      slot = (slot + 1) & mask
    }
    bytes.append(raw: text)
    ends.append(bytes.count)
    slots[slot] = UInt32(ends.count)
    if ends.count * 2 > slots.count { grow() }
    return (ends.count - 1, true)
  }

  /// The numbers, sorted by the bytes of their texts.
  func sorted() -> [Int] {
    bytes.withUnsafeBytes { all in
      let text = { (number: Int) in
        UnsafeRawBufferPointer(rebasing: all[(number == 0 ? 0 : ends[number - 1])..<ends[number]])
      }
      return ends.indices.sorted { compare(text($0), text($1)) < 0 }
    }
  }

  /// Whether the text with a number has these bytes.
  func isEqual(_ number: Int, _ text: UnsafeRawBufferPointer) -> Bool {
    let start = number == 0 ? 0 : ends[number - 1]
    guard ends[number] - start == text.count else { return false }
    guard let other = text.baseAddress else { return true }
    return bytes.withUnsafeBytes { all in
      all.baseAddress.map { memcmp($0 + start, other, text.count) == 0 } ?? false
    }
  }

  private mutating func grow() {
    let mask = slots.count * 2 - 1
    var larger = [UInt32](repeating: 0, count: mask + 1)
    bytes.withUnsafeBytes { all in
      for number in ends.indices {
        let start = number == 0 ? 0 : ends[number - 1]
        let text = UnsafeRawBufferPointer(rebasing: all[start..<ends[number]])
        var slot = Int(truncatingIfNeeded: SipHash.short(text, key: key)) & mask
        while larger[slot] != 0 { slot = (slot + 1) & mask }
        larger[slot] = UInt32(number + 1)
      }
    }
    slots = larger
  }
}

/// Compares two texts by their bytes: below 0 if the first comes first, 0 if they are the same.
func compare(_ one: UnsafeRawBufferPointer, _ other: UnsafeRawBufferPointer) -> Int {
  let length = min(one.count, other.count)
  if length > 0, let left = one.baseAddress, let right = other.baseAddress {
    let difference = memcmp(left, right, length)
    if difference != 0 { return Int(difference) }
  }
  return one.count - other.count
}
