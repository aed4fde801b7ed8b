import GeoIndex
import GeoQuery
import HTTPTypes

/// What a page shows, as its address says it: the whole state of the lunch page.
///
/// Reading is lenient, because people edit addresses: unknown and empty parameters are ignored, and
/// wrong ones are ignored with a sentence in `faults`. Writing what was read gives the same state
/// again.
struct PageState: Sendable {
  /// A change of the favorites that a notice reports.
  struct Change: Sendable {
    let id: String
    let isAdded: Bool
  }

  /// The page.
  var endpoint: Endpoint

  /// The id of the restaurant or the offer that it shows; nil for a list.
  var id: String?

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

  /// The lowest rating, as it was written: `4`.
  var rating = ""

  /// The highest price level, as it was written: `2`.
  var priceLevel = ""

  /// When the restaurants are open, as `OpenAt` reads it: `now`, `12:30`.
  var open = ""

  /// The name of the saved area that restaurants must be in.
  var within = ""

  /// The part of the map that is shown; nil for all results.
  var viewport: MapViewport?

  /// The units of distances; nil for those of the browser's language.
  var units: PageUnits?

  /// The cursor where the page of the list begins.
  var cursor = ""

  /// The favorites kept in the browser; each is percent-encoded in the address, because an id may
  /// contain a comma.
  var ids: [String] = []

  /// Whether offers that have ended are listed too.
  var expired = false

  /// The plan of a group.
  var plan = PlanState()

  /// The change that has just been made.
  var change: Change?

  /// Sentences about what is wrong in the address.
  var faults: [String] = []

  /// Reads the query of an address.
  init(
    _ endpoint: Endpoint,
    id: String? = nil,
    _ pairs: [(name: String, value: String)] = []
  ) {
    self.endpoint = endpoint
    self.id = id
    for (name, value) in pairs where !value.isEmpty {
      guard let item = Self.items.first(where: { $0.name.isUTF8Equal(to: name) }) else { continue }
      guard value.utf8.count <= item.limit else {
        faults.append("A part of the address is too long and was skipped.")
        continue
      }
      do {
        try item.read(&self, value)
      } catch {
        faults.append(error.sentence)
      }
    }
  }

  /// Another page with the same place, units and plan.
  ///
  /// Lunch, favorites and a restaurant have one order; a restaurant's page keeps the filter of the list
  /// that led to it, for the way back.
  func leading(to endpoint: Endpoint, id: String? = nil) -> PageState {
    var state = PageState(endpoint, id: id)
    state.at = at
    state.near = near
    state.units = units
    state.plan = plan
    let offers: [Endpoint] = [.offersPage, .offerPage]
    if offers.contains(self.endpoint), offers.contains(endpoint) {
      (state.text, state.categories, state.expired) = (text, categories, expired)
    }
    let lists: [Endpoint] = [.lunch, .favoritesPage, .restaurantPage]
    guard lists.contains(self.endpoint), lists.contains(endpoint) else { return state }
    state.order = order
    let ends = [self.endpoint, endpoint]
    if ends.contains(.restaurantPage), !ends.contains(.favoritesPage) {
      (state.text, state.categories, state.radius, state.area) = (text, categories, radius, area)
      (state.rating, state.priceLevel, state.open, state.within) = (
        rating, priceLevel, open, within
      )
    }
    return state
  }

  /// This page with some parts changed, and without its notice.
  func with(_ edit: (inout PageState) -> Void) -> PageState {
    var state = self
    state.change = nil
    edit(&state)
    return state
  }

  /// This page without its notice, for a form that returns to it.
  var withoutChange: PageState { with { _ in } }

  /// This page of the list with another plan.
  func with(_ plan: PlanState) -> PageState { with { $0.plan = plan } }

  /// Another page with the same list, place and part of the map.
  func showing(_ endpoint: Endpoint) -> PageState { with { $0.endpoint = endpoint } }

  /// The first page of the list, with all results on its map, for a link that changes the filter.
  var fromBeginning: PageState { with { ($0.cursor, $0.viewport) = ("", nil) } }

  /// The list, from its beginning, with a category added to the filter or removed from it.
  func toggling(category: String) -> PageState {
    let rest = categories.filter { !$0.isUTF8Equal(to: category) }
    let isAdded = rest.count == categories.count
    return fromBeginning.with { $0.categories = isAdded ? rest + [category] : rest }
  }
}

extension PageState {
  /// The list, from its beginning, without an item of the address.
  func without(_ item: String) -> PageState {
    PageState(endpoint, id: id, fromBeginning.pairs.filter { !$0.name.isUTF8Equal(to: item) })
  }

  /// What must be true of the fields, as conditions of a filter.
  var conditions: [String] {
    (rating.isEmpty ? [] : ["rating >= \(rating)"])
      + (priceLevel.isEmpty ? [] : ["priceLevel <= \(priceLevel)"])
  }
}

// MARK: The address

extension PageState {
  /// The path of the address.
  var path: String { id.map { endpoint.path(id: $0) } ?? endpoint.path }

  /// The query of the address, in a fixed order.
  var pairs: [(name: String, value: String)] {
    Self.items.flatMap { item in
      item.values(self).filter { !$0.isEmpty }.map { (item.name, $0) }
    }
  }

  /// The path and query of the address.
  var target: String { LinkBase(base: "").address(path, pairs) }

  /// The state in a request target; nil if it is not one of the pages.
  init?(target: String) {
    guard let target = try? RequestTarget(target), target.authority == nil,
      let pairs = try? target.pairs(), let match = try? Router.all.find(target.path),
      match.endpoint.audience == .people, match.endpoint.operation(.get) != nil
    else { return nil }
    self.init(match.endpoint, id: match.values.first, pairs)
  }

  /// An item of the query: how it is written and read.
  ///
  /// The parameters of `/cover` and `/meet` have the same names and values here; `with`, `pick` and
  /// `seed` exist only on pages.
  private struct Item: Sendable {
    let name: String
    var limit = ServiceLimits.textLength
    let values: @Sendable (PageState) -> [String]
    let read: @Sendable (inout PageState, String) throws(PageFault) -> Void

    /// An item with one value; an empty one is not written.
    static func one(
      _ name: String,
      limit: Int = ServiceLimits.textLength,
      _ value: @escaping @Sendable (PageState) -> String?,
      read: @escaping @Sendable (inout PageState, String) throws(PageFault) -> Void
    ) -> Item {
      Item(name: name, limit: limit, values: { [value($0) ?? ""] }, read: read)
    }
  }

  /// The items in the order in which they are written.
  private static let items: [Item] = [
    .one("q", \.text) { $0.text = $1 },
    Item(name: "category", values: \.categories) { state, value in
      guard state.categories.count < ServiceLimits.listEntries,
        !state.categories.contains(where: { $0.isUTF8Equal(to: value) })
      else { return }
      state.categories.append(value)
    },
    .one("sortby", \.order?.sortBy) { state, value throws(PageFault) in
      state.order = try? Order(sortBy: value)
      if state.order == nil { throw PageFault("There is no such order.") }
    },
    .one("at", \.at) { $0.at = $1 },
    .one("near", \.near) { $0.near = $1 },
    .one("radius", \.radius) { state, value throws(PageFault) in
      guard (try? Parameter.radius.check(value)) != nil else {
        throw PageFault("\(quoted(value)) is not a distance, such as 500m or 1km.")
      }
      state.radius = value
    },
    .one("bbox", \.area?.addressText) { state, value throws(PageFault) in
      state.area = try? BoxText.box(value)
      if state.area == nil { throw PageFault("The area in the address is not a part of the map.") }
    },
    .one("rating", \.rating) { state, value throws(PageFault) in
      guard let rating = DecimalText.number(value), (0...100).contains(rating) else {
        throw PageFault("\(quoted(value)) is not a rating, such as 4.")
      }
      state.rating = value
    },
    .one("priceLevel", \.priceLevel) { state, value throws(PageFault) in
      guard let level = DecimalText.integer(value), (1...9).contains(level) else {
        throw PageFault("\(quoted(value)) is not a price level, such as 2.")
      }
      state.priceLevel = value
    },
    .one("open", \.open) { state, value throws(PageFault) in
      guard (try? OpenAt(value, now: .now)) != nil else {
        throw PageFault("\(quoted(value)) is not a time. Write now, 12:30 or Fri 12:30.")
      }
      state.open = value
    },
    .one("within", \.within) { $0.within = $1 },
    .one("view", \.viewport?.text) { state, value throws(PageFault) in
      state.viewport = MapViewport(value)
      if state.viewport == nil { throw PageFault("The address has no such part of the map.") }
    },
    .one("units", \.units?.rawValue) { $0.units = PageUnits(rawValue: $1) },
    .one("ids", limit: RequestTarget.maximumLength, \.idList) { state, value in
      let ids = Parameter.entries(of: value).lazy.compactMap { PercentCoding.decoded($0) }
      state.ids = Array(ids.filter { !$0.isEmpty }.prefix(ServiceLimits.ids))
    },
    Item(name: "want", values: \.plan.wants) { state, value throws(PageFault) in
      try state.plan.add(want: value)
    },
    .one("on", \.plan.on?.description) { state, value throws(PageFault) in
      state.plan.on = CalendarDay(parsing: value)
      if state.plan.on == nil {
        throw PageFault("\(quoted(value)) is not a date, such as 2026-12-24.")
      }
    },
    .one("expired", \.expiredText) { $0.expired = $1.isUTF8Equal(to: "true") },
    // typed words are a text want unless they have the form of another want
    Item(name: "words", values: \.nothing) { state, value throws(PageFault) in
      try state.plan.add(want: PlanState.want(ofWords: value))
    },
    .one("places", \.plan.places?.description) { state, value throws(PageFault) in
      guard let places = DecimalText.integer(value), (1...CoverQuery.maximumPlaces).contains(places)
      else { throw PageFault("A group has 1 to \(CoverQuery.maximumPlaces) places.") }
      state.plan.places = places == CoverQuery.defaultPlaces ? nil : places
    },
    // `/cover` and `/meet` have different values under the same name
    .one("by", \.plan.cost?.rawValue) { state, value throws(PageFault) in
      if let cost = CoverQuery.Cost(rawValue: value) {
        state.plan.cost = cost == .farthest ? nil : cost
      } else if let cost = GroupCost(rawValue: value) {
        state.plan.meetCost = cost == .sum ? nil : cost
      } else {
        throw PageFault("There is no such choice of a way.")
      }
    },
    .one("max", \.plan.maximum) { state, value throws(PageFault) in
      guard (try? Parameter.maximumDistance.check(value)) != nil else {
        throw PageFault("\(quoted(value)) is not a distance. Write 500m, 2km or 1.5mi.")
      }
      state.plan.maximum = value
    },
    Item(name: "with", values: \.plan.others) { state, value throws(PageFault) in
      guard state.plan.others.count < PlanState.maximumOthers else {
        throw PageFault("At most \(Meeting.maximumPoints) people can meet.")
      }
      state.plan.others.append(value)
    },
    // read above
    .one("by", \.plan.meetCost?.rawValue) { _, _ in },
    Item(name: "pick", values: \.plan.picks) { state, value throws(PageFault) in
      guard !state.plan.isPicked(value) else { return }
      guard let plan = state.plan.picking(value) else {
        throw PageFault("A short list has at most \(PlanState.maximumPicks) restaurants.")
      }
      state.plan.picks = plan.picks
    },
    .one("seed", \.plan.seed?.description) { state, value throws(PageFault) in
      guard let number = DecimalText.integer(value), let seed = UInt32(exactly: number) else {
        throw PageFault("The seed must be a number up to 4294967295.")
      }
      state.plan.seed = seed
    },
    .one("added", \.added) { $0.change = Change(id: $1, isAdded: true) },
    .one("removed", \.removed) { $0.change = Change(id: $1, isAdded: false) },
    .one("cursor", limit: RequestTarget.maximumLength, \.cursor) { $0.cursor = $1 },
  ]

  private var nothing: [String] { [] }

  private var expiredText: String? { expired ? "true" : nil }

  private var added: String? { change.flatMap { $0.isAdded ? $0.id : nil } }

  private var removed: String? { change.flatMap { $0.isAdded ? nil : $0.id } }

  private var idList: String {
    ids.map { PercentCoding.encoded($0).replacing(",", with: "%2C") }.joined(separator: ",")
  }
}

/// The part of a map that is shown: its center and its zoom, `LAT,LON,ZOOM` in addresses.
struct MapViewport: Hashable, Sendable {
  let center: Coordinate

  /// The world is 256 pixels wide at 0, and twice as wide at each further level.
  let zoom: Double

  static let zooms = 0.0...22.0

  /// Parses a viewport; nil if the text is not valid.
  init?(_ text: String) {
    let numbers = Parameter.entries(of: text).map { DecimalText.number($0) }
    guard numbers.count == 3, let latitude = numbers[0], let longitude = numbers[1],
      let zoom = numbers[2], Self.zooms.contains(zoom),
      let center = Coordinate(latitude: latitude, longitude: longitude)
    else { return nil }
    self.center = center
    self.zoom = zoom
  }

  var text: String { "\(center.latitude),\(center.longitude),\(zoom)" }
}

extension BoundingBox {
  /// The text of a box in an address: `W,S,E,N`.
  var addressText: String { "\(west),\(south),\(east),\(north)" }
}

/// A fault in an address that a page reports and otherwise ignores.
struct PageFault: Error {
  let sentence: String

  /// The restaurants that may be meant.
  let choices: [Restaurant]

  init(_ sentence: String, _ choices: [Restaurant] = []) {
    self.sentence = sentence
    self.choices = choices
  }
}

// MARK: The plan

/// The plan of a group in the address of every page: wants, people, short list.
struct PlanState: Sendable, Equatable {
  /// The wants, as `Want(parsing:)` reads them.
  var wants: [String] = []

  /// The day for which offers are asked; nil for today.
  var on: CalendarDay?

  /// The maximum number of places in a group; nil for the default.
  var places: Int?

  /// The cost of a group of places; nil for the default.
  var cost: CoverQuery.Cost?

  /// The maximum distance, such as `5km`; empty for no limit.
  var maximum = ""

  /// The places of the other people, each as `PageState.at`.
  var others: [String] = []

  /// The cost of a place to meet; nil for the default.
  var meetCost: GroupCost?

  /// The ids on the short list.
  var picks: [String] = []

  /// The seed that picks one of the short list.
  var seed: UInt32?

  /// The maximum number of restaurants on the short list.
  static let maximumPicks = 5

  /// The maximum number of people in addition to the visitor.
  static let maximumOthers = Meeting.maximumPoints - 1

  /// The maximum distance in meters.
  var maximumDistance: Double { Parameter.maximumDistance.number(maximum) ?? .infinity }

  /// Whether a want is on the list.
  func isWanted(_ want: String) -> Bool { wants.contains { $0.isUTF8Equal(to: want) } }

  /// Adds a want unless it is already there.
  ///
  /// - Throws: `PageFault` if it is not a want, or the list is full.
  mutating func add(want text: String) throws(PageFault) {
    let want: Want
    do throws(QueryError) {
      want = try Want(requested: text)
    } catch {
      throw PageFault("\(quoted(text)) is not a want: \(error.reason).")
    }
    if isWanted(want.label) { return }
    guard wants.count < CoverQuery.maximumWants else {
      throw PageFault("A list has at most \(CoverQuery.maximumWants) wants.")
    }
    wants.append(want.label)
  }

  /// The plan with one more want; unchanged if it cannot be added.
  func adding(want: String) -> PlanState {
    var plan = self
    try? plan.add(want: want)
    return plan
  }

  /// The plan without this want.
  func removing(want: String) -> PlanState {
    var plan = self
    plan.wants.removeAll { $0.isUTF8Equal(to: want) }
    return plan
  }

  /// The want for words as people type them: a text want, unless they are a condition or have a
  /// prefix.
  ///
  /// `★ 4` is a rating of at least 4, `$$` a price level of at most 2.
  fileprivate static func want(ofWords text: String) -> String {
    let signs = text.filter { $0 != " " }
    if signs.utf8.count < 9, signs.hasPrefix("★") || signs.hasSuffix("★"),
      let rating = DecimalText.number(signs.filter { $0 != "★" })
    {
      return "rating >= \(decimal(rating))"
    }
    if (1...4).contains(signs.utf8.count), signs.utf8.allSatisfy({ $0 == UInt8(ascii: "$") }) {
      return "priceLevel <= \(signs.utf8.count)"
    }
    guard let want = try? Want(parsing: text), let name = want.category,
      name.isUTF8Equal(to: want.label)
    else { return text }
    return "text:" + name
  }

  /// A want whose title has rating and price as signs.
  static func named(_ text: String) throws(QueryError) -> Want {
    var want = try Want(requested: text)
    let parts = want.label.utf8.count < 20 ? want.label.split(separator: " ") : []
    if parts.count == 3, parts[0] == "rating", parts[1] == ">=" {
      want.title = "★ \(parts[2]) or better"
    } else if parts.count == 3, parts[0] == "priceLevel", parts[1] == "<=",
      let level = Int(parts[2]),
      (1...4).contains(level)
    {
      want.title = String(repeating: "$", count: level) + (level == 1 ? "" : " or less")
    }
    return want
  }

  /// The want for a category: its name, unless that would be read as another want.
  static func want(ofCategory name: String) -> String? {
    for text in [name, "category:" + name] {
      if let want = try? Want(parsing: text), want.category?.isUTF8Equal(to: name) == true {
        return want.label
      }
    }
    return nil
  }

  /// The want for an offer; nil if its id cannot be written as one.
  static func want(ofOffer id: String) -> String? {
    guard let want = try? Want(parsing: "offer:" + id), case .offer(let found) = want.places,
      found.isUTF8Equal(to: id)
    else { return nil }
    return want.label
  }

  /// Whether a restaurant is on the short list.
  func isPicked(_ id: String) -> Bool { picks.contains { $0.isUTF8Equal(to: id) } }

  /// The plan with this restaurant added to the short list, or removed from it; nil if the list is
  /// full.
  ///
  /// Another list means another pick, so the seed is dropped.
  func picking(_ id: String) -> PlanState? {
    var plan = self
    plan.seed = nil
    if isPicked(id) {
      plan.picks.removeAll { $0.isUTF8Equal(to: id) }
    } else if picks.count < Self.maximumPicks {
      plan.picks.append(id)
    } else {
      return nil
    }
    return plan
  }

  /// The restaurant of the short list that the seed picks; nil without a seed or a list.
  ///
  /// The pick depends on the set of restaurants, not on their order, and stays when others are
  /// removed.
  var chosen: String? {
    guard let seed else { return nil }
    let lots = picks.map { (id: $0, lot: SHA256.hexDigest(of: Array("\(seed)\n\($0)".utf8))) }
    return lots.min { $0.lot < $1.lot }?.id
  }
}
