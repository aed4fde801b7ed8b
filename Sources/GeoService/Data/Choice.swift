/// Which restaurants count in a request: the filters that every data route takes.
struct Choice: Sendable {
  /// Any of these categories, without regard to case and accents; empty takes all.
  var categories: [String] = []

  /// In this city, without regard to case and accents; nil takes all.
  var city: String?

  /// Every word begins a word of name, category, address or city; nil takes all.
  var text: String?

  /// The choice as bytes, which two that are the same have in common.
  var bytes: [UInt8] {
    // no text has these bytes
    categories.flatMap { Array($0.utf8) + [0xFF] } + [0xFE] + Array((city ?? "").utf8)
      + [city == nil ? 0xFD : 0xFC] + Array((text ?? "").utf8) + [text == nil ? 0xFD : 0xFC]
  }

  /// Whether everything counts.
  var takesAll: Bool { categories.isEmpty && city == nil && text == nil }
}

/// An order of restaurants.
struct SortKey: Hashable, Sendable {
  /// What can be sorted by.
  enum Field: String, CaseIterable, Sendable {
    case name
    case rating
    case priceLevel
  }

  /// What is sorted by.
  let field: Field

  /// Whether the greatest comes first; ties are by id either way.
  let isDescending: Bool
}

/// What restaurants are sorted by: numbers by value, texts by the UTF-8 bytes of their folded form.
enum SortValue: Hashable, Sendable {
  case number(Double)
  case text([UInt8])
}

extension SortValue: Comparable {
  static func < (left: SortValue, right: SortValue) -> Bool {
    switch (left, right) {
    case (.number(let left), .number(let right)): left < right
    case (.text(let left), .text(let right)): left.lexicographicallyPrecedes(right)
    case (.number, .text): true
    case (.text, .number): false
    }
  }
}
