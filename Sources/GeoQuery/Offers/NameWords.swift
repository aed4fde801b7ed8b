/// The words of a name, for matching names of different feeds: letters and digits only, without
/// case, accents, apostrophes, and the marks ®, ™ and ©.
///
/// `Wendy's®` is `WENDYS`, `7-Eleven` is `7 Eleven`. A name without letters and digits is only
/// folded.
struct NameWords: Hashable, Sendable {
  private let key: ByteKey

  /// The words, folded, with a space between two.
  var text: String { key.text }

  init(_ name: String) {
    var bare = String.UnicodeScalarView()
    bare.append(contentsOf: name.unicodeScalars.lazy.filter { !["®", "™", "©"].contains($0) })
    let words = FoldedWords(String(bare)).words
    key = ByteKey(
      words.isEmpty
        ? folded(name)
        : String(decoding: Array(words.joined(separator: [UInt8(ascii: " ")])), as: UTF8.self)
    )
  }
}
