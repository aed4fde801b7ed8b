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
