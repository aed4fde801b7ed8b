/// The words of texts for matching: runs of letters and digits, folded, apostrophes dropped.
///
/// `Gloria's In-N-Out` gives `glorias`, `in`, `n`, `out`. Words are compared as UTF-8 bytes.
package struct FoldedWords {
  /// The words, a space before each run of text and at most some between two words.
  package private(set) var bytes: [UInt8] = []

  /// The fields that the text filter searches.
  package static let fields: [RestaurantField] = [.name, .category, .address, .city]

  package init() {}

  package init(_ text: String) {
    add(text)
  }

  /// The words one by one, in their order.
  package var words: [ArraySlice<UInt8>] { bytes.split(separator: Self.space) }

  mutating func removeAll() {
    bytes.removeAll(keepingCapacity: true)
  }

  package mutating func add(_ text: String) {
    var text = text
    text.withUTF8 { append(UnsafeRawBufferPointer($0), apostrophe: nil) }
  }

  /// Adds the words of a text that is searched, and what else people look for in them.
  ///
  /// These are the part after `l'`, `d'`, `dell'` and `nell'` (`L'Étoile` also gives `etoile`); and in
  /// scripts without spaces between words (Han, kana, Hangul, Thai) what begins at each further letter, at
  /// most 32 letters of it, so that `寿司` is found in `回転寿司`.
  package mutating func addSearched(_ text: String) {
    var text = text
    text.withUTF8 { addSearched(utf8: UnsafeRawBufferPointer($0)) }
  }

  /// Adds the words of a text that is searched and valid UTF-8.
  mutating func addSearched(utf8 text: UnsafeRawBufferPointer) {
    let start = bytes.count
    append(text, apostrophe: Self.apostrophe)
    // most texts are ASCII without an apostrophe, and a feed has millions of them
    guard bytes[start...].contains(where: { $0 == Self.apostrophe || $0 >= 0xE0 }) else { return }
    let words = Array(bytes[start...])
    bytes.removeSubrange(start...)
    for word in words.split(separator: Self.space) {
      add(word.filter { $0 != Self.apostrophe })
      if let mark = word.firstIndex(of: Self.apostrophe),
        Self.elided.contains(String(decoding: word[..<mark], as: UTF8.self))
      {
        add(word[mark...].filter { $0 != Self.apostrophe })
      }
      if word.contains(where: { $0 >= 0xE0 }) { addInner(of: word) }
    }
  }

  /// Adds what begins at each letter, but the first, of a script without spaces.
  private mutating func addInner(of word: ArraySlice<UInt8>) {
    let letters = String(decoding: word.filter { $0 != Self.apostrophe }, as: UTF8.self)
      .unicodeScalars
    for start in letters.indices.dropFirst() where Self.isUnspaced(letters[start]) {
      let end = letters.index(start, offsetBy: 32, limitedBy: letters.endIndex) ?? letters.endIndex
      add(Array(String(letters[start..<end]).utf8))
    }
  }

  private mutating func add(_ word: [UInt8]) {
    bytes.append(Self.space)
    bytes += word
  }

  /// Appends the words of a text, with this byte for each apostrophe if there is one.
  private mutating func append(_ text: UnsafeRawBufferPointer, apostrophe: UInt8?) {
    bytes.append(Self.space)
    guard text.allSatisfy({ $0 < 0x80 }) else {
      return appendFolded(String(decoding: text, as: UTF8.self), apostrophe: apostrophe)
    }
    for byte in text {
      let folded = Self.foldedASCII[Int(byte)]
      if folded != 0 { bytes.append(folded) } else if let apostrophe { bytes.append(apostrophe) }
    }
  }

  private mutating func appendFolded(_ text: String, apostrophe: UInt8?) {
    // folding would turn this apostrophe into a space with an accent
    let plain = String(
      String.UnicodeScalarView(text.unicodeScalars.map { $0 == "\u{B4}" ? "'" : $0 })
    )
    for scalar in folded(plain).unicodeScalars {
      if Self.isApostrophe(scalar) {
        if let apostrophe { bytes.append(apostrophe) }
        continue
      }
      let isWordPart = scalar.properties.isAlphabetic || scalar.properties.numericType != nil
      if isWordPart {
        bytes.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
      } else {
        bytes.append(Self.space)
      }
    }
  }

  private static let apostrophe = UInt8(ascii: "'")

  /// What stands before an apostrophe that begins a word.
  private static let elided: Set = ["l", "d", "dell", "nell"]

  /// Whether a folded letter is of a script that is written without spaces between words.
  ///
  /// Hangul is decomposed by folding: only the first part of a syllable begins a word.
  private static func isUnspaced(_ letter: Unicode.Scalar) -> Bool {
    switch letter.value {
    case 0x3005...0x3007, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xF900...0xFAFF, 0x20000...0x323AF,
      0x3041...0x30FF, 0x31F0...0x31FF, 0x1100...0x115F, 0x0E01...0x0E5B:
      true
    default: false
    }
  }

  private static let space = UInt8(ascii: " ")

  /// The folded form of each ASCII character: 0 if it is dropped.
  private static let foldedASCII: [UInt8] = (0..<0x80).map { code in
    let scalar = Unicode.Scalar(UInt8(code))
    if isApostrophe(scalar) { return 0 }
    switch scalar {
    case "a"..."z", "0"..."9": return UInt8(code)
    case "A"..."Z": return UInt8(code) | 0x20
    default: return space
    }
  }

  private static func isApostrophe(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case "'", "\u{2019}", "\u{2018}", "\u{02BC}", "\u{FF07}", "`": true
    default: false
    }
  }
}
