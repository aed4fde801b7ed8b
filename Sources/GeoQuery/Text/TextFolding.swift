import Foundation

/// A text in lower case without accents, for comparing: `Café` and `CAFE` both give `cafe`.
///
/// Compatibility decomposition (Unicode NFKD), combining marks dropped, lower case; letters that
/// Unicode does not decompose (ø, ß, …) by a short table. Independent of the user's locale.
package func folded(_ text: String) -> String {
  if text.utf8.allSatisfy({ $0 < 0x80 }) { return text.lowercased() }
  var result = String.UnicodeScalarView()
  for scalar in text.decomposedStringWithCompatibilityMapping.unicodeScalars {
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark: continue
    default:
      for lower in scalar.properties.lowercaseMapping.unicodeScalars {
        result.append(contentsOf: (undecomposed[lower] ?? String(lower)).unicodeScalars)
      }
    }
  }
  return String(result)
}

/// Latin letters with a stroke, a hook or a ligature: they have no decomposition in Unicode.
private let undecomposed: [Unicode.Scalar: String] = [
  "ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "đ": "d", "ð": "d", "þ": "th", "ł": "l", "ı": "i",
  "ħ": "h", "ŧ": "t", "ς": "σ",
]

/// The words of a text for matching: runs of letters and digits, folded, apostrophes dropped.
///
/// `Gloria's In-N-Out` gives `glorias`, `in`, `n`, `out`.
package func foldedWords(_ text: String) -> [Substring] {
  // folding would turn this apostrophe into a space with an accent
  let text = text.unicodeScalars.contains("\u{B4}") ? text.replacing("\u{B4}", with: "") : text
  var kept = String.UnicodeScalarView()
  for scalar in folded(text).unicodeScalars where !isApostrophe(scalar) {
    let isWordPart = scalar.properties.isAlphabetic || scalar.properties.numericType != nil
    kept.append(isWordPart ? scalar : " ")
  }
  return String(kept).split(separator: " ")
}

private func isApostrophe(_ scalar: Unicode.Scalar) -> Bool {
  switch scalar {
  case "'", "\u{2019}", "\u{2018}", "\u{02BC}", "\u{FF07}", "`": true
  default: false
  }
}
