import GeoQuery

/// The search of a list: a form that works without JavaScript, and chips.
///
/// The list of restaurants and that of favorites share it.
struct PageSearch: Sendable {
  /// The number of chips for categories.
  private static let chipCount = 14

  let context: PageContext
  let facets: [Facet]
  let orders: [Order]

  /// The link to the map, if there is one.
  var mapButton: HTML = ""

  /// Whether it is hidden because there is nothing to search yet.
  var isHidden = false

  private var view: PageView { context.view }

  /// The form: words, order, place.
  var form: HTML {
    let isByDistance = context.place != nil && view.area == nil
    var options: [HTML] = [
      "<option value=\"\">\(isByDistance ? "Nearest first" : "Any order")</option>"
    ]
    // offered without a place, too: choosing it shows that a place is needed
    if context.place == nil { options.append("<option value=\"distance\">Nearest first</option>") }
    for order in orders {
      let isChosen = order == view.order
      let selected: HTML = isChosen ? " selected" : ""
      options.append("<option value=\"\(order.sortBy)\"\(selected)>\(order.title)</option>")
    }
    var others = view
    others.text = ""
    others.order = nil
    others.at = ""
    let example = context.places.first.map { "\($0.name), or 32.95,-96.82" } ?? "32.95,-96.82"
    let hidden: HTML = isHidden ? " hidden" : ""
    return """
      <form id="search" role="search" action="\(context.links.address(view.path))" method="get"\(hidden)>
      \(mapButton)\
      <label class="words"><span>Search</span><input type="search" name="q" value="\(HTML.fieldValue(view.text))" maxlength="120" \
      placeholder="Name or category" autocomplete="off"></label>
      <label><span>Sort</span><select name="sortby">\(options)</select></label>
      <label class="where"><span>From where</span><input name="at" value="\(HTML.fieldValue(view.at))" list="places" maxlength="120" \
      placeholder="\(example)" autocomplete="off"></label>
      \(PlanShell.placeList(context))
      \(PlanShell.fields(others))<span class="buttons"><button>Show</button> \
      <button type="button" id="locate" hidden>Near me</button></span>
      </form>
      """
  }

  /// The chips of categories, each with its count under the other conditions.
  var chips: HTML {
    let known = facets.compactMap { facet in facet.value.map { (category: $0, count: facet.count) }
    }
    guard known.count > 1 || !view.categories.isEmpty else { return "" }
    let chosen = Set(view.categories.map { UTF8Key($0) })
    let named = Set(known.map { UTF8Key($0.category) })
    let shown =
      view.categories.filter { !named.contains(UTF8Key($0)) }.map { (category: $0, count: 0) }
      + known.filter { chosen.contains(UTF8Key($0.category)) }
      + known.filter { !chosen.contains(UTF8Key($0.category)) }
    var items: [HTML] = []
    for (category, count) in shown.prefix(max(Self.chipCount, chosen.count)) {
      items.append(chip(category, count, isChosen: chosen.contains(UTF8Key(category))))
    }
    return "<ul class=\"chips\" aria-label=\"Categories\">\(items)</ul>"
  }

  private func chip(_ category: String, _ count: Int, isChosen: Bool) -> HTML {
    var next = view.fromBeginning
    if isChosen {
      next.categories.removeAll { $0.isUTF8Equal(to: category) }
    } else {
      next.categories.append(category)
    }
    let current: HTML = isChosen ? " aria-current=\"true\"" : ""
    let mark: HTML = isChosen ? " <span aria-hidden=\"true\">×</span>" : ""
    return """
      <li><a class="chip" href="\(context.address(next))"\(current)>\(HTML.text(category)) \
      <small>\(grouped(count))</small>\(mark)</a></li>
      """
  }
}

extension Order {
  /// The name that people read.
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

  /// The orders that a page offers, whether or not any restaurant has their keys.
  static let offered = [
    Order(by: .name), Order(by: .rating, descending: true), Order(by: .priceLevel),
    Order(by: .priceLevel, descending: true), Order(by: .reviewCount, descending: true),
  ]
}
