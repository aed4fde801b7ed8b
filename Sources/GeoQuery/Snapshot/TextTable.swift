import Foundation
import GeoIndex

/// Texts by number, in two sections of a snapshot.
///
/// One section has the texts in UTF-8, one after another; the other has the offset where each ends, in 64
/// bits. If the highest bit of an end is set, the text is missing, which differs from an empty one.
///
/// Texts are not copied: they are valid while the snapshot is. Damage never leads out of the
/// section.
struct TextTable: Sendable {
  var count: Int { ends.count }

  private let texts: MappedSection
  private let ends: NumberColumn<UInt64>

  static let absent: UInt64 = 1 << 63

  /// Opens the texts of two sections; nil if the sections do not have the lengths for `count` texts.
  init?(_ names: (texts: String, ends: String), of file: SectionFile, count: Int? = nil) {
    guard let texts = file.section(names.texts),
      let ends = NumberColumn<UInt64>(names.ends, of: file, count: count)
    else { return nil }
    self.texts = texts
    self.ends = ends
  }

  /// The text with a number in 0..<count; empty if there is none.
  subscript(number: Int) -> UnsafeRawBufferPointer {
    bytes(from: start(number), to: end(number) & ~Self.absent)
  }

  /// The texts with some numbers, one after another; there is at least one number.
  subscript(numbers: Range<Int>) -> UnsafeRawBufferPointer {
    bytes(from: start(numbers.lowerBound), to: end(numbers.upperBound - 1) & ~Self.absent)
  }

  /// Whether there is a text with that number.
  func has(_ number: Int) -> Bool { end(number) & Self.absent == 0 }

  func string(_ number: Int) -> String { String(decoding: self[number], as: UTF8.self) }

  /// The number of the first text that does not come before some bytes; the texts must be sorted.
  func lowerBound(of bytes: some Collection<UInt8>) -> Int {
    (0..<count).partitionPoint { !self[$0].lexicographicallyPrecedes(bytes) }
  }

  /// Whether each text comes before the next.
  var isAscending: Bool {
    whileMapped {
      (0..<max(0, count - 1)).allSatisfy { self[$0].lexicographicallyPrecedes(self[$0 + 1]) }
    }
  }

  /// Calls a closure while the texts are mapped.
  func whileMapped<Result>(_ body: () throws -> Result) rethrows -> Result {
    // both sections are mapped together
    try ends.whileMapped(body)
  }

  /// Where the text with a number begins.
  func start(_ number: Int) -> UInt64 { number == 0 ? 0 : end(number &- 1) & ~Self.absent }

  private func bytes(from start: UInt64, to end: UInt64) -> UnsafeRawBufferPointer {
    guard start <= end, end <= UInt64(texts.bytes.count) else {
      return UnsafeRawBufferPointer(start: nil, count: 0)
    }
    return UnsafeRawBufferPointer(rebasing: texts.bytes[Int(start)..<Int(end)])
  }

  /// Where the text with a number ends, with the bit of a missing text.
  func end(_ number: Int) -> UInt64 { ends[number] }

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

extension RandomAccessCollection where Index == Int {
  /// The first index whose element passes a test, which all later elements must pass too.
  func partitionPoint(_ holds: (Element) -> Bool) -> Int {
    var (low, high) = (startIndex, endIndex)
    while low < high {
      let middle = (low + high) / 2
      if holds(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}

/// Numbers texts 0, 1, … in the order in which they first appear; equal bytes get the same number.
///
/// A hash table of 32-bit numbers over one array of bytes: the texts and about 20 bytes each.
/// The hash has a key of its own, so that no input can choose texts that collide.
struct TextInterner {
  private var bytes: [UInt8] = []
  private var ends = [0]
  private var slots = [UInt32](repeating: 0, count: 1 << 8)
  private let key = SipHash.Key(low: .random(in: .min ... .max), high: .random(in: .min ... .max))

  var count: Int { ends.count - 1 }

  /// The bytes of the text with a number.
  subscript(number: Int) -> ArraySlice<UInt8> { bytes[ends[number]..<ends[number + 1]] }

  /// The number of a text, which is added if it is new.
  mutating func number(of text: UnsafeRawBufferPointer) -> (number: Int, isNew: Bool) {
    let slot = slot(of: text)
    if slots[slot] != 0 { return (Int(slots[slot]) - 1, false) }
    bytes.append(raw: text)
    ends.append(bytes.count)
    slots[slot] = UInt32(count)
    if count * 2 > slots.count { grow() }
    return (count - 1, true)
  }

  /// The numbers, sorted by the bytes of their texts.
  func sorted() -> [Int] {
    bytes.withUnsafeBytes { all in
      let text = { UnsafeRawBufferPointer(rebasing: all[ends[$0]..<ends[$0 + 1]]) }
      return (0..<count).sorted { compare(text($0), text($1)) < 0 }
    }
  }

  /// Whether the text with a number has these bytes.
  func isEqual(_ number: Int, _ text: UnsafeRawBufferPointer) -> Bool {
    guard ends[number + 1] - ends[number] == text.count else { return false }
    return bytes.withUnsafeBytes { all in
      compare(UnsafeRawBufferPointer(rebasing: all[ends[number]..<ends[number + 1]]), text) == 0
    }
  }

  /// The slot of a text, or the empty one where it belongs.
  private func slot(of text: UnsafeRawBufferPointer) -> Int {
    let mask = slots.count - 1
    var slot = Int(truncatingIfNeeded: SipHash.short(text, key: key)) & mask
    while slots[slot] != 0, !isEqual(Int(slots[slot]) - 1, text) { slot = (slot + 1) & mask }
    return slot
  }

  private mutating func grow() {
    slots = [UInt32](repeating: 0, count: slots.count * 2)
    for number in 0..<count {
      slots[self[number].withUnsafeBytes { slot(of: $0) }] = UInt32(number + 1)
    }
  }
}

/// Compares two texts by their bytes: below 0 if the first comes first, 0 if they are the same.
package func compare(_ one: UnsafeRawBufferPointer, _ other: UnsafeRawBufferPointer) -> Int {
  let length = min(one.count, other.count)
  if length > 0, let left = one.baseAddress, let right = other.baseAddress {
    let difference = memcmp(left, right, length)
    if difference != 0 { return Int(difference) }
  }
  return one.count - other.count
}
