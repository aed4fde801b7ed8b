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
    let address = context.address(context.view.leading(to: .restaurant(restaurant.id)))
    var category: HTML = ""
    if let text = restaurant.category { category = "<p>\(HTML.text(text))</p>" }
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
      \(isGone ? "" : ShortList.toggle(restaurant, context))</div>\
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
    var html: HTML = ""
    for (index, part) in parts.enumerated() { html += index == 0 ? part : " · \(part)" }
    return html
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
