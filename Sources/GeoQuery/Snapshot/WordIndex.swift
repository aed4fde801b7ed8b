import GeoIndex

/// The posting lists of the text filter: the words of name, category, address and city (`FoldedWords`),
/// sorted by their bytes, each with the positions that have it.
///
/// Sections: `words2` and `wordends` (a `TextTable`), `posts` and `postends` (where the positions
/// of each word end, 64 bits). Positions ascend; each is the difference from the previous one (the
/// first from -1), in LEB128.
struct WordIndex: Sendable {
  fileprivate let words: TextTable
  fileprivate let posts: TextTable
  private let count: Int

  /// Opens a snapshot's index; nil if its sections do not fit together.
  init?(of file: SectionFile, count: Int) {
    guard let words = TextTable(("words2", "wordends"), of: file),
      let posts = TextTable(("posts", "postends"), of: file, count: words.count)
    else { return nil }
    self.words = words
    self.posts = posts
    self.count = count
  }

  /// The positions that have a word with this prefix.
  ///
  /// - Complexity: O(log words + positions found).
  func positions(withPrefix prefix: ArraySlice<UInt8>) -> BitSet {
    var found = BitSet(capacity: count)
    words.whileMapped {
      posts.whileMapped {
        var word = words.lowerBound(of: prefix)
        while word < words.count, words[word].starts(with: prefix) {
          Self.visit(posts[word], below: count) { found.insert($0) }
          word += 1
        }
      }
    }
    return found
  }

  /// The word that a mistyped one was most likely meant to be; nil if more than a third of the letters
  /// are wrong.
  ///
  /// Of the words that begin with the same letter, at most 50,000, it is the one with the fewest errors;
  /// of equally close ones, the first.
  ///
  /// - Complexity: O(words with that letter).
  fileprivate func closest(to typed: ArraySlice<UInt8>) -> String? {
    guard let first = typed.first, typed.count < 40 else { return nil }
    let limit = min(3, max(1, typed.count / 3))
    var best: (word: String, errors: Int)?
    words.whileMapped {
      var number = words.lowerBound(of: [first])
      let end = min(words.count, number + 50_000)
      while number < end, words[number].first == first {
        defer { number += 1 }
        let word = words[number]
        guard abs(word.count - typed.count) <= limit else { continue }
        let errors = editDistance(Array(typed), Array(word))
        guard errors <= limit, errors < best?.errors ?? .max else { continue }
        best = (String(decoding: word, as: UTF8.self), errors)
      }
    }
    return best?.word
  }

  /// Visits the positions of a word; in a damaged file they may be wrong, but never out of range.
  fileprivate static func visit(
    _ bytes: UnsafeRawBufferPointer,
    below count: Int,
    _ body: (Int) -> Void
  ) {
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

  func fault() -> String? {
    words.fault("words") ?? posts.fault("posts")
      ?? (words.isAscending ? nil : "the words are not in their order")
  }
}

extension Snapshot {
  /// The words of a search with those that begin no word replaced by similar ones; nil if nothing is to
  /// be replaced, or nothing is similar.
  package func corrected(_ text: String) -> String? {
    var isCorrected = false
    let result = FoldedWords(text).words.prefix(8).map { word -> String? in
      if !words.positions(withPrefix: word).isEmpty { return String(decoding: word, as: UTF8.self) }
      isCorrected = true
      return words.closest(to: word)
    }
    let found = result.compactMap(\.self)
    return isCorrected && found.count == result.count ? found.joined(separator: " ") : nil
  }
}

/// Makes a `WordIndex`, one position after another.
struct WordIndexBuilder {
  private var words = TextInterner()
  private var posts: [[UInt8]] = []
  private var last: [Int32] = []

  /// Adds the words of the next position; repeated ones count once.
  mutating func append(_ found: FoldedWords, at position: Int32) {
    found.bytes.withUnsafeBytes { all in
      var start = 0
      for end in 0...all.count where end == all.count || all[end] == 0x20 {
        defer { start = end + 1 }
        guard start < end else { continue }
        let number = number(of: UnsafeRawBufferPointer(rebasing: all[start..<end]))
        if last[number] != position { append(position, to: number) }
      }
    }
  }

  private mutating func append(_ position: Int32, to number: Int) {
    posts[number].append(leb128: UInt64(position - last[number]))
    last[number] = position
  }

  private mutating func number(of word: UnsafeRawBufferPointer) -> Int {
    let (number, isNew) = words.number(of: word)
    if isNew {
      posts.append([])
      last.append(-1)
    }
    return number
  }

  /// Adds the words of another index, after the last `append`; `places` has the new position of
  /// each old one, ascending, and a negative number for those that were removed.
  mutating func merge(_ index: WordIndex, at places: [Int32]) {
    var kept: [Int32] = []
    for word in 0..<index.words.count {
      kept.removeAll(keepingCapacity: true)
      WordIndex.visit(index.posts[word], below: places.count) { position in
        if places[position] >= 0 { kept.append(places[position]) }
      }
      if kept.isEmpty { continue }
      let number = number(of: index.words[word])
      posts[number].withUnsafeBytes { posts in
        WordIndex.visit(posts, below: .max) { kept.append(Int32(truncatingIfNeeded: $0)) }
      }
      (posts[number], last[number]) = ([], -1)
      // two ascending runs, which take linear time
      for position in kept.sorted() { append(position, to: number) }
    }
  }

  func write(to file: inout SectionFileWriter) throws(SnapshotError) {
    let order = words.sorted()
    try file.write(order.lazy.map { words[$0] }, as: ("words2", "wordends"))
    try file.write(order.lazy.map { posts[$0] }, as: ("posts", "postends"))
  }
}
