import GeoQuery

/// The drawing for a category, shown if there is no picture.
enum CategoryDrawing: String, Sendable, CaseIterable {
  case bowl
  case burger
  case cup
  case drumstick
  case fish
  case glass
  case ice
  case pizza
  case taco
  case plate

  /// Chooses the drawing for a category named in the feed's own words: that of its first entry that has
  /// one.
  init(of category: String?) {
    // a category is short: its first bytes are enough
    let start = category?.utf8.prefix(80) ?? ""[...].utf8
    let entries = categoryEntries(of: String(decoding: start, as: UTF8.self))
    self = entries.lazy.compactMap(Self.drawing).first ?? .plate
  }

  private static func drawing(ofEntry entry: String) -> CategoryDrawing? {
    let entry = entry.utf8.map { (65...90).contains($0) ? $0 | 0x20 : $0 }
    return words.first { $0.words.contains { entry.contains($0.utf8) } }?.drawing
  }

  private static let words: [(drawing: CategoryDrawing, words: [String])] = [
    (.burger, ["burger", "sandwich", "hot dog", "deli", "fast food"]),
    (.drumstick, ["wing", "chicken", "bbq", "barbe", "steak", "southern", "grill"]),
    (.taco, ["taco", "mexic", "burrito", "latin"]),
    (.pizza, ["pizza", "ital", "pasta"]),
    (.fish, ["sushi", "fish", "sea", "japan"]),
    (
      .bowl, ["thai", "ramen", "noodle", "chin", "viet", "asia", "india", "korea", "soup", "vegan"]
    ),
    (.ice, ["ice", "dessert", "sweet", "baker", "cake", "donut"]),
    (.cup, ["coffee", "caf", "tea", "breakfast", "brunch", "diner", "pancake"]),
    (.glass, ["bar", "pub", "beer", "tap", "brew", "wine", "lounge", "cocktail"]),
  ]

  /// The drawing as HTML, for a page that includes `sprite`.
  var html: HTML {
    "<svg class=\"drawing\" viewBox=\"0 0 48 48\" aria-hidden=\"true\"><use href=\"#d-\(rawValue)\"/></svg>"
  }

  /// The definitions of the drawings and of the heart, included once per page.
  static let sprite = HTML(stringLiteral: PageAsset.drawings)
}

extension Sequence<UInt8> {
  /// Whether the bytes contain these bytes in one piece.
  fileprivate func contains(_ part: String.UTF8View) -> Bool {
    let bytes = Array(self)
    let part = Array(part)
    guard bytes.count >= part.count else { return false }
    return (0...(bytes.count - part.count)).contains { bytes[$0...].starts(with: part) }
  }
}
