import GeoIndex
import GeoQuery

/// A map on a page: a container that `map.js` fills with the answer of a route.
///
///     let frame = MapFrame(.features([address]), label: "The places of the plan")
///     main += frame.html(context)
///
/// The map is as wide as the element around it, and as high as the class `map` of the stylesheet
/// says (`.map.small` is lower). It is empty HTML if the program was built without the map library,
/// so the page must do without it. A page may have several maps.
///
/// The script finds the cards of the same page by their `data-id`: focusing a card highlights its
/// pin, and the other way round. Callouts link to the restaurant's page.
struct MapFrame: Sendable {
  /// Where the pins come from.
  enum Source: Sendable, Equatable {
    /// Addresses of public routes that return GeoJSON, a Feature or a FeatureCollection, shown
    /// together; links to next pages are followed.
    case features([String])
    /// Addresses of tiles, with `{z}`, `{x}` and `{y}`, shown together, and of the TileJSON with
    /// their bounds.
    case tiles([String], descriptions: [String])
  }

  /// Where the pins come from.
  let source: Source

  /// A description of the map for people who do not see it.
  let label: String

  /// Whether the pins are numbered in the order of the answer and joined by a line, which starts at
  /// `from` if that is set.
  var isWalk = false

  /// The visitor's position, which has its own mark.
  var from: Coordinate?

  /// The id of the restaurant whose pin is highlighted.
  var chosen: String?

  /// Whether it is a small map next to other content, which moves only once it has the focus.
  var isSmall = false

  /// Whether it is the map of the list: the page's address says which part is shown (`view`), and
  /// the map can start a search (`bbox`, `at`, `radius`).
  var explores = false

  /// Further values for the map of the list.
  var details: [(name: String, value: String)] = []

  init(_ source: Source, label: String) {
    self.source = source
    self.label = label
  }

  /// The container and the script; empty if there is no map library.
  func html(_ context: PageContext) -> HTML {
    guard let library = context.maps.library else { return "" }
    var data: [(name: String, value: String)] = details
    switch source {
    case .features(let addresses):
      data.append(("places", addresses.joined(separator: " ")))
    case .tiles(let templates, let descriptions):
      data.append(("tiles", templates.joined(separator: " ")))
      data.append(("bounds", descriptions.joined(separator: " ")))
    }
    data.append(("detail", context.template(.restaurant(""))))
    data.append(("units", context.units.rawValue))
    if let from { data.append(("at", "\(from.latitude),\(from.longitude)")) }
    if let chosen { data.append(("chosen", PercentCoding.encoded(chosen))) }
    if isWalk { data.append(("walk", "true")) }
    if explores { data.append(("explores", "true")) }
    func address(_ endpoint: Endpoint, _ asset: PageAsset) -> String {
      context.address(endpoint, [("v", asset.tag)])
    }
    data.append(("library", address(.mapLibrary, library.script)))
    data.append(("library-style", address(.mapLibraryStyle, library.style)))
    data.append(("land", address(.mapLand, library.land)))
    if let basemap = context.maps.basemap {
      data.append(("basemap", basemap.template))
      data.append(("attribution", basemap.attribution))
    } else if let file = context.settings.basemap {
      let info = file.info
      data.append(("basemap", context.links.address(Endpoint.basemapTile.path)))
      data.append(("basemap-kind", info.format == .mvt ? "vector" : "raster"))
      data.append(("basemap-zoom", "\(info.zooms.upperBound)"))
      if let attribution = file.attribution { data.append(("attribution", attribution)) }
    }
    if let credit = context.credits.attribution { data.append(("credit", credit)) }
    let attributes = data.map { item -> HTML in " data-\(item.name)=\"\(item.value)\"" }
    let size: HTML = isSmall ? " small" : ""
    return """
      <div class="map\(size)" tabindex="0" role="application" aria-roledescription="map" aria-label="\(label)"\(attributes)>\
      <noscript><p>The map needs JavaScript; the list has the same restaurants.</p></noscript></div>
      <script type="module" src="\(address(.mapScript, library.drawing))"></script>
      """
  }
}

extension PageContext {
  /// The address of a restaurant's page, with `{id}` in place of its id.
  fileprivate func template(_ screen: PageView.Screen) -> String {
    let pairs = view.leading(to: screen).pairs
    let query = links.address("", pairs).dropFirst(links.base.count)
    return links.base + Endpoint.restaurantPage.path + query
  }
}
