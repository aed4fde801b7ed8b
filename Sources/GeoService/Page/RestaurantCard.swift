import GeoQuery

/// A restaurant in a list.
enum RestaurantCard {
  /// A list of cards.
  static func list(_ matches: [Match], _ context: PageContext) -> HTML {
    let cards = matches.map { card($0, context) }
    return "<ul class=\"cards\" id=\"cards\">\(cards)</ul>"
  }

  private static func card(_ match: Match, _ context: PageContext) -> HTML {
    let restaurant = match.restaurant
    let drawing = CategoryDrawing(of: restaurant.category)
    let address = context.address(context.view.leading(to: .restaurant(restaurant.id)))
    var category: HTML = ""
    if let text = restaurant.category { category = "<p>\(HTML.text(text))</p>" }
    let lines = addressLines(of: restaurant).map { line -> HTML in "<span>\(HTML.text(line))</span>"
    }
    return """
      <li class="card"><a class="cover \(drawing.rawValue)" href="\(address)">\(drawing.html)\
      <h2>\(HTML.text(restaurant.name))</h2>\(category)</a>\
      <div class="facts"><div><p>\(facts(match, context))</p><p class="address">\(lines)</p></div>\
      \(Heart.html(of: restaurant, context))</div></li>

      """
  }

  /// Distance, rating, price and what else matters, in one line.
  static func facts(_ match: Match, _ context: PageContext) -> HTML {
    let restaurant = match.restaurant
    var parts: [HTML] = []
    if let distance = match.distance ?? context.distance(to: restaurant) {
      parts.append("<strong>\(context.units.text(of: distance))</strong>")
    }
    if let rating = rating(of: restaurant) { parts.append(rating) }
    if let price = price(of: restaurant) { parts.append(price) }
    if match.favorite?.isGone == true { parts.append("<em>left its feed</em>") }
    if restaurant.closed { parts.append("<em>closed for good</em>") }
    var html: HTML = ""
    for (index, part) in parts.enumerated() { html += index == 0 ? part : " · \(part)" }
    return html
  }

  /// The rating for people: `4.5 ★ (212)`.
  static func rating(of restaurant: Restaurant) -> HTML? {
    guard let rating = restaurant.rating else { return nil }
    let scale = restaurant.ratingScale.map { $0 == 5 ? "" : "/\(decimal($0))" } ?? ""
    let count = restaurant.reviewCount.map { " (\($0))" } ?? ""
    return "<span class=\"rating\">\(decimal(rating))\(scale) ★\(count)</span>"
  }

  /// The price level as so many `$`.
  static func price(of restaurant: Restaurant) -> HTML? {
    guard let level = restaurant.priceLevel, (1...9).contains(level) else { return nil }
    let sign = String(repeating: "$", count: level)
    return
      "<span class=\"price\" role=\"img\" aria-label=\"price level \(level) of 4\">\(sign)</span>"
  }

  /// The first two lines of the address; made of its parts if the feed has no lines.
  static func addressLines(of restaurant: Restaurant) -> [String] {
    let address = restaurant.address
    if !address.formatted.isEmpty { return Array(address.formatted.prefix(2)) }
    let region = [address.state, address.postalCode].compactMap(\.self).joined(separator: " ")
    let city = [address.city, region.isEmpty ? nil : region].compactMap(\.self)
    return [address.street, city.isEmpty ? nil : city.joined(separator: ", ")].compactMap(\.self)
  }
}
