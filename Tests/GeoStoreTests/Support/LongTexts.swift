/// Texts of which code that is not linear in their bytes takes minutes.
enum LongTexts {
  /// 100 000 combining marks of alternating classes: normalization sorts them.
  static let marks = String(repeating: "\u{301}\u{323}", count: 50_000)

  /// The same marks in another order: canonically equivalent to them, and not the same bytes.
  static let swapped = String(repeating: "\u{323}\u{301}", count: 50_000)

  /// One of each kind, so long that a record has room for a dozen.
  static let all = [
    "e" + String(repeating: "\u{301}\u{323}", count: 10_000),
    String(repeating: "\u{323}\u{301}", count: 10_000),
    String(repeating: "\u{FDFA}", count: 10_000), String(repeating: "🇩", count: 10_000),
    String(repeating: "👩\u{200D}", count: 6_000), String(repeating: "क\u{94D}", count: 7_000),
    String(repeating: "\u{1100}", count: 14_000),
    "x" + String(repeating: " \u{301}\u{3000}", count: 7_000),
    String(repeating: ", ;>[]'\"\\", count: 2_000),
  ]
}
