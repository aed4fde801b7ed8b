import GeoQuery

/// A restaurant in a list.
enum RestaurantCard {
  /// A list of cards.
  ///
  /// `notes` is empty, or has a remark for each card, shown instead of its distance.
  static func list(_ matches: [Match], notes: [HTML] = [], _ context: PageContext) -> HTML {
    let cards = matches.indices.map { index in
      card(matches[index], notes.isEmpty ? nil : notes[index], context)
    }
    return "<ul class=\"cards\" id=\"cards\">\(cards)</ul>"
  }

  private static func card(_ match: Match, _ note: HTML?, _ context: PageContext) -> HTML {
    let restaurant = match.restaurant
    let drawing = CategoryDrawing(of: restaurant.category)
    let address = context.link(to: .restaurantPage, id: restaurant.id)
    let category = restaurant.category.map { text -> HTML in "<p>\(HTML.text(text))</p>" }
    let lines = addressLines(of: restaurant).map { line -> HTML in "<span>\(HTML.text(line))</span>"
    }
    // a restaurant that has left its feed has no page
    let isGone = match.favorite?.isGone == true
    let open: HTML =
      isGone
      ? "<div class=\"cover \(drawing.rawValue)\">"
      : "<a class=\"cover \(drawing.rawValue)\" href=\"\(address)\">"
    let close: HTML = isGone ? "</div>" : "</a>"
    return """
      <li class="card" data-id="\(PercentCoding.encoded(restaurant.id))">\(open)\(drawing.html)\
      \(isGone ? "" : Pictures.cover(of: restaurant, context))\
      <h2>\(HTML.text(restaurant.name))</h2>\(category)\(close)\
      <div class="facts"><div><p>\(facts(match, context, measures: note == nil))</p><p class="address">\(lines)</p>\(note)\
      \(isGone ? "" : ShortListPage.toggle(restaurant, context))</div>\
      \(Heart.html(of: match, context))</div></li>

      """
  }

  /// Distance, rating, price and other facts, in one line.
  ///
  /// If `measures` is false, the distance is shown elsewhere; if `rates` is false, so are rating and price.
  static func facts(
    _ match: Match,
    _ context: PageContext,
    measures: Bool = true,
    rates: Bool = true
  ) -> HTML {
    let restaurant = match.restaurant
    var parts: [HTML] = []
    if measures, let distance = match.distance ?? context.distance(to: restaurant) {
      parts.append("<strong>\(context.units.text(of: distance))</strong>")
    }
    if rates, let rating = rating(of: restaurant) { parts.append(rating) }
    if rates, let price = price(of: restaurant) { parts.append(price) }
    if match.favorite?.isGone == true { parts.append("<em>left its feed</em>") }
    if restaurant.closed { parts.append("<em>closed for good</em>") }
    return HTML.line(parts)
  }

  /// The rating as people write it: `4.5 ★ (212)`.
  static func rating(of restaurant: Restaurant) -> HTML? {
    guard let rating = restaurant.rating else { return nil }
    let scale = restaurant.ratingScale.map { $0 == 5 ? "" : "/\(decimal($0))" } ?? ""
    let count = restaurant.reviewCount.map { " (\($0))" } ?? ""
    return "<span class=\"rating\">\(decimal(rating))\(scale) ★\(count)</span>"
  }

  /// The price level in `$` signs.
  static func price(of restaurant: Restaurant) -> HTML? {
    guard let level = restaurant.priceLevel, (1...9).contains(level) else { return nil }
    let sign = String(repeating: "$", count: level)
    return
      "<span class=\"price\" role=\"img\" aria-label=\"price level \(level) of 4\">\(sign)</span>"
  }

  /// The first two lines of the address; made from its parts if the feed has no lines.
  static func addressLines(of restaurant: Restaurant) -> [String] {
    let address = restaurant.address
    if !address.formatted.isEmpty { return Array(address.formatted.prefix(2)) }
    let region = [address.state, address.postalCode].compactMap(\.self).joined(separator: " ")
    let city = [address.city, region.isEmpty ? nil : region].compactMap(\.self)
    return [address.street, city.isEmpty ? nil : city.joined(separator: ", ")].compactMap(\.self)
  }
}

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
    let category = restaurant.category.map { text -> HTML in "<p>\(HTML.text(text))</p>" }
    let title: HTML = "<h1>\(HTML.text(restaurant.name))</h1>\(category)"
    let addresses = context.imageAddresses(of: restaurant)
    guard !addresses.isEmpty else {
      return "<header class=\"cover \(drawing.rawValue)\">\(drawing.html)\(title)</header>"
    }
    let pictures = addresses.enumerated().map { index, address -> HTML in
      let label =
        addresses.count == 1
        ? restaurant.name : "\(restaurant.name), picture \(index + 1) of \(addresses.count)"
      let loading: HTML = index == 0 ? "" : " loading=\"lazy\""
      return """
        <li class="cover \(drawing.rawValue)">\(drawing.html)\
        <img class="picture" src="\(address)" alt="\(label)"\(loading) decoding="async"></li>
        """
    }
    return """
      <header class="pictured"><div class="strip"><ul tabindex="0" aria-label="Pictures">\(pictures)</ul>\
      \(badge(of: restaurant))</div><div class="title">\(title)</div></header>
      """
  }

  private static func badge(of restaurant: Restaurant) -> HTML {
    let parts = [RestaurantCard.rating(of: restaurant), RestaurantCard.price(of: restaurant)]
      .compactMap(\.self)
    return parts.isEmpty ? "" : "<p class=\"badge\">\(HTML.line(parts))</p>"
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
    let entry = entry.utf8.map(\.lowercased)
    func has(_ word: String) -> Bool {
      let length = word.utf8.count
      guard length <= entry.count else { return false }
      return (0...(entry.count - length)).contains { entry[$0...].starts(with: word.utf8) }
    }
    return words.first { $0.words.contains(where: has) }?.drawing
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
