import GeoIndex

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Texts by number, in two sections of a snapshot.
///
/// One section has the texts in UTF-8, one after another; the other has the offset where each ends, in 64
/// bits. If the highest bit of an end is set, the text is missing, which differs from an empty one.
///
/// Texts are not copied; they are valid as long as the snapshot is in use. In a damaged file a text may be
/// wrong, but it is never outside its section.
struct TextTable: Sendable {
  /// The number of texts.
  let count: Int

  private let texts: MappedSection
  private let ends: MappedSection

  static let absent: UInt64 = 1 << 63

  /// Opens the texts of two sections; nil if the sections do not have the lengths for `count` texts.
  init?(_ texts: MappedSection?, _ ends: MappedSection?, count: Int? = nil) {
    guard let texts, let ends, ends.bytes.count % 8 == 0,
      count.map({ $0 * 8 == ends.bytes.count }) ?? true
    else { return nil }
    self.texts = texts
    self.ends = ends
    self.count = ends.bytes.count / 8
  }

  /// The text with a number in 0..<count; empty if there is none.
  @inline(__always)
  subscript(number: Int) -> UnsafeRawBufferPointer {
    bytes(from: start(number), to: end(number) & ~Self.absent)
  }

  /// The texts with some numbers, one after another; there is at least one number.
  subscript(numbers: Range<Int>) -> UnsafeRawBufferPointer {
    bytes(from: start(numbers.lowerBound), to: end(numbers.upperBound - 1) & ~Self.absent)
  }

  /// Whether there is a text with that number.
  @inline(__always)
  func has(_ number: Int) -> Bool { end(number) & Self.absent == 0 }

  /// The text as a string.
  func string(_ number: Int) -> String { String(decoding: self[number], as: UTF8.self) }

  /// The number of the first text that does not come before some bytes; the texts must be sorted.
  func lowerBound(of bytes: some Collection<UInt8>) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if self[middle].lexicographicallyPrecedes(bytes) { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Calls a closure while the texts are mapped.
  func whileMapped<Result>(_ body: () throws -> Result) rethrows -> Result {
    try withExtendedLifetime(texts) { try withExtendedLifetime(ends, body) }
  }

  /// Where the text with a number begins.
  @inline(__always)
  func start(_ number: Int) -> UInt64 { number == 0 ? 0 : end(number &- 1) & ~Self.absent }

  @inline(__always)
  private func bytes(from start: UInt64, to end: UInt64) -> UnsafeRawBufferPointer {
    guard start <= end, end <= UInt64(texts.bytes.count) else {
      return UnsafeRawBufferPointer(start: nil, count: 0)
    }
    return UnsafeRawBufferPointer(rebasing: texts.bytes[Int(start)..<Int(end)])
  }

  /// Where the text with a number ends, with the bit of a missing text.
  @inline(__always)
  func end(_ number: Int) -> UInt64 {
    UInt64(littleEndian: ends.bytes.loadUnaligned(fromByteOffset: number &* 8, as: UInt64.self))
  }

  /// The fault of the ends; nil if they ascend to the end of the texts.
  func fault(_ name: String) -> String? {
    whileMapped {
      var last: UInt64 = 0
      for number in 0..<count {
        let next = end(number) & ~Self.absent
        guard next >= last else { return "the texts of \(name) are not in their order" }
        last = next
      }
      return last == UInt64(texts.bytes.count)
        ? nil : "the texts of \(name) do not fill their section"
    }
  }
}

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
