import GeoQuery

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
    let errors = editDistance(typed, meant)
    guard errors <= limit, errors < best?.errors ?? .max else { continue }
    best = (candidate, errors)
  }
  return best?.candidate
}
