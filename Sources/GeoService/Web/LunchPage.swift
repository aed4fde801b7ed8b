import GeoIndex
import GeoQuery
import GeoStore

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

  fileprivate func lunchPage() -> Work {
    let (view, filter) = filtered(view)
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
        list: list,
        time: filter.open?.time,
        isContinued: query.cursor != nil,
        similar: page.total == 0 ? try similar(to: query) : nil
      )
      return Work.Body(bytes: try lunch.bytes(), hits: page.count)
    }
  }
}

extension RequestContext {
  /// The filter of a list, and the state without what there is none of.
  private func filtered(_ view: PageState) -> (PageState, Filter) {
    var view = view
    var filter = Filter(
      categories: view.categories,
      text: view.text,
      conditions: view.conditions.compactMap { try? Condition($0) },
      open: view.open.isEmpty ? nil : try? OpenAt(view.open, now: .now)
    )
    if view.within.isEmpty { return (view, filter) }
    do {
      filter.digestedArea = try generation.area(named: view.within).area()
    } catch {
      view.faults.append("There is no saved area \(quoted(view.within)).")
      view.within = ""
    }
    return (view, filter)
  }

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

  /// Which restaurants the list has.
  let list: ListScope

  /// When its restaurants are open, if that is asked for.
  let time: LocalTime?

  /// Whether the list starts after the first restaurant.
  let isContinued: Bool

  /// What was probably meant by a text that nothing matches.
  let similar: String?

  private var view: PageState { context.view }

  private var search: PageSearch {
    PageSearch(
      context: context,
      facets: facets,
      filters: PageFilter.all(context),
      mapButton: mapButton
    )
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
    let others = context.places.filter { !$0.name.isUTF8Equal(to: context.place?.name ?? "") }
    for place in others.prefix(4) {
      words += """
         · <a href="\(context.address(here(place.name)))">from \(HTML.text(place.name))</a>
        """
    }
    return "<p class=\"count\" id=\"count\">\(words)</p>"
  }

  /// The list measured from another place.
  func here(_ at: String) -> PageState {
    view.fromBeginning.with { ($0.near, $0.radius, $0.at) = ("", "", at) }
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
      let corrected = view.fromBeginning.with { $0.text = text }
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
      search.chosen.isEmpty ? nil : "fewer filters",
    ].compactMap(\.self)
    return parts.isEmpty ? "" : " Try \(parts.joined(separator: " or "))."
  }

  private var more: HTML {
    var first = view.with { $0.cursor = "" }
    let start: HTML =
      isContinued
      ? "<a class=\"button\" href=\"\(context.address(first))\">To the beginning</a> " : ""
    guard let next = page.next else { return "<p class=\"more\">\(start)</p>" }
    first.cursor = next
    // a cursor belongs to one time, and `now` is another one on the next page
    if let time { first.open = "\(time)" }
    return "<p class=\"more\">\(start)\(PageLayout.more(context.address(first)))</p>"
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
    var details = [(name: "nearest", value: list.nearest(context.links).joined(separator: " "))]
    details.append(("total", "\(page.total)"))
    if let area = context.view.area { details.append(("bbox", area.addressText)) }
    if context.view.area == nil, let radius = Parameter.radius.number(context.view.radius) {
      details.append(("radius", "\(radius)"))
    }
    // how far the shown page reaches, for maps whose restaurants are not all there
    if let last = reach { details.append(("reach", "\(last)")) }
    return MapFrame(
      source: list.mapSource(total: page.total, context.links),
      label: "Map of the restaurants that were found",
      from: context.place,
      explores: true,
      details: details
    )
    .html(context)
  }

  /// From where distances are measured; chips name the other parts of the search.
  var scope: HTML {
    guard let place = context.place else { return "" }
    let words: HTML = " · from \(HTML.text(place.name))"
    // the operator's places are there to choose from
    if !context.places.isEmpty { return words }
    return words + " · <a href=\"\(context.address(here("")))\">from anywhere</a>"
  }
}

/// A filter of the list with a few choices.
struct PageFilter: Sendable {
  /// The item of the address.
  let name: String

  /// What it is about, and what no choice is called.
  let (label, none): (String, String)

  /// The values in the address with the words for them.
  let choices: [(value: String, title: String)]

  /// The chosen value; empty for none.
  let chosen: String

  /// One that was chosen in an address is added to the values.
  private init(
    _ name: String,
    _ label: String,
    none: String,
    _ values: [String],
    _ chosen: String,
    title: (String) -> String
  ) {
    (self.name, self.label, self.none, self.chosen) = (name, label, none, chosen)
    let isOther = !chosen.isEmpty && !values.contains { $0.isUTF8Equal(to: chosen) }
    choices = (isOther ? values + [chosen] : values).map { ($0, title($0)) }
  }

  /// The filters that have an effect on the restaurants of a page, and those that are chosen.
  static func all(_ context: PageContext) -> [PageFilter] {
    let (view, offered) = (context.view, context.offered)
    let has = { (key: Order.Key) in offered.orders.contains { $0.terms[0].key == key } }
    let lengths =
      context.units == .miles
      ? ["0.2mi", "0.5mi", "1mi", "2mi", "5mi"] : ["500m", "1km", "2km", "5km", "10km"]
    let times = [
      "now", "9:00", "11:30", "12:00", "12:30", "13:00", "15:00", "18:00", "20:00", "22:00",
    ]
    let filters = [
      context.place == nil || view.area != nil
        ? nil
        : PageFilter("radius", "Distance", none: "Any distance", lengths, view.radius) {
          "Within \(context.units.text(of: Parameter.radius.number($0) ?? 0))"
        },
      !has(.priceLevel) && view.priceLevel.isEmpty
        ? nil
        : PageFilter("priceLevel", "Price", none: "Any price", ["1", "2", "3"], view.priceLevel) {
          let level = DecimalText.integer($0) ?? 1
          return String(repeating: "$", count: level) + (level == 1 ? "" : " or less")
        },
      !has(.rating) && view.rating.isEmpty
        ? nil
        : PageFilter("rating", "Rating", none: "Any rating", ["3", "4", "4.5"], view.rating) {
          "★ \($0) or better"
        },
      !offered.hasHours && view.open.isEmpty
        ? nil
        : PageFilter("open", "Opening hours", none: "Open any time", times, view.open) {
          $0.isUTF8Equal(to: "now") ? "Open now" : "Open at \($0)"
        },
      context.areas.isEmpty
        ? nil : PageFilter("within", "Area", none: "Any area", context.areas, view.within) { $0 },
    ]
    return filters.compactMap(\.self)
  }
}

/// The search of a list: a form that works without JavaScript, and chips.
///
/// The list of restaurants and that of favorites share it.
struct PageSearch: Sendable {
  /// The number of chips for categories that are shown at once.
  private static let chipCount = 5

  let context: PageContext
  let facets: [Facet]

  var filters: [PageFilter] = []

  /// The link to the map, if there is one.
  var mapButton: HTML = ""

  /// Whether it is hidden because there is nothing to search yet.
  var isHidden = false

  private var view: PageState { context.view }

  /// The form; on phones, all but the words to search for are in a sheet.
  var form: HTML {
    let hidden: HTML = isHidden ? " hidden" : ""
    let own = ["q", "sortby", "at"] + filters.map(\.name)
    return """
      <form id="search" role="search" action="\(context.links.address(view.path))" method="get"\(hidden)>
      <label class="words"><span>Search</span><input type="search" name="q" value="\(HTML.fieldValue(view.text))" maxlength="120" \
      placeholder="Name or category" autocomplete="off"></label>
      <button type="button" class="narrow" popovertarget="filters">Filters</button>\(mapButton)
      <div id="filters" popover>
      <label class="where"><span>From where</span><input name="at" value="\(HTML.fieldValue(view.at))" list="places" maxlength="120" \
      placeholder="\(context.places.first.map { "\($0.name), or 32.95,-96.82" } ?? "32.95,-96.82")" autocomplete="off"></label>
      \(PageLayout.placeList(context))
      <span class="buttons"><button id="show">Show</button> <button type="button" id="locate" hidden>Near me</button></span>
      \(sortField)\(pills)\(PageLayout.fields(view, without: own))<button type="button" id="done" class="narrow" popovertarget="filters" hidden>Done</button></div>
      </form>
      """
  }

  private var sortField: HTML {
    let isByDistance = context.place != nil && view.area == nil
    let nearest = "Nearest first"
    var options = [PageLayout.option("", isByDistance ? nearest : "Any order", isChosen: false)]
    // offered without a place, too: choosing it shows that a place is needed
    if context.place == nil {
      options.append(PageLayout.option("distance", nearest, isChosen: false))
    }
    // an address may have another order
    let orders = context.offered.orders
    let other = view.order.flatMap { orders.contains($0) || $0.needsCenter ? nil : [$0] }
    options += (orders + (other ?? [])).map {
      PageLayout.option($0.sortBy, $0.title, isChosen: $0 == view.order)
    }
    return
      "<label class=\"sort\"><span>Sort</span><select name=\"sortby\">\(options)</select></label>"
  }

  private var pills: HTML? {
    if filters.isEmpty { return nil }
    let pills = filters.map { filter -> HTML in
      let options = filter.choices.map {
        PageLayout.option($0.value, $0.title, isChosen: $0.value.isUTF8Equal(to: filter.chosen))
      }
      return """
        <select name="\(filter.name)" aria-label="\(filter.label)"><option value="">\(filter.none)</option>\(options)</select>
        """
    }
    return "<div class=\"pills\">\(pills)</div>"
  }

  /// Chips for the chosen filters; each removes its own.
  var chosen: [HTML] {
    let filters = filters.compactMap { filter in
      filter.choices.first { $0.value.isUTF8Equal(to: filter.chosen) }.map {
        (filter.name, $0.title)
      }
    }
    let area = view.area == nil ? [] : [("bbox", "In a part of the map")]
    return (filters + area).map { chip(context.address(view.without($0)), .text($1)) }
  }

  private func chip(_ address: String, _ words: HTML) -> HTML {
    PageLayout.chip(
      address,
      current: "true",
      "\(words)<span class=\"hidden\">, remove</span> <span aria-hidden=\"true\">×</span>"
    )
  }

  /// The chips of the chosen filters, and of categories with their counts under the other conditions.
  var chips: HTML {
    let known = context.offered.categories(facets)
    let isChoice = known.count > 1 || !view.categories.isEmpty
    let wanted = Set(view.categories.map { UTF8Key($0) })
    let named = Set(known.map { UTF8Key($0.name) })
    let shown =
      view.categories.filter { !named.contains(UTF8Key($0)) }.map { (name: $0, count: 0) }
      + known.filter { wanted.contains(UTF8Key($0.name)) }
      + known.filter { !wanted.contains(UTF8Key($0.name)) }
    let categories = (isChoice ? shown : []).map { category, count in
      let address = context.address(view.toggling(category: category))
      let words: HTML = "\(HTML.text(category)) <small>\(grouped(count))</small>"
      return wanted.contains(UTF8Key(category))
        ? chip(address, words) : PageLayout.chip(address, words)
    }
    return PageLayout.chips(
      chosen + categories,
      label: "Filters",
      first: max(Self.chipCount, chosen.count + wanted.count)
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
