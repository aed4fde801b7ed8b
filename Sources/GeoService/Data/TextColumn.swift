import GeoQuery

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The folded words of each restaurant, searched by the beginnings of words.
///
/// A record is a blank before each word and a line feed at its end, neither of which is part of a
/// word: the text ` glo` begins a word where it occurs.
struct TextColumn: Sendable {
  private let records: ByteColumn

  init(_ records: ByteColumn) {
    self.records = records
  }

  /// How many bytes the records have.
  var byteCount: Int { records.all.count }

  /// The record of a restaurant.
  static func record(of restaurant: Restaurant) -> [UInt8] {
    let texts = [
      restaurant.name, restaurant.category, restaurant.address.street, restaurant.address.city,
    ]
    var words = FoldedWords()
    for text in texts { if let text { words.add(text) } }
    return words.bytes + [0x0A]
  }

  /// Visits the positions where every word of a text begins some word, in ascending order.
  ///
  /// A text without a letter or a digit matches nothing, as in `Filter`; a blank one everything.
  ///
  /// - Throws: `DeadlineExceeded`.
  func visitMatches(of text: String, until deadline: Deadline, _ body: (Int) -> Void) throws {
    // the longest word is the rarest, as a rule; a word that is given twice asks nothing more, and
    // with each word once a record is done after as many as it can have
    let words = Set(FoldedWords(text).words).sorted { $0.count > $1.count }.map { [0x20] + $0 }
    guard let first = words.first else {
      guard text.allSatisfy(\.isWhitespace) else { return }
      for position in 0..<records.count { body(position) }
      return
    }
    var offset = 0
    var visited = 0
    while let hit = find(first, in: records.all[offset...]) {
      let position = records.position(at: hit)
      let range = records.range(at: position)
      if words.dropFirst().allSatisfy({ find($0, in: records.all[range]) != nil }) {
        body(position)
      }
      offset = range.upperBound
      visited += 1
      if visited % 1_024 == 0 { try deadline.check() }
    }
  }

  /// The offset in the whole column where some bytes first occur in a part of it.
  private func find(_ bytes: [UInt8], in part: Slice<UnsafeRawBufferPointer>) -> Int? {
    guard let start = part.base.baseAddress, part.count >= bytes.count else { return nil }
    // letters are rarer than the blank before them: look for the first letter
    let last = part.endIndex - bytes.count
    var offset = part.startIndex
    while offset <= last {
      let letters = start + offset + 1
      guard let hit = memchr(letters, Int32(bytes[1]), last - offset + 1) else { return nil }
      offset = UnsafeRawPointer(hit) - start - 1
      if memcmp(start + offset, bytes, bytes.count) == 0 { return offset }
      offset += 1
    }
    return nil
  }
}
