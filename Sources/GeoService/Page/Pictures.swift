import GeoQuery

/// The pictures of a restaurant on pages.
///
/// They cover the drawing of its category, which shows until a picture is loaded and stays if none
/// is.
enum Pictures {
  /// The first picture on a card; empty if there is none.
  static func cover(of restaurant: Restaurant, _ context: PageContext) -> HTML {
    guard let address = context.imageAddresses(of: restaurant).first else { return "" }
    // the name is next to the picture, unless a category is there too
    let label = restaurant.category == nil ? "" : restaurant.name
    return """
      <img class="picture" src="\(address)" alt="\(label)" loading="lazy" decoding="async">
      """
  }

  /// The head of a restaurant's page: its pictures side by side with rating and price over them, or
  /// the drawing if there are none.
  static func head(of restaurant: Restaurant, _ context: PageContext) -> HTML {
    let drawing = CategoryDrawing(of: restaurant.category)
    var category: HTML = ""
    if let text = restaurant.category { category = "<p>\(HTML.text(text))</p>" }
    let title: HTML = "<h1>\(HTML.text(restaurant.name))</h1>\(category)"
    let addresses = context.imageAddresses(of: restaurant)
    guard !addresses.isEmpty else {
      return """
        <header class="cover \(drawing.rawValue)">\(drawing.html)\(title)</header>
        """
    }
    var pictures: [HTML] = []
    for (index, address) in addresses.enumerated() {
      let label =
        addresses.count == 1
        ? restaurant.name : "\(restaurant.name), picture \(index + 1) of \(addresses.count)"
      let loading: HTML = index == 0 ? "" : " loading=\"lazy\""
      pictures.append(
        """
        <li class="cover \(drawing.rawValue)">\(drawing.html)\
        <img class="picture" src="\(address)" alt="\(label)"\(loading) decoding="async"></li>
        """
      )
    }
    return """
      <header class="pictured"><div class="strip"><ul tabindex="0" aria-label="Pictures">\(pictures)</ul>\
      \(badge(of: restaurant))</div><div class="title">\(title)</div></header>
      """
  }

  private static func badge(of restaurant: Restaurant) -> HTML {
    let parts = [RestaurantCard.rating(of: restaurant), RestaurantCard.price(of: restaurant)]
      .compactMap(\.self)
    guard let first = parts.first else { return "" }
    return
      "<p class=\"badge\">\(first)\(parts.dropFirst().map { part -> HTML in " · \(part)" })</p>"
  }
}

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
