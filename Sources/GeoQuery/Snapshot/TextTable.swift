import GeoIndex

/// Texts by number, in two sections of a snapshot.
///
/// The texts lie one behind the other in UTF-8, and where each ends stands in 64 bits. The highest bit
/// of an end says that there is no text, not even an empty one.
///
/// Texts are read where they lie, and are valid as long as the snapshot is in use. In a damaged file
/// a text may be wrong, and never lies outside its section.
struct TextTable: Sendable {
  /// How many texts there are.
  let count: Int

  private let texts: MappedSection
  private let ends: MappedSection

  static let absent: UInt64 = 1 << 63

  /// Texts in two sections; nil if these are not what `count` texts ask for.
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
    let start = number == 0 ? 0 : end(number &- 1) & ~Self.absent
    let end = end(number) & ~Self.absent
    guard start <= end, end <= UInt64(texts.bytes.count) else {
      return UnsafeRawBufferPointer(start: nil, count: 0)
    }
    return UnsafeRawBufferPointer(rebasing: texts.bytes[Int(start)..<Int(end)])
  }

  /// Whether there is a text with that number.
  @inline(__always)
  func has(_ number: Int) -> Bool { end(number) & Self.absent == 0 }

  /// The text as a string.
  func string(_ number: Int) -> String { String(decoding: self[number], as: UTF8.self) }

  /// The first number whose text does not come before some bytes; the texts ascend.
  func lowerBound(of bytes: some Collection<UInt8>) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if self[middle].lexicographicallyPrecedes(bytes) { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Runs a body while the texts are mapped.
  func whileMapped<Result>(_ body: () throws -> Result) rethrows -> Result {
    try withExtendedLifetime(texts) { try withExtendedLifetime(ends, body) }
  }

  @inline(__always)
  private func end(_ number: Int) -> UInt64 {
    UInt64(littleEndian: ends.bytes.loadUnaligned(fromByteOffset: number &* 8, as: UInt64.self))
  }

  /// What is wrong with the ends; nil if they ascend to the end of the texts.
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
