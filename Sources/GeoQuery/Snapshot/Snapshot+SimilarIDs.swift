import GeoIndex

extension Snapshot {
  /// The ids most similar to a mistyped one: at most three, from those near it in order and those
  /// whose restaurants have its words.
  ///
  /// - Complexity: O(log n) and some hundred comparisons.
  package func ids(similarTo id: String) -> [String] {
    let key = Array(id.utf8.prefix(200))
    guard !key.isEmpty else { return [] }
    let place = lowerBound(ofID: id.utf8).position
    let near = max(0, place - 20)..<min(count, place + 20)
    let ranked = Set(Array(near) + positions(withWordsOf: id)).map { position in
      let id = self.id(at: position)
      return (id: id, errors: editDistance(key, Array(id.prefix(200))))
    }
    return
      ranked
      .filter { $0.errors * 2 <= key.count }
      .sorted {
        $0.errors != $1.errors ? $0.errors < $1.errors : $0.id.lexicographicallyPrecedes($1.id)
      }
      .prefix(3).map { String(decoding: $0.id, as: UTF8.self) }
  }

  /// The restaurants with the words of an id, or all but one of them, because ids are made from
  /// names.
  private func positions(withWordsOf id: String) -> [Int] {
    let words = FoldedWords(id).words.filter { $0.count > 1 }.prefix(8)
    guard !words.isEmpty else { return [] }
    let sets = words.map { self.words.positions(withPrefix: $0) }
    let choices =
      [Array(sets.indices)] + sets.indices.map { left in sets.indices.filter { $0 != left } }
    return choices.filter { !$0.isEmpty }.flatMap { choice -> [Int] in
      let both = choice.dropFirst().reduce(sets[choice[0]]) { $0.intersection(sets[$1]) }
      return both.positions(ranks: 0..<min(50, both.count)).map(Int.init)
    }
  }
}

/// The number of letters to change, add or remove (Levenshtein 1966).
///
/// A missing end counts as one error, because people shorten ids this way.
private func editDistance(_ one: [UInt8], _ other: [UInt8]) -> Int {
  if other.starts(with: one) { return min(1, other.count - one.count) }
  var last = Array(0...other.count)
  for (place, letter) in one.enumerated() {
    var row = [place + 1]
    for (index, meant) in other.enumerated() {
      row.append(min(last[index] + (letter == meant ? 0 : 1), last[index + 1] + 1, row[index] + 1))
    }
    last = row
  }
  return last[other.count]
}
