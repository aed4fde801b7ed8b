import GeoQuery

/// What a page shows, as its address says it: the whole state of the lunch page.
///
/// Reading is lenient, for people edit addresses: what is unknown or empty is skipped, what is wrong is
/// skipped with a sentence in `faults`. Printing what was read gives the same view again.
struct PageView: Sendable {
  /// Which page it is.
  enum Screen: Sendable {
    case lunch
    /// The restaurant with an id.
    case restaurant(String)
    case favorites
    case internets
  }

  /// A change of the favorites that a notice tells about.
  enum Change: Sendable {
    case added(String)
    case removed(String)
  }

  /// Which page it is.
  var screen: Screen

  /// The words to search for.
  var text = ""

  /// Any of these categories.
  var categories: [String] = []

  /// The order; nil for that by distance, or by id if no place is known.
  var order: Order?

  /// Where the visitor is: `LAT,LON`, or the name of a place that the operator gave.
  var at = ""

  /// The id of a restaurant that distances are measured from.
  var near = ""

  /// The units of distances; nil for those of the browser's language.
  var units: PageUnits?

  /// Where the page of the list begins.
  var cursor = ""

  /// The favorites that are kept in the browser.
  var ids: [String] = []

  /// What has just changed.
  var change: Change?

  /// What was wrong with the address, in sentences.
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

  /// The pages that this one leads to: the same place and units, and nothing else.
  func leading(to screen: Screen) -> PageView {
    var view = PageView(screen)
    view.at = at
    view.near = near
    view.units = units
    return view
  }

  /// This page after a change, for a form that comes back to it.
  var withoutChange: PageView {
    var view = self
    view.change = nil
    return view
  }

  private mutating func read(_ name: String, _ value: String) {
    let reader = Self.readers.first { $0.name.hasBytes(of: name) }
    guard let reader else { return }
    guard value.utf8.count <= reader.limit else {
      faults.append("“\(reader.name)” in the address is too long and was skipped.")
      return
    }
    reader.read(&self, value)
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
        !view.categories.contains(where: { $0.hasBytes(of: value) })
      else { return }
      view.categories.append(value)
    },
    Reader(name: "sortby") { view, value in
      view.order = Order(sortBy: value)
      if view.order == nil { view.faults.append("There is no such order.") }
    },
    Reader(name: "at") { $0.at = $1 },
    Reader(name: "near") { $0.near = $1 },
    Reader(name: "units") { $0.units = PageUnits(rawValue: $1) },
    Reader(name: "cursor", limit: RequestTarget.maximumLength) { $0.cursor = $1 },
    Reader(name: "ids", limit: RequestTarget.maximumLength) { view, value in
      view.ids = Array(
        Parameter.entries(of: value).filter { !$0.isEmpty }.prefix(ServiceLimits.ids)
      )
    },
    Reader(name: "added") { $0.change = .added($1) },
    Reader(name: "removed") { $0.change = .removed($1) },
  ]
}

extension PageView {
  /// The path of the address.
  var path: String {
    switch screen {
    case .lunch: Route.lunch.path
    case .restaurant(let id):
      Route.restaurantPage.path.replacing("{id}", with: PercentCoding.encoded(id))
    case .favorites: Route.favoritesPage.path
    case .internets: Route.internets.path
    }
  }

  /// The query of the address, always in the same order.
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
    add("units", units?.rawValue ?? "")
    add("ids", ids.joined(separator: ","))
    switch change {
    case .added(let id)?: add("added", id)
    case .removed(let id)?: add("removed", id)
    case nil: break
    }
    add("cursor", cursor)
    return pairs
  }

  /// The address from its path on.
  var target: String { LinkBase(base: "").address(path, pairs) }

  /// The view of a target: nil if it is none of the pages.
  init?(target: String) {
    guard let target = try? RequestTarget(target), target.authority == nil,
      let pairs = try? target.pairs(), let found = try? Route.find(target.path),
      let screen = Screen(found.route, id: found.id)
    else { return nil }
    self.init(screen, pairs)
  }
}

extension PageView.Screen {
  /// The screen of a route; nil if it has none.
  init?(_ route: Route, id: String?) {
    switch route {
    case .lunch: self = .lunch
    case .restaurantPage: self = .restaurant(id ?? "")
    case .favoritesPage: self = .favorites
    case .internets: self = .internets
    default: return nil
    }
  }
}
