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
    let art = CategoryArt(of: restaurant)
    let address = context.link(to: .restaurantPage, id: restaurant.id)
    let category = restaurant.category.map { text -> HTML in "<p>\(HTML.text(text))</p>" }
    let lines = addressLines(of: restaurant).map { line -> HTML in "<span>\(HTML.text(line))</span>"
    }
    let about = restaurant.description.map { text -> HTML in
      // the stylesheet cuts it after two lines
      let start = String(String.UnicodeScalarView(text.unicodeScalars.prefix(200)))
      return "<p class=\"about\">\(HTML.text(start))</p>"
    }
    // a restaurant that has left its feed has no page
    let isGone = match.favorite?.isGone == true
    let open: HTML =
      isGone
      ? "<div class=\"cover \(art.name)\">"
      : "<a class=\"cover \(art.name)\" href=\"\(address)\">"
    let close: HTML = isGone ? "</div>" : "</a>"
    return """
      <li class="card" data-id="\(PercentCoding.encoded(restaurant.id))"><div class="band">\(open)\(art.html)\
      \(isGone ? "" : Pictures.cover(of: restaurant, context))\
      <h2>\(HTML.text(restaurant.name))</h2>\(category)\(close)\(Heart.html(of: match, context))</div>\
      <div class="facts"><p class="line">\(facts(match, context, measures: note == nil))</p>\(about)\
      <p class="address">\(lines)</p>\(note)\
      \(isGone ? "" : ShortListPage.toggle(restaurant, context))</div></li>

      """
  }

  /// Distance, rating, price and other facts, in groups that do not break at the end of a line.
  ///
  /// If `measures` is false, the distance is shown elsewhere; if `rates` is false, so are rating and price.
  static func facts(
    _ match: Match,
    _ context: PageContext,
    measures: Bool = true,
    rates: Bool = true
  ) -> HTML {
    let restaurant = match.restaurant
    let distance = measures ? match.distance ?? context.distance(to: restaurant) : nil
    let states: [HTML?] = [
      match.favorite?.isGone == true ? "<em>left its feed</em>" : nil,
      restaurant.closed ? "<em>closed for good</em>" : nil,
    ]
    let far = distance.map { meters -> HTML in "<strong>\(context.units.text(of: meters))</strong>"
    }
    let groups: [[HTML?]] = [
      [far, distance.flatMap(walk)],
      rates ? [rating(of: restaurant), price(of: restaurant)] : [], states,
    ]
    let spans = groups.map { $0.compactMap(\.self) }.filter { !$0.isEmpty }.map { group -> HTML in
      "<span>\(HTML.line(group))</span> "
    }
    return "\(spans)"
  }

  /// The minutes to walk a distance in meters; nil beyond an hour.
  ///
  /// Estimated: streets are 1.3 times as long as the straight line, and people walk 4.8 km/h.
  static func walk(of meters: Double) -> HTML? {
    let minutes = meters * 1.3 / 80
    guard minutes <= 60 else { return nil }
    return """
      <span title="Estimated: 1.3 times the straight line, at 4.8 km/h (3 mph)">\
      \(max(1, Int(minutes.rounded()))) min walk</span>
      """
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

/// The pictures of a restaurant or an offer on pages.
///
/// They cover the drawing of its category, which shows until a picture is loaded and stays if none
/// is.
enum Pictures {
  /// The first picture on a card; empty if there is none.
  static func cover(of restaurant: Restaurant, _ context: PageContext) -> HTML {
    // the name is next to the picture, unless a category is there too
    let label = restaurant.category == nil ? "" : restaurant.name
    return cover(context.imageAddresses(of: restaurant), label)
  }

  static func cover(_ addresses: [String], _ label: String) -> HTML {
    guard let address = addresses.first else { return "" }
    return """
      <img class="picture" src="\(address)" alt="\(label)" loading="lazy" decoding="async">
      """
  }

  /// The head of a restaurant's page: its pictures side by side with rating and price over them, or
  /// the drawing if there are none; its heart is right of the name.
  static func head(of restaurant: Restaurant, _ context: PageContext) -> HTML {
    let art = CategoryArt(of: restaurant)
    return head(
      restaurant.name,
      restaurant.category,
      art,
      context.imageAddresses(of: restaurant),
      heart: Heart.html(of: Match(restaurant: restaurant), context),
      badge: badge(of: restaurant)
    )
  }

  /// Such a head of any record, with a line below its name.
  static func head(
    _ name: String,
    _ line: String?,
    _ art: CategoryArt,
    _ addresses: [String],
    heart: HTML = "",
    badge: HTML = ""
  ) -> HTML {
    let line = line.map { text -> HTML in "<p>\(HTML.text(text))</p>" }
    let title: HTML = "<h1>\(HTML.text(name))</h1>\(line)"
    guard !addresses.isEmpty else {
      return """
        <header class="band"><div class="cover \(art.name)">\(art.html)\(title)</div>\(heart)</header>
        """
    }
    let pictures = addresses.enumerated().map { index, address -> HTML in
      let label =
        addresses.count == 1
        ? name : "\(name), picture \(index + 1) of \(addresses.count)"
      let loading: HTML = index == 0 ? "" : " loading=\"lazy\""
      return """
        <li class="cover \(art.name)">\(art.html)\
        <img class="picture" src="\(address)" alt="\(label)"\(loading) decoding="async"></li>
        """
    }
    return """
      <header class="pictured"><div class="strip"><ul tabindex="0" aria-label="Pictures">\(pictures)</ul>\
      \(badge)</div><div class="band title">\(title)\(heart)</div></header>
      """
  }

  private static func badge(of restaurant: Restaurant) -> HTML {
    let parts = [RestaurantCard.rating(of: restaurant), RestaurantCard.price(of: restaurant)]
      .compactMap(\.self)
    return parts.isEmpty ? "" : "<p class=\"badge\">\(HTML.line(parts))</p>"
  }
}

/// What stands for a category, or else a chain, if there is no picture: its drawing, or its initial on
/// one of eight colors.
struct CategoryArt: Sendable {
  /// The class that gives the color and the drawing.
  let name: String

  let html: HTML

  init(of restaurant: Restaurant) {
    // stores of a chain have no category
    self.init(of: restaurant.category ?? restaurant.chain)
  }

  init(of offer: Offer) {
    self.init(of: offer.categories.first ?? offer.name)
  }

  private init(of category: String?) {
    let drawing = CategoryDrawing(of: category)
    let initial = category?.unicodeScalars.prefix(40).first { $0.properties.isAlphabetic }
    guard drawing == .plate, let initial else {
      name = drawing.rawValue
      html = drawing.html
      return
    }
    let letters = category?.utf8.prefix(80).reduce(7) { $0 &* 31 &+ Int($1.lowercased) } ?? 0
    name = "hue\(letters & 7)"
    // without bdi, which SVG does not have and would not draw
    html = """
      <svg class="drawing initial" viewBox="0 0 48 48" preserveAspectRatio="xMaxYMin" aria-hidden="true">\
      <text x="46" y="38" text-anchor="end">\(initial.properties.uppercaseMapping)</text></svg>
      """
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

  /// The drawing as HTML; the stylesheet has its lines.
  var html: HTML { "<span class=\"drawing \(rawValue)\"></span>" }
}
