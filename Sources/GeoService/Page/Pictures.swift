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
