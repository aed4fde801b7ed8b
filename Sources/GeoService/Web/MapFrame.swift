import GeoIndex
import GeoQuery

/// A map on a page: a container that `map.js` fills with the answer of a route.
///
///     let frame = MapFrame(source: .features([address]), label: "The places of the plan")
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

  let source: Source
  let label: String

  /// Whether the pins are numbered in the order of the answer and joined by a line, which starts at
  /// `from` if that is set.
  var isWalk = false

  /// The visitor's position, which has its own mark.
  let from: NamedPlace?

  /// The id of the restaurant whose pin is highlighted.
  var chosen: String?

  /// Whether it is a small map next to other content, which moves only once it has the focus.
  var isSmall = false

  /// Whether it is the map of the list: the page's address says which part is shown (`view`), and
  /// the map can start a search (`bbox`, `at`, `radius`).
  var explores = false

  /// Further values for the map of the list.
  var details: [(name: String, value: String)] = []

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
    data.append(("detail", context.restaurantTemplate))
    data.append(("units", context.units.rawValue))
    if let from = from?.coordinate { data.append(("at", "\(from.latitude),\(from.longitude)")) }
    if let sides = context.snapshot.shownExtent?.readableSides {
      // what a map without places shows
      data.append(("extent", sides.map { "\($0)" }.joined(separator: ",")))
    }
    if let chosen { data.append(("chosen", PercentCoding.encoded(chosen))) }
    if isWalk { data.append(("walk", "true")) }
    if explores { data.append(("explores", "true")) }
    data.append(("library", context.address(.mapLibrary, library.script)))
    data.append(("library-style", context.address(.mapLibraryStyle, library.style)))
    data.append(("land", context.address(.mapLand, library.land)))
    if let basemap = context.maps.basemap {
      data.append(("basemap", basemap.template))
      data.append(("attribution", basemap.attribution))
    } else if let file = context.settings.basemap {
      let info = file.info
      data.append(("basemap", context.links.address(.basemapTile)))
      data.append(("basemap-kind", info.format == .mvt ? "vector" : "raster"))
      data.append(("basemap-zoom", "\(info.zooms.upperBound)"))
      if let attribution = file.attribution { data.append(("attribution", attribution)) }
    }
    if let credit = context.credits.attribution { data.append(("credit", credit)) }
    let attributes = data.map { item -> HTML in " data-\(item.name)=\"\(item.value)\"" }
    // without streets, the map of one restaurant shows little
    let isPlain = context.maps.basemap == nil && context.settings.basemap == nil
    let size: HTML = !isSmall ? "" : isPlain && chosen != nil ? " small low" : " small"
    return """
      <div class="map\(size)" tabindex="0" role="application" aria-roledescription="map" aria-label="\(label)"\(attributes)>\
      <noscript><p>The map needs JavaScript; the list has the same restaurants.</p></noscript></div>
      <script type="module" src="\(context.address(.mapScript, library.drawing))"></script>
      """
  }
}

extension PageContext {
  /// The address of a restaurant's page, with `{id}` in place of its id.
  fileprivate var restaurantTemplate: String {
    let query = links.address("", view.leading(to: .restaurantPage).pairs)
    return links.base + Endpoint.restaurantPage.path + query.dropFirst(links.base.count)
  }

  /// Which restaurants the list has.
  var list: ListScope { ListScope(view, from: place?.coordinate) }
}

/// Which restaurants a list has: the region of its query, and requests that return the same ones.
struct ListScope: Sendable {
  /// The maximum number of restaurants that a map loads one by one; above it, the map uses tiles.
  static let maximumFeatures = 2_000

  /// The number of restaurants that the map requests at a time.
  private static let pageLength = 1_000

  private typealias Pairs = [(name: String, value: String)]

  let region: Query.Region

  /// The region as parameters of routes.
  private let place: (endpoint: Endpoint, pairs: Pairs)

  /// The filter as parameters of routes: several lists if one request cannot express it.
  private let filters: [Pairs]

  init(_ view: PageState, from center: Coordinate?) {
    if let area = view.area {
      region = .box(area)
      place = (.items, [("bbox", area.addressText)])
    } else if let center {
      let radius = Parameter.radius.number(view.radius) ?? Double(ServiceLimits.radius)
      region = .radius(radius, of: center)
      let point = [("lat", center.latitude), ("lon", center.longitude), ("radius", radius)]
      place = (.radius, point.map { ($0, "\($1)") })
    } else {
      region = .everywhere
      place = (.items, [])
    }
    filters = Self.filters(of: view)
  }

  private static func filters(of view: PageState) -> [Pairs] {
    let words = [("q", view.text), ("open", view.open), ("within", view.within)]
      .filter { !$0.1.isEmpty }.map { (name: $0, value: $1) }
    let conditions = view.conditions.joined(separator: " and ")
    let common = conditions.isEmpty ? words : words + [(name: "filter", value: conditions)]
    if view.categories.isEmpty { return [common] }
    // in a list a comma ends a category, and blanks around it are ignored
    let isPlain = { (category: String) in
      category.utf8.first != 0x20 && category.utf8.last != 0x20 && !category.utf8.contains(0x2C)
    }
    let plain = view.categories.filter(isPlain).joined(separator: ",")
    let others = view.categories.filter { !isPlain($0) }.map { category in
      let its = "category = '\(category.replacing("'", with: "''"))'"
      let all = (view.conditions + [its]).joined(separator: " and ")
      return words + [(name: "filter", value: all)]
    }
    return (plain.isEmpty ? [] : [common + [(name: "category", value: plain)]]) + others
  }

  /// The source of the pins of a map that shows `total` restaurants.
  func mapSource(total: Int, _ links: LinkBase) -> MapFrame.Source {
    guard total > Self.maximumFeatures else {
      let limit = (name: "limit", value: "\(Self.pageLength)")
      return .features(
        filters.map { links.address(place.endpoint.path, place.pairs + $0 + [limit]) }
      )
    }
    let narrowed = tileFilters
    return .tiles(
      narrowed.map { links.address(.tile, $0) },
      descriptions: narrowed.map { links.address(.tileJSON, $0) }
    )
  }

  /// The filters of tiles, which have no region of their own: a box is a condition of each.
  ///
  /// A circle cannot be one; the map omits what is beyond it.
  private var tileFilters: [Pairs] {
    guard case .box(let box) = region else { return filters }
    let sides =
      box.west <= box.east
      ? ["longitude >= \(box.west) and longitude <= \(box.east)"]
      : ["longitude >= \(box.west)", "longitude <= \(box.east)"]
    return filters.flatMap { filter in
      sides.map { side in
        let inside = "latitude >= \(box.south) and latitude <= \(box.north) and \(side)"
        let conditions = filter.filter { $0.name == "filter" }.map(\.value) + [inside]
        return filter.filter { $0.name != "filter" }
          + [(name: "filter", value: conditions.joined(separator: " and "))]
      }
    }
  }

  /// The requests for the one of these restaurants that is nearest to a point; `lat` and `lon` are
  /// to be added.
  func nearest(_ links: LinkBase) -> [String] {
    filters.map { links.address(.nearest, $0 + [(name: "count", value: "1")]) }
  }
}
