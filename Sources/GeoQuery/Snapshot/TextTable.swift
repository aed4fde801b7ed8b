import GeoIndex

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
