/// The words of texts for matching: runs of letters and digits, folded, apostrophes dropped.
///
/// `Gloria's In-N-Out` gives `glorias`, `in`, `n`, `out`. Words are UTF-8 bytes: one is the start
/// of another if its bytes are, in the index as in comparisons.
package struct FoldedWords {
  /// The words, a space before each run of text and at most some between two words.
  package private(set) var bytes: [UInt8] = []

  /// The fields that the text filter searches.
  package static let fields: [RestaurantField] = [.name, .category, .address, .city]

  /// Makes an empty list.
  package init() {}

  /// The words of a text.
  package init(_ text: String) {
    add(text)
  }

  /// The words one by one, in their order.
  package var words: [ArraySlice<UInt8>] { bytes.split(separator: Self.space) }

  /// Removes the words but keeps the memory.
  mutating func removeAll() {
    bytes.removeAll(keepingCapacity: true)
  }

  /// Adds the words of a text.
  package mutating func add(_ text: String) {
    var text = text
    text.withUTF8 { add(utf8: UnsafeRawBufferPointer($0)) }
  }

  /// Adds the words of a text that is valid UTF-8.
  mutating func add(utf8 text: UnsafeRawBufferPointer) {
    bytes.append(Self.space)
    guard text.allSatisfy({ $0 < 0x80 }) else {
      return addFolded(String(decoding: text, as: UTF8.self))
    }
    // most texts are ASCII, and a feed has millions of them
    for byte in text {
      let folded = Self.foldedASCII[Int(byte)]
      if folded != 0 { bytes.append(folded) }
    }
  }

  private mutating func addFolded(_ text: String) {
    var bare = String.UnicodeScalarView()
    // folding would turn this apostrophe into a space with an accent
    bare.append(contentsOf: text.unicodeScalars.lazy.filter { $0 != "\u{B4}" })
    for scalar in folded(String(bare)).unicodeScalars where !Self.isApostrophe(scalar) {
      let isWordPart = scalar.properties.isAlphabetic || scalar.properties.numericType != nil
      if isWordPart {
        bytes.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
      } else {
        bytes.append(Self.space)
      }
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

/// The categories that a filter wants, folded.
///
/// A restaurant has one of them if its category is equal, or is a list (`Thai, Bars`, `thai;bar`)
/// or a path (`Dining > Thai`) that contains it, because feeds write several categories this way.
package struct CategoryNames: Sendable {
  private let wanted: Set<ByteKey>

  /// - Parameter names: Categories as the caller writes them.
  package init(_ names: some Sequence<String>) {
    wanted = Set(names.map { ByteKey(folded($0)) })
  }

  /// Whether there are no categories, so that all match.
  package var isEmpty: Bool { wanted.isEmpty }

  /// Whether a restaurant's category is among them.
  package func contain(_ category: String) -> Bool {
    contain(folded: folded(category))
  }

  /// Whether a restaurant's category, folded, is among them.
  func contain(folded category: String) -> Bool {
    wanted.contains(ByteKey(category))
      || Self.parts(ofFolded: category).contains { wanted.contains(ByteKey($0)) }
  }

  /// The parts of a category that is a list or a path; none of one that is neither.
  package static func parts(ofFolded category: String) -> [String] {
    let separators = ",;>".utf8
    let parts = category.utf8.split { separators.contains($0) }
    return parts.count < 2 ? [] : parts.map { String(Substring($0)).trimming { $0 == " " } }
  }
}
