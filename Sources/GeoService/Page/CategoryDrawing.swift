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
  static let sprite: HTML = """
    <svg class="sprite" aria-hidden="true">
    <symbol id="d-bowl" viewBox="0 0 48 48"><path d="M5 23h38a19 19 0 0 1-12 17v3H17v-3A19 19 0 0 1 5 23z\
    M14 19c-3-4 3-6 0-11M24 19c-3-4 3-6 0-11M34 19c-3-4 3-6 0-11"/></symbol>
    <symbol id="d-burger" viewBox="0 0 48 48"><path d="M6 20c0-8 8-12 18-12s18 4 18 12zM5 26c4-3 6 3 10 0s6 3 9 0 \
    6 3 10 0 5 3 9 0M6 32h36v2a6 6 0 0 1-6 6H12a6 6 0 0 1-6-6z"/></symbol>
    <symbol id="d-cup" viewBox="0 0 48 48"><path d="M9 17h26v13a10 10 0 0 1-10 10h-6A10 10 0 0 1 9 30zM35 20h3a5 5 0 0 1 \
    0 11h-3M17 12c-2-3 2-4 0-7M26 12c-2-3 2-4 0-7"/></symbol>
    <symbol id="d-drumstick" viewBox="0 0 48 48"><path d="M20 29c-6-8-1-22 12-22 8 0 11 7 9 14-3 9-14 13-21 8zM20 29l-7 \
    7c1 4-2 7-5 6-1-1-1-2-1-3-1 0-2 0-3-1-1-3 2-6 6-5l6-7"/></symbol>
    <symbol id="d-fish" viewBox="0 0 48 48"><path d="M4 24c7-11 20-13 29-3l10-8c-2 7-2 15 0 22l-10-8c-9 10-22 8-29-3zM13 \
    22v1M21 18c3 4 3 8 0 12"/></symbol>
    <symbol id="d-glass" viewBox="0 0 48 48"><path d="M11 13h22l-2 30H13zM33 19h5a4 4 0 0 1 4 4v8a4 4 0 0 1-4 4h-6M10 \
    13c-2-6 6-9 9-5 3-5 13-3 13 5M19 21l1 15M26 21l-1 15"/></symbol>
    <symbol id="d-ice" viewBox="0 0 48 48"><path d="M12 22a12 12 0 1 1 24 0zM14 26l10 19 10-19M18 26l10 11M30 26l-9 \
    10"/></symbol>
    <symbol id="d-pizza" viewBox="0 0 48 48"><path d="M5 14c12-8 26-8 38 0L24 44zM9 20c10-6 20-6 30 0M20 27a2 2 0 1 0 .1 \
    0M28 25a2 2 0 1 0 .1 0M24 34a2 2 0 1 0 .1 0"/></symbol>
    <symbol id="d-taco" viewBox="0 0 48 48"><path d="M4 36a18 18 0 0 1 36 0zM40 36h4a18 18 0 0 0-23-17M10 21c0-4 5-5 7-2 \
    1-5 8-5 9-1 4-3 8 0 7 3"/></symbol>
    <symbol id="d-plate" viewBox="0 0 48 48"><path d="M24 10a14 14 0 1 0 .1 0M24 17a7 7 0 1 0 .1 0M4 8v8c0 4 4 4 4 0V8M6 \
    19v21M42 40V8c-3 2-4 8-4 16h4"/></symbol>
    <symbol id="d-heart" viewBox="0 0 24 24"><path d="M12 20.5C5 15 2.5 11.600 2.500 8.300 2.500 5.500 4.700 3.500 7.200 \
    3.500c2 0 3.700 1.100 4.800 3 1.100-1.900 2.800-3 4.800-3 2.500 0 4.700 2 4.700 4.800 0 3.300-2.500 6.700-9.500 12.200z"/></symbol>
    </svg>
    """
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
