/// The candidate a mistyped word was most likely meant to be.
///
/// Case is ignored. A candidate is close if at most a third of the word's letters (at least one, at
/// most three) are wrong, missing, superfluous or swapped, or if it starts with the word, which
/// counts as one error. Of equally close candidates the first wins. Very long words are close to
/// nothing.
///
///     closest(to: "nearst", among: ["nearest", "radius"])  // "nearest"
///
/// - Returns: `nil` if no candidate is close, or the word is empty.
func closest(to word: String, among candidates: [String]) -> String? {
  let maximumBytes = 200
  guard !word.isEmpty, word.utf8.count <= maximumBytes else { return nil }
  let typed = Array(word.lowercased())
  let limit = min(3, max(1, typed.count / 3))
  var best: (candidate: String, errors: Int)?
  for candidate in candidates where candidate.utf8.count <= maximumBytes {
    let meant = Array(candidate.lowercased())
    let errors =
      meant.starts(with: typed) ? min(1, meant.count - typed.count) : distance(typed, meant)
    guard errors <= limit, errors < best?.errors ?? .max else { continue }
    best = (candidate, errors)
  }
  return best?.candidate
}

/// The number of errors between two words: Damerau–Levenshtein distance, optimal string alignment.
///
/// - Complexity: O(*n* · *m*) for words of *n* and *m* letters.
private func distance(_ word: [Character], _ other: [Character]) -> Int {
  var beforeLast: [Int] = []
  var last = Array(0...other.count)
  for i in word.indices {
    var row = [i + 1]
    for j in other.indices {
      let replaced = last[j] + (word[i] == other[j] ? 0 : 1)
      var errors = min(replaced, last[j + 1] + 1, row[j] + 1)
      if i > 0, j > 0, word[i] == other[j - 1], word[i - 1] == other[j] {
        errors = min(errors, beforeLast[j - 1] + 1)  // two neighbors swapped
      }
      row.append(errors)
    }
    beforeLast = last
    last = row
  }
  return last[other.count]
}
