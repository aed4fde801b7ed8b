import GeoQuery

/// The list of restaurants: search, chips, order, place, cards.
struct LunchPage: Sendable {
  /// Cards on a page.
  static let pageLength = 24

  /// Chips of categories.
  private static let chipCount = 14

  let context: PageContext
  let page: Page
  let facets: [Facet]
  let orders: [Order]

  /// Whether the list does not begin with the first restaurant.
  let isContinued: Bool

  private var view: PageView { context.view }

  /// The document.
  ///
  /// - Throws: `SnapshotError` if the snapshot is damaged.
  func bytes() throws -> [UInt8] {
    let matches = try page.matches
    let main: HTML = """
      <h1 class="hidden">Restaurants</h1>
      \(form)
      <div id="results">
      \(chips)
      \(head(count: matches.count))
      \(matches.isEmpty ? empty : RestaurantCard.list(matches, context))
      \(more)
      </div>
      """
    return PageShell.bytes(title: "Lunch", context, main)
  }

  // MARK: search, order and place

  private var form: HTML {
    var options: [HTML] = [
      "<option value=\"\">\(context.place == nil ? "Unsorted" : "Nearest first")</option>"
    ]
    for order in orders {
      let isChosen = order == view.order
      let selected: HTML = isChosen ? " selected" : ""
      options.append("<option value=\"\(order.sortBy)\"\(selected)>\(order.title)</option>")
    }
    var places: [HTML] = []
    for place in context.places { places.append("<option value=\"\(place.name)\"></option>") }
    var others: [HTML] = []
    for (name, value) in view.pairs where ["category", "near", "units"].contains(name) {
      others.append("<input type=\"hidden\" name=\"\(name)\" value=\"\(value)\">")
    }
    return """
      <form id="search" role="search" action="\(context.address(.lunch))" method="get">
      <label class="words"><span>Search</span><input type="search" name="q" value="\(view.text)" maxlength="120" \
      placeholder="Name, category or street" autocomplete="off"></label>
      <label><span>Sort</span><select name="sortby">\(options)</select></label>
      <label class="where"><span>From where</span><input name="at" value="\(view.at)" list="places" maxlength="120" \
      placeholder="32.95,-96.82" autocomplete="off"></label>
      <datalist id="places">\(places)</datalist>
      \(others)<span class="buttons"><button>Show</button> \
      <button type="button" id="locate" hidden>Near me</button></span>
      </form>
      """
  }

  // MARK: categories

  private var chips: HTML {
    let known = facets.compactMap { facet in facet.value.map { (category: $0, count: facet.count) }
    }
    guard known.count > 1 || !view.categories.isEmpty else { return "" }
    let chosen = Set(view.categories.map { ByteKey($0) })
    let named = Set(known.map { ByteKey($0.category) })
    let shown =
      view.categories.filter { !named.contains(ByteKey($0)) }.map { (category: $0, count: 0) }
      + known.filter { chosen.contains(ByteKey($0.category)) }
      + known.filter { !chosen.contains(ByteKey($0.category)) }
    var items: [HTML] = []
    for (category, count) in shown.prefix(max(Self.chipCount, chosen.count)) {
      items.append(chip(category, count, isChosen: chosen.contains(ByteKey(category))))
    }
    return "<ul class=\"chips\" aria-label=\"Categories\">\(items)</ul>"
  }

  private func chip(_ category: String, _ count: Int, isChosen: Bool) -> HTML {
    var next = view.withoutChange
    next.cursor = ""
    if isChosen {
      next.categories.removeAll { $0.hasBytes(of: category) }
    } else {
      next.categories.append(category)
    }
    let current: HTML = isChosen ? " aria-current=\"true\"" : ""
    let mark: HTML = isChosen ? " <span aria-hidden=\"true\">×</span>" : ""
    return """
      <li><a class="chip" href="\(context.address(next))"\(current)>\(HTML.text(category)) \
      <small>\(count)</small>\(mark)</a></li>
      """
  }

  // MARK: the list

  private func head(count: Int) -> HTML {
    var words: HTML = isContinued ? "\(count) more of \(page.total)" : "\(count) of \(page.total)"
    if let place = context.place {
      words +=
        " · from \(HTML.text(place.label)) · <a href=\"\(context.address(here("")))\">forget the place</a>"
    } else if !context.places.isEmpty {
      words += " · from"
      for place in context.places.prefix(5) {
        words += " <a href=\"\(context.address(here(place.name)))\">\(HTML.text(place.name))</a>"
      }
    }
    return "<p class=\"count\" id=\"count\">\(words)</p>"
  }

  /// The list from another place.
  private func here(_ at: String) -> PageView {
    var next = view.withoutChange
    next.cursor = ""
    next.near = ""
    next.at = at
    return next
  }

  private var empty: HTML {
    if context.snapshot.count == 0 {
      return """
        <div class="empty">\(CategoryDrawing.plate.html)<h2>No restaurants yet</h2>
        <p>Import a feed with <code>geoq import</code>, and they show up here.</p></div>
        """
    }
    let all = view.leading(to: .lunch)
    return """
      <div class="empty">\(CategoryDrawing.plate.html)<h2>Nothing on this plate</h2>
      <p>No restaurant matches. Try fewer letters or another category.</p>
      <p><a class="button" href="\(context.address(all))">Show all</a></p></div>
      """
  }

  private var more: HTML {
    var first = view.withoutChange
    first.cursor = ""
    let start: HTML =
      isContinued
      ? "<a class=\"button\" href=\"\(context.address(first))\">To the beginning</a> " : ""
    guard let next = page.next else { return "<p class=\"more\">\(start)</p>" }
    first.cursor = next
    let link: HTML =
      "<a class=\"button\" id=\"more\" href=\"\(context.address(first))\">Show more</a>"
    return "<p class=\"more\">\(start)\(link)</p>"
  }
}

extension Order {
  /// What people call it.
  var title: String {
    switch key {
    case .distance: "Nearest first"
    case .name: isDescending ? "Name, Z to A" : "Name, A to Z"
    case .rating: isDescending ? "Best rated" : "Worst rated"
    case .priceLevel: isDescending ? "Price, high to low" : "Price, low to high"
    case .reviewCount: isDescending ? "Most reviews" : "Fewest reviews"
    case .category: "Category"
    case .city: "City"
    case .chain: "Chain"
    }
  }

  /// The orders that a page offers, whether or not a restaurant has their keys.
  static let offered = [
    Order(by: .name), Order(by: .rating, descending: true), Order(by: .priceLevel),
    Order(by: .priceLevel, descending: true), Order(by: .reviewCount, descending: true),
  ]
}
