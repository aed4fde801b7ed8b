import Foundation

/// A text in lower case without accents, for comparing: `Café` and `CAFE` both give `cafe`.
///
/// Decomposes (Unicode NFKD), drops combining marks and makes letters lowercase; a short table has the
/// letters that Unicode does not decompose (ø, ß, …). Independent of the user's locale.
///
/// - Complexity: O(n). A text of nothing but U+FDFA becomes eleven times as long; no other grows more.
package func folded(_ text: String) -> String {
  if text.utf8.allSatisfy({ $0 < 0x80 }) { return text.lowercased() }
  var bytes: [UInt8] = []
  bytes.reserveCapacity(text.utf8.count)
  let scalars = text.unicodeScalars
  var start = scalars.startIndex
  while start < scalars.endIndex {
    let end = endOfPiece(of: scalars, from: start)
    let piece = String(scalars[start..<end]).decomposedStringWithCompatibilityMapping
    for scalar in piece.unicodeScalars { appendFolded(scalar, to: &bytes) }
    start = end
  }
  return String(decoding: bytes, as: UTF8.self)
}

/// A text in the lower case of its upper case, which differs from Unicode's full case folding for a few
/// letters only; the dotless i stays.
func withoutCase(_ text: String) -> String {
  if text.utf8.allSatisfy({ $0 < 0x80 }) { return text.lowercased() }
  var lower = String.UnicodeScalarView()
  for scalar in text.unicodeScalars {
    // the capital ẞ is its own upper case, and its lower case is not that of SS
    let upper = scalar == "ı" ? "ı" : scalar == "ẞ" ? "SS" : scalar.properties.uppercaseMapping
    for letter in upper.unicodeScalars {
      let mapping = letter == "Σ" ? "σ" : letter.properties.lowercaseMapping
      lower.append(contentsOf: (upper == "ı" ? upper : mapping).unicodeScalars)
    }
  }
  return String(lower)
}

/// A text without nonspacing marks; letters that Unicode does not decompose stay.
func withoutAccents(_ text: String) -> String {
  if text.utf8.allSatisfy({ $0 < 0x80 }) { return text }
  var plain = String.UnicodeScalarView()
  for scalar in text.unicodeScalars {
    let parts = String(scalar).decomposedStringWithCanonicalMapping.unicodeScalars
    let letters = parts.filter { $0.properties.generalCategory != .nonspacingMark }
    // what is decomposed without marks, such as Hangul, stays as it is
    plain.append(contentsOf: letters.count == parts.count ? [scalar] : Array(letters))
  }
  return String(plain)
}

/// Appends a text in UTF-8, in lower case without accents.
func appendFolded(_ text: UnsafeRawBufferPointer, to bytes: inout [UInt8]) {
  let start = bytes.count
  // nearly all texts are ASCII
  var isASCII = true
  for byte in text {
    isASCII = isASCII && byte < 0x80
    bytes.append(byte &- 0x41 < 26 ? byte | 0x20 : byte)
  }
  if isASCII { return }
  bytes.removeSubrange(start...)
  bytes.append(contentsOf: folded(String(decoding: text, as: UTF8.self)).utf8)
}

/// The end of a piece that is decomposed separately, because Foundation takes quadratic time for
/// growing characters and for runs of marks.
///
/// A piece ends before a letter with its marks, not among them; only a run of marks longer than a
/// piece is divided, and its few marks that are not dropped then keep their order.
private func endOfPiece(
  of scalars: String.UnicodeScalarView,
  from start: String.Index
) -> String.Index {
  var (end, lastLetter) = (start, start)
  for _ in 0..<64 {
    guard end < scalars.endIndex else { return end }
    if !isMark(scalars[end]) { lastLetter = end }
    end = scalars.index(after: end)
  }
  let isAmongMarks = end < scalars.endIndex && isMark(scalars[end])
  return isAmongMarks && lastLetter > start ? lastLetter : end
}

private func isMark(_ scalar: Unicode.Scalar) -> Bool {
  if scalar.value < 0x300 { return false }
  switch scalar.properties.generalCategory {
  case .nonspacingMark, .enclosingMark, .spacingMark: return true
  default: return false
  }
}

private func appendFolded(_ scalar: Unicode.Scalar, to bytes: inout [UInt8]) {
  if scalar.isASCII {
    let byte = UInt8(truncatingIfNeeded: scalar.value)
    return bytes.append(("A"..."Z").contains(scalar) ? byte | 0x20 : byte)
  }
  switch scalar.properties.generalCategory {
  case .nonspacingMark, .enclosingMark: break
  // other characters have no case
  case .uppercaseLetter, .titlecaseLetter, .lowercaseLetter, .letterNumber, .otherSymbol:
    for lower in scalar.properties.lowercaseMapping.unicodeScalars {
      if let letters = undecomposed[lower] {
        bytes.append(contentsOf: letters.utf8)
      } else {
        append(lower, to: &bytes)
      }
    }
  default: append(scalar, to: &bytes)
  }
}

private func append(_ scalar: Unicode.Scalar, to bytes: inout [UInt8]) {
  bytes.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
}

/// Latin letters with a stroke, a hook or a ligature: they have no decomposition in Unicode.
private let undecomposed: [Unicode.Scalar: String] = [
  "ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "đ": "d", "ð": "d", "þ": "th", "ł": "l", "ı": "i",
  "ħ": "h", "ŧ": "t", "ς": "σ",
]
