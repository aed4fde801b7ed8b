import GeoIndex

/// Which restaurants have which words, for the text filter: the words of name, category, address and
/// city (`FoldedWords`), ascending by their bytes, each with the positions that have it.
///
/// Sections: `words` and `wordends` (a `TextTable`), `posts` and `postends` (where the positions of
/// each word end, 64 bits). Positions ascend; each is written as its difference from the one before,
/// the first from -1, in groups of seven bits, the lowest first, with the eighth bit on all but the last
/// (LEB128).
struct WordIndex: Sendable {
  private let words: TextTable
  private let posts: TextTable
  private let count: Int

  /// A snapshot's index; nil if its sections do not fit together.
  init?(of file: SectionFile, count: Int) {
    guard let words = TextTable(file.section("words"), file.section("wordends")),
      let posts = TextTable(file.section("posts"), file.section("postends"), count: words.count)
    else { return nil }
    self.words = words
    self.posts = posts
    self.count = count
  }

  /// The positions that have a word beginning with some bytes.
  ///
  /// - Complexity: O(log words + positions found).
  func positions(withPrefix prefix: ArraySlice<UInt8>) -> PositionSet {
    var found = PositionSet(capacity: count)
    words.whileMapped {
      posts.whileMapped {
        var word = words.lowerBound(of: prefix)
        while word < words.count, words[word].starts(with: prefix) {
          visit(posts[word]) { found.insert($0) }
          word += 1
        }
      }
    }
    return found
  }

  /// Visits the positions of a word; in a damaged file some of them, all in range.
  @inline(__always)
  private func visit(_ bytes: UnsafeRawBufferPointer, _ body: (Int) -> Void) {
    var position = -1
    var (step, shift) = (0, 0)
    for byte in bytes {
      step |= Int(byte & 0x7F) &<< shift
      guard byte & 0x80 == 0 else {
        shift &+= 7
        if shift > 35 { return }
        continue
      }
      position &+= step
      guard step > 0, position < count else { return }
      body(position)
      (step, shift) = (0, 0)
    }
  }

  /// What is wrong with the index; nil if all is well.
  func fault() -> String? {
    if let fault = words.fault("words") ?? posts.fault("posts") { return fault }
    return words.whileMapped {
      for number in 0..<max(0, words.count - 1)
      where !words[number].lexicographicallyPrecedes(words[number + 1]) {
        return "the words are not in their order"
      }
      return nil
    }
  }
}

/// Makes a `WordIndex`, one position after another.
struct WordIndexBuilder {
  private var words = TextInterner()
  private var posts: [[UInt8]] = []
  private var last: [Int32] = []

  /// Adds the words of the next position; repeated ones count once.
  mutating func append(_ found: FoldedWords, at position: Int) {
    found.bytes.withUnsafeBytes { all in
      var start = 0
      while start < all.count {
        guard all[start] != 0x20 else {
          start += 1
          continue
        }
        var end = start
        while end < all.count, all[end] != 0x20 { end += 1 }
        add(UnsafeRawBufferPointer(rebasing: all[start..<end]), position)
        start = end
      }
    }
  }

  private mutating func add(_ word: UnsafeRawBufferPointer, _ position: Int) {
    let (number, isNew) = words.number(of: word)
    if isNew {
      posts.append([])
      last.append(-1)
    }
    var step =
      UInt32(bitPattern: Int32(truncatingIfNeeded: position)) &- UInt32(bitPattern: last[number])
    guard step > 0 else { return }
    last[number] = Int32(truncatingIfNeeded: position)
    while step >= 0x80 {
      posts[number].append(UInt8(truncatingIfNeeded: step) | 0x80)
      step >>= 7
    }
    posts[number].append(UInt8(truncatingIfNeeded: step))
  }

  /// Writes the sections.
  func write(to file: inout SectionFileWriter) throws(SnapshotError) {
    var wordSections = TextSections(named: ("words", "wordends"))
    var postSections = TextSections(named: ("posts", "postends"))
    for number in words.sorted() {
      wordSections.append(words[number])
      postSections.append(posts[number])
    }
    try wordSections.write(to: &file)
    try postSections.write(to: &file)
  }
}
