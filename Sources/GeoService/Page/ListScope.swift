import GeoIndex
import GeoQuery

/// Which restaurants a list has: the region of its query, and requests that return the same ones.
struct ListScope: Sendable {
  /// The maximum number of restaurants that a map loads one by one; above it, the map uses tiles.
  static let maximumFeatures = 2_000

  /// The number of restaurants that the map requests at a time.
  private static let pageLength = 1_000

  /// The region.
  let region: Query.Region

  /// The region as parameters of routes.
  private let place: (endpoint: Endpoint, pairs: [(name: String, value: String)])

  /// The filter as parameters of routes: several lists if one request cannot express it.
  private let filters: [[(name: String, value: String)]]

  /// The scope of a view.
  ///
  /// - Parameters:
  ///   - view: The state in the address.
  ///   - center: Where the visitor is.
  init(_ view: PageView, from center: Coordinate?) {
    if let area = view.area {
      region = .box(area)
      place = (.items, [("bbox", area.addressText)])
    } else if let center {
      let radius = Parameter.radius.number(view.radius) ?? Double(ServiceLimits.radius)
      region = .radius(radius, of: center)
      place = (
        .radius,
        [
          ("lat", "\(center.latitude)"), ("lon", "\(center.longitude)"), ("radius", "\(radius)"),
        ]
      )
    } else {
      region = .everywhere
      place = (.items, [])
    }
    filters = Self.filters(of: view)
  }

  private static func filters(of view: PageView) -> [[(name: String, value: String)]] {
    let words = view.text.isEmpty ? [] : [(name: "q", value: view.text)]
    if view.categories.isEmpty { return [words] }
    // in a list a comma ends a category, and blanks around it are ignored
    let isPlain = { (category: String) in
      category.utf8.first != 0x20 && category.utf8.last != 0x20 && !category.utf8.contains(0x2C)
    }
    let plain = view.categories.filter(isPlain).joined(separator: ",")
    let others = view.categories.filter { !isPlain($0) }.map { category in
      (name: "filter", value: "category = '\(category.replacing("'", with: "''"))'")
    }
    let lists = (plain.isEmpty ? [] : [(name: "category", value: plain)]) + others
    return lists.map { words + [$0] }
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
      narrowed.map { links.address(Endpoint.tile.path, $0) },
      descriptions: narrowed.map { links.address(Endpoint.tileJSON.path, $0) }
    )
  }

  /// The filters of tiles, which have no region of their own: a box is a condition of each.
  ///
  /// A circle cannot be one; the map omits what is beyond it.
  private var tileFilters: [[(name: String, value: String)]] {
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
    filters.map { links.address(Endpoint.nearest.path, $0 + [(name: "count", value: "1")]) }
  }
}

extension PageContext {
  /// Which restaurants the list has.
  var list: ListScope { ListScope(view, from: place?.coordinate) }
}
