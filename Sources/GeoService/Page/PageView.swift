import GeoIndex
import GeoQuery

/// What a page shows, as its address says it: the whole state of the lunch page.
///
/// Reading is lenient, because people edit addresses: unknown and empty parameters are ignored, and
/// wrong ones are ignored with a sentence in `faults`. Writing what was read gives the same view
/// again.
struct PageView: Sendable {
  /// The pages.
  enum Screen: Sendable {
    case lunch
    /// The list with its map.
    case map
    /// The page of the restaurant with an id.
    case restaurant(String)
    case favorites
    case wants
    case offers
    /// The page of the offer with an id.
    case offer(String)
    case meet
    case shortList
    case internets
    case licenses
  }

  /// A change of the favorites that a notice reports.
  enum Change: Sendable {
    case added(String)
    case removed(String)
  }

  /// The page.
  var screen: Screen

  /// The words to search for.
  var text = ""

  /// The categories, any of which matches.
  var categories: [String] = []

  /// The order; nil for the order by distance, or by id if no place is known.
  var order: Order?

  /// The visitor's place: `LAT,LON`, or the name of a place that the operator gave.
  var at = ""

  /// The id of a restaurant from which distances are measured.
  var near = ""

  /// The maximum distance from the place, as it was written: `1km`.
  var radius = ""

  /// The box that restaurants must be in: the part of the map that was searched.
  var area: BoundingBox?

  /// The part of the map that is shown; nil for all results.
  var mapView: MapView?

  /// The units of distances; nil for those of the browser's language.
  var units: PageUnits?

  /// The cursor where the page of the list begins.
  var cursor = ""

  /// The favorites kept in the browser; each is percent-encoded in the address, because an id may
  /// contain a comma.
  var ids: [String] = []

  /// The plan of a group.
  var plan = PlanView()

  /// The change that has just been made.
  var change: Change?

  /// Sentences about what is wrong in the address.
  var faults: [String] = []

  /// The view of an address without a query.
  init(_ screen: Screen) {
    self.screen = screen
  }

  /// Reads the query of an address.
  init(_ screen: Screen, _ pairs: [(name: String, value: String)]) {
    self.screen = screen
    for (name, value) in pairs where !value.isEmpty { read(name, value) }
  }

  /// Another page with the same place, units and plan, and nothing else.
  func leading(to screen: Screen) -> PageView {
    var view = PageView(screen)
    view.at = at
    view.near = near
    view.units = units
    view.plan = plan
    return view
  }

  /// The first page of this list with another plan.
  func with(_ plan: PlanView) -> PageView {
    var view = withoutChange
    view.plan = plan
    return view
  }

  /// Another page with the same list, place and part of the map.
  func showing(_ screen: Screen) -> PageView {
    var view = withoutChange
    view.screen = screen
    return view
  }

  /// The first page of the list, with all results on its map, for a link that changes the filter.
  var fromBeginning: PageView {
    var view = withoutChange
    view.cursor = ""
    view.mapView = nil
    return view
  }

  /// This page without its notice, for a form that returns to it.
  var withoutChange: PageView {
    var view = self
    view.change = nil
    return view
  }

  private mutating func read(_ name: String, _ value: String) {
    let reader = Self.readers.first { $0.name.isUTF8Equal(to: name) }
    guard let reader else { return readPlan(name, value) }
    guard value.utf8.count <= reader.limit else {
      faults.append("“\(reader.name)” in the address is too long and was skipped.")
      return
    }
    reader.read(&self, value)
  }

  private mutating func readPlan(_ name: String, _ value: String) {
    guard let reader = PlanView.readers.first(where: { $0.name.isUTF8Equal(to: name) }) else {
      return
    }
    guard value.utf8.count <= Want.maximumLength else {
      faults.append("“\(reader.name)” in the address is too long and was skipped.")
      return
    }
    do {
      try reader.read(&plan, value)
    } catch {
      faults.append(error.sentence)
    }
  }

  private struct Reader: Sendable {
    let name: String
    var limit = ServiceLimits.textLength
    let read: @Sendable (inout PageView, String) -> Void
  }

  private static let readers: [Reader] = [
    Reader(name: "q") { $0.text = $1 },
    Reader(name: "category") { view, value in
      guard view.categories.count < ServiceLimits.listEntries,
        !view.categories.contains(where: { $0.isUTF8Equal(to: value) })
      else { return }
      view.categories.append(value)
    },
    Reader(name: "sortby") { view, value in
      view.order = try? Order(sortBy: value)
      if view.order == nil { view.faults.append("There is no such order.") }
    },
    Reader(name: "at") { $0.at = $1 },
    Reader(name: "near") { $0.near = $1 },
    Reader(name: "radius") { view, value in
      guard (try? Parameter.radius.check(value)) != nil else {
        view.faults.append("\(quoted(value)) is not a distance, such as 500m or 1km.")
        return
      }
      view.radius = value
    },
    Reader(name: "bbox") { view, value in
      view.area = try? BoxText.box(value)
      if view.area == nil { view.faults.append("“bbox” is not an area: west,south,east,north.") }
    },
    Reader(name: "view") { view, value in
      view.mapView = MapView(value)
      if view.mapView == nil { view.faults.append("“view” is not a part of the map.") }
    },
    Reader(name: "units") { $0.units = PageUnits(rawValue: $1) },
    Reader(name: "cursor", limit: RequestTarget.maximumLength) { $0.cursor = $1 },
    Reader(name: "ids", limit: RequestTarget.maximumLength) { view, value in
      let ids = Parameter.entries(of: value).lazy.compactMap { PercentCoding.decoded($0) }
      view.ids = Array(ids.filter { !$0.isEmpty }.prefix(ServiceLimits.ids))
    },
    Reader(name: "added") { $0.change = .added($1) },
    Reader(name: "removed") { $0.change = .removed($1) },
  ]
}

extension PageView {
  /// The path of the address.
  var path: String {
    switch screen {
    case .lunch: Endpoint.lunch.path
    case .map: Endpoint.map.path
    case .restaurant(let id):
      Endpoint.restaurantPage.path.replacing("{id}", with: PercentCoding.encoded(id))
    case .favorites: Endpoint.favoritesPage.path
    case .wants: Endpoint.wantsPage.path
    case .offers: Endpoint.offersPage.path
    case .offer(let id):
      Endpoint.offerPage.path.replacing("{id}", with: PercentCoding.encoded(id))
    case .meet: Endpoint.meetPage.path
    case .shortList: Endpoint.shortListPage.path
    case .internets: Endpoint.internets.path
    case .licenses: Endpoint.licenses.path
    }
  }

  /// The query of the address, in a fixed order.
  var pairs: [(name: String, value: String)] {
    var pairs: [(name: String, value: String)] = []
    func add(_ name: String, _ value: String) {
      if !value.isEmpty { pairs.append((name, value)) }
    }
    add("q", text)
    for category in categories { add("category", category) }
    add("sortby", order?.sortBy ?? "")
    add("at", at)
    add("near", near)
    add("radius", radius)
    add("bbox", area?.addressText ?? "")
    add("view", mapView?.text ?? "")
    add("units", units?.rawValue ?? "")
    let escaped = ids.map { PercentCoding.encoded($0).replacing(",", with: "%2C") }
    add("ids", escaped.joined(separator: ","))
    pairs += plan.pairs
    switch change {
    case .added(let id)?: add("added", id)
    case .removed(let id)?: add("removed", id)
    case nil: break
    }
    add("cursor", cursor)
    return pairs
  }

  /// The path and query of the address.
  var target: String { LinkBase(base: "").address(path, pairs) }

  /// The view of a request target; nil if it is not one of the pages.
  init?(target: String) {
    guard let target = try? RequestTarget(target), target.authority == nil,
      let pairs = try? target.pairs(), let match = try? Router.all.find(target.path),
      let screen = Screen(match.endpoint, id: match.values.first)
    else { return nil }
    self.init(screen, pairs)
  }
}

extension PageView.Screen {
  /// Whether it is the list with its map.
  var isMap: Bool { if case .map = self { true } else { false } }

  /// The screen of an endpoint; nil if it is not a page.
  init?(_ endpoint: Endpoint, id: String?) {
    switch endpoint {
    case .lunch: self = .lunch
    case .map: self = .map
    case .restaurantPage: self = .restaurant(id ?? "")
    case .favoritesPage: self = .favorites
    case .wantsPage: self = .wants
    case .offersPage: self = .offers
    case .offerPage: self = .offer(id ?? "")
    case .meetPage: self = .meet
    case .shortListPage: self = .shortList
    case .internets: self = .internets
    case .licenses: self = .licenses
    default: return nil
    }
  }
}

extension PageView.Screen {
  /// Whether it is one of the pages of a plan.
  var isPlan: Bool {
    switch self {
    case .wants, .offers, .offer, .meet, .shortList: true
    default: false
    }
  }
}

/// The part of a map that is shown: its center and its zoom, `LAT,LON,ZOOM` in addresses.
struct MapView: Hashable, Sendable {
  /// The center.
  let center: Coordinate

  /// The zoom: the world is 256 pixels wide at 0, and twice as wide at each further level.
  let zoom: Double

  /// The allowed zooms.
  static let zooms = 0.0...22.0

  /// Parses a view; nil if the text is not valid.
  init?(_ text: String) {
    let numbers = Parameter.entries(of: text).map { DecimalText.number($0) }
    guard numbers.count == 3, let latitude = numbers[0], let longitude = numbers[1],
      let zoom = numbers[2], Self.zooms.contains(zoom),
      let center = Coordinate(latitude: latitude, longitude: longitude)
    else { return nil }
    self.center = center
    self.zoom = zoom
  }

  /// The text.
  var text: String { "\(center.latitude),\(center.longitude),\(zoom)" }
}

extension BoundingBox {
  /// The text of a box in an address: `W,S,E,N`.
  var addressText: String { "\(west),\(south),\(east),\(north)" }
}
