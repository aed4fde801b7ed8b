import GeoQuery

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
