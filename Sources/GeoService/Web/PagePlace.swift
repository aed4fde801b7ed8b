import GeoFeed
package import GeoIndex
import GeoQuery

/// A place that the operator has named (`Office=32.95,-96.82`), or one that a visitor has typed.
package struct NamedPlace: Sendable {
  /// The name that people read.
  package let name: String

  /// The point from which distances are measured.
  package let coordinate: Coordinate

  package init(name: String, coordinate: Coordinate) {
    self.name = name
    self.coordinate = coordinate
  }
}

extension NamedPlace {
  private init(_ restaurant: Restaurant) {
    self.init(name: restaurant.name, coordinate: restaurant.coordinate)
  }

  /// The place in the state of a page; nil if it has none.
  ///
  /// Without one it is the first of the operator's places; people who meet say where they are.
  ///
  /// - Throws: `PageFault` if there is no such place.
  static func find(_ view: PageState, _ request: RequestContext) throws -> NamedPlace? {
    // a typed place takes precedence over a link that was followed earlier
    guard view.at.isEmpty else { return try find(view.at, request) }
    guard !view.near.isEmpty else {
      return view.endpoint == .meetPage ? nil : request.settings.places.first
    }
    guard let restaurant = try request.snapshot.restaurant(id: view.near) else {
      throw PageFault("The restaurant to measure from is not there any more.")
    }
    return NamedPlace(restaurant)
  }

  /// Finds a place as people type it: a name that the operator gave, a position in any usual form, the
  /// id of a restaurant, a postal code or a city of restaurants, or words of a restaurant's name and
  /// address.
  ///
  /// A postal code and a city are in the middle of their restaurants.
  ///
  /// - Throws: `PageFault` if there is no such place, with the restaurants that may be meant if there
  ///   are several.
  static func find(_ text: String, _ request: RequestContext) throws -> NamedPlace {
    let places = request.settings.places
    let name = folded(text)
    if let place = places.first(where: { folded($0.name).isUTF8Equal(to: name) }) { return place }
    if let degrees = PositionText.degrees(in: text) {
      guard let coordinate = Coordinate(latitude: degrees.latitude, longitude: degrees.longitude)
      else {
        throw PageFault(
          "\(quoted(text)) is not on the Earth: latitude comes first, then longitude."
        )
      }
      let isAddress = text.utf8.contains(UInt8(ascii: "/"))
      return NamedPlace(name: isAddress ? "the map’s place" : text, coordinate: coordinate)
    }
    if let place = try placeOfRestaurants(text, request) { return place }
    let known = places.map(\.name)
    let others = known.isEmpty ? "" : ", or one of: " + known.joined(separator: ", ")
    throw PageFault(
      "\(quoted(text)) is not a place here. Write a restaurant’s name, an address, a city, a postal code, or "
        + "latitude and longitude, such as 32.95,-96.82\(others)."
    )
  }

  /// The place of a text that is an id, a postal code, a city, or words of one restaurant; nil if no
  /// restaurant has it.
  ///
  /// - Throws: `PageFault` with the restaurants that may be meant if there are several.
  private static func placeOfRestaurants(
    _ text: String,
    _ request: RequestContext
  ) throws -> NamedPlace? {
    if let restaurant = try request.snapshot.restaurant(id: text) { return NamedPlace(restaurant) }
    // postal codes are in no column: only what may be one is looked for in the records
    let isCode = text.utf8.count <= 12 && text.utf8.contains(where: \.isDigit)
    for field in isCode ? [Condition.Field.postalCode, .city] : [.city] {
      guard let condition = try? Condition(field, .equal, text) else { continue }
      let found = try restaurants(Filter(conditions: [condition]), count: 1_000, request)
      if let middle = middle(of: found.map(\.coordinate)) {
        return NamedPlace(name: text, coordinate: middle)
      }
    }
    let found = try restaurants(Filter(text: text), count: 6, request)
    if found.isEmpty { return nil }
    let exact = found.filter { folded($0.name).isUTF8Equal(to: folded(text)) }
    if let only = found.count == 1 ? found[0] : exact.count == 1 ? exact[0] : nil {
      return NamedPlace(only)
    }
    throw PageFault("Several places are called \(quoted(text)). Which one?", found)
  }

  /// The first restaurants that match; none if finding them takes too long.
  private static func restaurants(
    _ filter: Filter,
    count: Int,
    _ request: RequestContext
  ) throws -> [Restaurant] {
    let deadline = Deadline(in: .milliseconds(500))
    let query = Query(.everywhere, matching: filter, limit: count, until: deadline)
    do {
      return try request.generation.engine.page(query).matches.map(\.restaurant)
    } catch is QueryTimeout {
      return []
    }
  }

  /// The middle one by latitude and the middle one by longitude, which a wrong one does not move far.
  private static func middle(of points: [Coordinate]) -> Coordinate? {
    guard let first = points.first else { return nil }
    let latitudes = points.map(\.latitude).sorted()
    // measured from the first, because a city may lie at ±180
    let offsets = points.map { ($0.longitude - first.longitude).remainder(dividingBy: 360) }
      .sorted()
    let longitude = (first.longitude + offsets[offsets.count / 2]).remainder(dividingBy: 360)
    return Coordinate(latitude: latitudes[latitudes.count / 2], longitude: longitude)
  }
}
