import GeoQuery

/// The list of restaurants: search, chips, order, place, cards.
struct LunchPage: Sendable {
  /// The number of cards on a page.
  static let pageLength = 24

  let context: PageContext
  let page: Page
  let facets: [Facet]
  let choices: PageChoices

  /// Which restaurants the list has.
  let list: ListScope

  /// Whether the list starts after the first restaurant.
  let isContinued: Bool

  private var view: PageView { context.view }

  private var search: PageSearch {
    PageSearch(context: context, facets: facets, choices: choices, mapButton: mapButton)
  }

  /// The document.
  ///
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
    return PageShell.bytes(title: "Lunch", context, main)
  }

  // MARK: the list

  private func head(count: Int) -> HTML {
    let shown: HTML = isContinued ? "\(count) more of " : "\(count) of "
    var words: HTML =
      "<span class=\"shown\">\(shown)</span><span class=\"total\">\(grouped(page.total))</span>"
    words += scope
    if context.place == nil, !context.places.isEmpty {
      words += " · from"
      for place in context.places.prefix(5) {
        words += " <a href=\"\(context.address(here(place.name)))\">\(HTML.text(place.name))</a>"
      }
    }
    return "<p class=\"count\" id=\"count\">\(words)</p>"
  }

  /// The list measured from another place.
  func here(_ at: String) -> PageView {
    var next = view.fromBeginning
    next.near = ""
    next.radius = ""
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
    let all = view.leading(to: view.screen)
    return """
      <div class="empty">\(CategoryDrawing.plate.html)<h2>Nothing on this plate</h2>
      <p>No restaurant matches.\(advice)</p>
      <p><a class="button" href="\(context.address(all))">Show all</a></p></div>
      """
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
  /// Whether the page has a map.
  var hasMap: Bool { context.maps.library != nil && context.snapshot.count > 0 }

  /// The list with its map if there is one.
  func layout(_ list: HTML) -> HTML {
    guard hasMap else { return list }
    let shown: HTML = context.view.screen.isMap ? "lunch on-map" : "lunch"
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

  private var map: HTML {
    var frame = MapFrame(
      list.mapSource(total: page.total, context.links),
      label: "Map of the restaurants that were found"
    )
    frame.explores = true
    frame.from = context.place?.coordinate
    var details = [(name: "nearest", value: list.nearest(context.links).joined(separator: " "))]
    details.append(("total", "\(page.total)"))
    if let area = context.view.area { details.append(("bbox", area.addressText)) }
    if context.view.area == nil, let radius = Parameter.radius.number(context.view.radius) {
      details.append(("radius", "\(radius)"))
    }
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
    return words + " · <a href=\"\(context.address(here("")))\">forget the place</a>"
  }
}
