import GeoIndex
import GeoQuery
import HTTPTypes

/// The lunch page, which makes the same queries as the endpoints for programs.
extension Endpoint {
  static let lunch = Endpoint(
    "lunch",
    "/app/",
    title: "Lunch",
    alias: "/app",
    for: .people,
    parameters: [.token],
    announcement: Announcement(title: "The lunch page", order: 5),
    get: .work { $0.lunchPage() }
  )

  static let map = page("map", "/app/map") { $0.lunchPage() }

  /// A page that only shows something.
  static func page(
    _ name: String,
    _ path: String,
    _ pathParameters: [PathParameter] = [],
    _ work: @escaping @Sendable (RequestContext) throws -> Work
  ) -> Endpoint {
    Endpoint(name, path, for: .people, path: pathParameters, get: .work(work))
  }
}

extension RequestContext {
  /// The state in the address of a page.
  var view: PageState {
    let pairs = (try? RequestTarget(request.target).pairs()) ?? []
    return PageState(endpoint, id: pathValues.first, pairs)
  }

  /// `GET /app/` and `GET /app/map`.
  fileprivate func lunchPage() -> Work {
    let view = view
    let filter = Filter(categories: view.categories, text: view.text)
    return Work(on: executor(forCountingBy: filter)) { deadline in
      var context = try PageContext(self, view)
      if endpoint == .map, settings.maps.library == nil {
        context.faults.append(
          "This geoq was built without the map; the list has the same restaurants."
        )
      }
      let list = context.list
      var query = Query(
        list.region,
        matching: filter,
        in: context.listOrder,
        limit: LunchPage.pageLength,
        from: view.cursor.isEmpty ? nil : view.cursor,
        until: deadline
      )
      let page: Page
      do {
        page = try generation.engine.page(query)
      } catch is QueryError where query.cursor != nil {
        context.faults.append("The list has changed since; this is its beginning.")
        query.cursor = nil
        page = try generation.engine.page(query)
      }
      var others = query
      others.filter.categories = []
      let lunch = LunchPage(
        context: context,
        page: page,
        facets: try generation.engine.facets(by: .category, of: others),
        choices: generation.pageChoices(),
        list: list,
        isContinued: query.cursor != nil,
        similar: page.total == 0 ? try similar(to: query) : nil
      )
      return Work.Body(bytes: try lunch.bytes(), hits: page.count)
    }
  }
}

extension RequestContext {
  /// The text of a search that was probably meant by one without results; nil if it has none either.
  func similar(to query: Query) throws -> String? {
    guard let text = snapshot.corrected(query.filter.text) else { return nil }
    var query = query
    query.filter.text = text
    return try generation.engine.count(query).total > 0 ? text : nil
  }
}

/// The list of restaurants: search, chips, order, place, cards.
struct LunchPage: Sendable {
  static let pageLength = 24

  let context: PageContext
  let page: Page
  let facets: [Facet]
  let choices: PageChoices

  /// Which restaurants the list has.
  let list: ListScope

  /// Whether the list starts after the first restaurant.
  let isContinued: Bool

  /// What was probably meant by a text that nothing matches.
  let similar: String?

  private var view: PageState { context.view }

  private var search: PageSearch {
    PageSearch(context: context, facets: facets, choices: choices, mapButton: mapButton)
  }

  /// - Throws: `SnapshotError` if the snapshot is damaged.
  func bytes() throws -> [UInt8] {
    let matches = try page.matches
    let list: HTML = """
      \(search.form)
      <div id="results" data-live>
      \(search.chips)
      \(head(count: matches.count))
      \(matches.isEmpty ? empty : RestaurantCard.list(matches, context))
      \(more)
      </div>
      """
    let main: HTML = "<h1 class=\"hidden\">Restaurants</h1>\n\(layout(list))"
    return PageLayout.bytes(title: "Lunch", context, main)
  }

  // MARK: the list

  private func head(count: Int) -> HTML {
    let shown: HTML = isContinued ? "\(count) more of " : "\(count) of "
    var words: HTML =
      "<span class=\"shown\">\(shown)</span><span class=\"total\">\(grouped(page.total))</span>"
    words += scope
    let others = context.places.filter { !$0.name.isUTF8Equal(to: context.place?.label ?? "") }
    for place in others.prefix(4) {
      words += """
         · <a href="\(context.address(here(place.name)))">from \(HTML.text(place.name))</a>
        """
    }
    return "<p class=\"count\" id=\"count\">\(words)</p>"
  }

  /// The list measured from another place.
  func here(_ at: String) -> PageState {
    var next = view.fromBeginning
    next.near = ""
    next.radius = ""
    next.at = at
    return next
  }

  private var empty: HTML {
    if context.snapshot.count == 0 {
      return PageLayout.empty(
        .plate,
        "No restaurants yet",
        "Import a feed with <code>geoq import</code>, and they show up here."
      )
    }
    let meant = similar.map { text -> HTML in
      var corrected = view.fromBeginning
      corrected.text = text
      let words = text.prefix(1).uppercased() + text.dropFirst()
      return " Did you mean <a href=\"\(context.address(corrected))\">\(HTML.text(words))</a>?"
    }
    return PageLayout.empty(
      .plate,
      "Nothing on this plate",
      "No restaurant matches.\(meant ?? "\(advice)")",
      button: (context.link(to: view.endpoint), "Show all")
    )
  }

  /// What of the search can be widened.
  private var advice: String {
    let parts = [
      view.text.isEmpty ? nil : "fewer letters",
      view.categories.isEmpty ? nil : "another category",
      view.radius.isEmpty ? nil : "a larger radius",
      view.area == nil ? nil : "a larger part of the map",
    ].compactMap(\.self)
    return parts.isEmpty ? "" : " Try \(parts.joined(separator: " or "))."
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

/// The map of the list: next to it on wide screens, a page of its own on narrow ones.
extension LunchPage {
  var hasMap: Bool { context.maps.library != nil && context.snapshot.count > 0 }

  /// The list with its map if there is one.
  func layout(_ list: HTML) -> HTML {
    guard hasMap else { return list }
    let shown: HTML = context.view.endpoint == .map ? "lunch on-map" : "lunch"
    let back = context.address(context.view.showing(.lunch))
    return """
      <div class="\(shown)"><div class="list">\(list)</div>
      <div class="aside">\(map)<a class="button" id="to-list" href="\(back)">List</a></div></div>
      """
  }

  /// The link to the map on narrow screens.
  var mapButton: HTML {
    guard hasMap else { return "" }
    return """
      <a class="button" id="to-map" href="\(context.address(context.view.showing(.map)))">Map</a>
      """
  }

  /// The distance of the last restaurant of the page; nil if it has another order.
  private var reach: Double? {
    context.listOrder == nil && context.view.area == nil ? try? page.matches.last?.distance : nil
  }

  private var map: HTML {
    var frame = MapFrame(
      list.mapSource(total: page.total, context.links),
      label: "Map of the restaurants that were found",
      from: context.place
    )
    frame.explores = true
    var details = [(name: "nearest", value: list.nearest(context.links).joined(separator: " "))]
    details.append(("total", "\(page.total)"))
    if let area = context.view.area { details.append(("bbox", area.addressText)) }
    if context.view.area == nil, let radius = Parameter.radius.number(context.view.radius) {
      details.append(("radius", "\(radius)"))
    }
    // how far the shown page reaches, for maps whose restaurants are not all there
    if let last = reach { details.append(("reach", "\(last)")) }
    frame.details = details
    return frame.html(context)
  }

  /// The sentence about the region of the list, with links that widen it.
  var scope: HTML {
    var wider = context.view.fromBeginning
    var words: HTML = ""
    if context.view.area != nil {
      wider.area = nil
      words =
        " · in a part of the map · <a href=\"\(context.address(wider))\">search everywhere</a>"
    }
    guard let place = context.place else { return words }
    if context.view.area == nil, let radius = Parameter.radius.number(context.view.radius) {
      wider.radius = ""
      words = """
         · within \(context.units.text(of: radius)) of \(HTML.text(place.label)) · \
        <a href="\(context.address(wider))">at any distance</a>
        """
    } else {
      words += " · from \(HTML.text(place.label))"
    }
    // the operator's places are there to choose from
    if !context.places.isEmpty { return words }
    return words + " · <a href=\"\(context.address(here("")))\">from anywhere</a>"
  }
}

/// The search of a list: a form that works without JavaScript, and chips.
///
/// The list of restaurants and that of favorites share it.
struct PageSearch: Sendable {
  /// The number of chips for categories that are shown at once.
  private static let chipCount = 11

  let context: PageContext
  let facets: [Facet]
  let choices: PageChoices

  /// The link to the map, if there is one.
  var mapButton: HTML = ""

  /// Whether it is hidden because there is nothing to search yet.
  var isHidden = false

  private var view: PageState { context.view }

  var form: HTML {
    let isByDistance = context.place != nil && view.area == nil
    let nearest = "Nearest first"
    var options = [PageLayout.option("", isByDistance ? nearest : "Any order", isChosen: false)]
    // offered without a place, too: choosing it shows that a place is needed
    if context.place == nil {
      options.append(PageLayout.option("distance", nearest, isChosen: false))
    }
    // an address may have another order
    let other = view.order.flatMap { choices.orders.contains($0) || $0.needsCenter ? nil : [$0] }
    options += (choices.orders + (other ?? [])).map {
      PageLayout.option($0.sortBy, $0.title, isChosen: $0 == view.order)
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
      \(PageLayout.placeList(context))
      \(PageLayout.fields(others))<span class="buttons"><button>Show</button> \
      <button type="button" id="locate" hidden>Near me</button></span>
      </form>
      """
  }

  /// The chips of categories, each with its count under the other conditions.
  var chips: HTML {
    let known = choices.categories(facets)
    guard known.count > 1 || !view.categories.isEmpty else { return "" }
    let chosen = Set(view.categories.map { UTF8Key($0) })
    let named = Set(known.map { UTF8Key($0.name) })
    let shown =
      view.categories.filter { !named.contains(UTF8Key($0)) }.map { (name: $0, count: 0) }
      + known.filter { chosen.contains(UTF8Key($0.name)) }
      + known.filter { !chosen.contains(UTF8Key($0.name)) }
    let items = shown.map { category, count in
      let isChosen = chosen.contains(UTF8Key(category))
      let mark: HTML = isChosen ? " <span aria-hidden=\"true\">×</span>" : ""
      return PageLayout.chip(
        context.address(view.toggling(category: category)),
        current: isChosen ? "true" : nil,
        "\(HTML.text(category)) <small>\(grouped(count))</small>\(mark)"
      )
    }
    return PageLayout.chips(
      items,
      label: "Categories",
      first: max(Self.chipCount, chosen.count)
    )
  }
}

extension Order {
  var title: String {
    let titles = terms.map(\.title)
    let later = titles.dropFirst().map { $0.prefix(1).lowercased() + $0.dropFirst() }
    return ([titles[0]] + later).joined(separator: ", then ")
  }

  /// The orders that a page offers, whether or not any restaurant has their keys.
  static let offered = [
    Order(by: .name), Order(by: .rating, descending: true), Order(by: .priceLevel),
    Order(by: .priceLevel, descending: true), Order(by: .reviewCount, descending: true),
  ]
}

extension Order.Term {
  fileprivate var title: String {
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
}
