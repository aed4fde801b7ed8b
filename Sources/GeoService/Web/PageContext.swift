import GeoIndex
import GeoQuery
import GeoStore
import HTTPTypes

/// What all parts of a page need.
struct PageContext: Sendable {
  /// Where favorites are kept.
  enum Keeping: Sendable {
    /// In the service's database: the client has the token.
    case service
    /// In the browser; `canSignIn` if the service accepts a token, which would change that.
    case device(canSignIn: Bool)
    /// In the service's database, which cannot be read now.
    case unavailable
  }

  let links: LinkBase
  let view: PageState
  let keeping: Keeping
  let units: PageUnits
  let settings: ServiceSettings

  /// The operator's places.
  var places: [NamedPlace] { settings.places }

  var maps: MapSettings { settings.maps }

  /// The data that the page shows.
  private let generation: ServedGeneration

  /// The names of the saved areas that a page offers.
  var areas: [String] { generation.areas.prefix(100).map(\.saved.name) }

  var snapshot: Snapshot { generation.snapshot }

  /// The credits of their sources.
  var credits: Credits { generation.credits }

  /// What a list offers to choose from.
  var offered: PageChoices { generation.pageChoices() }

  /// The ids of the favorites that the service keeps.
  let favorites: Set<UTF8Key>

  /// The visitor's place.
  let place: NamedPlace?

  /// Sentences about what is wrong in the address.
  var faults: [String] = []

  /// The restaurants that a typed place may mean, with links that choose one.
  var choices: [(name: String, view: PageState)] = []

  /// - Throws: `SnapshotError` if the snapshot is damaged.
  init(_ request: RequestContext, _ view: PageState) throws {
    self.view = view
    settings = request.settings
    generation = request.generation
    links = request.links
    units = view.units ?? PageUnits(acceptLanguage: request.request.fields[.acceptLanguage])
    favorites = Set((request.favoriteIDs ?? []).map { UTF8Key($0) })
    faults = view.faults
    if !request.usesFavorites {
      keeping = .device(canSignIn: request.favorites != nil)
    } else if request.favoriteIDs != nil {
      keeping = .service
    } else {
      keeping = .unavailable
      faults.append("Favorites are not available now; try again later.")
    }
    do {
      place = try NamedPlace.find(view, request)
    } catch let fault as PageFault {
      place = nil
      note(fault) { $0.at = $1 }
    }
    if view.order?.needsCenter == true, place == nil, view.at.isEmpty, view.near.isEmpty {
      faults.append("Nearest first needs a place: press Near me, or write one under From where.")
    }
  }

  /// Notes a fault, and offers the restaurants that may be meant, with their streets to tell them apart.
  mutating func note(_ fault: PageFault, choosing choose: (inout PageState, String) -> Void) {
    faults.append(fault.sentence)
    choices += fault.choices.map { restaurant in
      var chosen = view.fromBeginning
      choose(&chosen, restaurant.id)
      let street = RestaurantCard.addressLines(of: restaurant).first
      return (street.map { "\(restaurant.name), \($0)" } ?? restaurant.name, chosen)
    }
  }

  /// Whether the service keeps the favorites.
  var isKeptByService: Bool {
    if case .service = keeping { true } else { false }
  }

  /// The order: by distance if a place is known and the address has no other; nil for the order by
  /// id.
  var order: Order? {
    guard let order = view.order, !order.needsCenter else {
      return place == nil ? nil : Order(by: .distance)
    }
    return order
  }

  /// The order for a query, whose region has the order by distance already.
  var listOrder: Order? { order?.needsCenter == true ? nil : order }

  /// The address of a page in this state.
  func address(_ view: PageState) -> String { links.address(view.path, view.pairs) }

  /// The address of this page with some parts changed, and without its notice.
  func address(_ edit: (inout PageState) -> Void) -> String { address(view.with(edit)) }

  /// The address of another page with the same place, units and plan.
  func link(to endpoint: Endpoint, id: String? = nil) -> String {
    address(view.leading(to: endpoint, id: id))
  }

  func address(_ endpoint: Endpoint, _ pairs: [(name: String, value: String)] = []) -> String {
    links.address(endpoint, pairs)
  }

  /// The address of a resource that has an id.
  func address(_ endpoint: Endpoint, id: String) -> String {
    links.address(endpoint.path(id: id))
  }

  /// The address of a file that pages load, with its hash.
  func address(_ endpoint: Endpoint, _ file: PageAsset) -> String {
    address(endpoint, [("v", file.tag)])
  }

  /// The addresses of a restaurant's images at this service.
  func imageAddresses(of restaurant: Restaurant) -> [String] {
    imageAddresses(restaurant.pictured, Endpoint.image.path(id: restaurant.id))
  }

  /// The addresses of an offer's images at this service.
  func imageAddresses(of offer: Offer) -> [String] {
    imageAddresses(offer.pictured, Endpoint.offerImage.path(id: offer.id))
  }

  private func imageAddresses(_ pictured: Pictured, _ path: String) -> [String] {
    (settings.images?.numbers(of: pictured) ?? []).map { number in
      links.address(path.replacing("{n}", with: String(number)))
    }
  }

  /// The day for which offers are asked.
  var day: CalendarDay { view.plan.on ?? .today }

  /// The day before which offers must not have ended; nil if those that have ended count too.
  var lastDay: CalendarDay? { view.expired ? nil : day }

  /// The distance to a restaurant in meters; nil if no place is known.
  func distance(to restaurant: Restaurant) -> Double? {
    place.map { $0.coordinate.distance(to: restaurant.coordinate) }
  }
}

/// The units in which a page shows distances.
enum PageUnits: String, Sendable, CaseIterable {
  case kilometers = "km"
  case miles = "mi"

  /// Chooses units by the country in a browser's language: miles for the United States and the
  /// United Kingdom.
  init(acceptLanguage: String?) {
    let first = acceptLanguage?.utf8.prefix { $0 != UInt8(ascii: ",") } ?? ""[...].utf8
    self =
      first.isEqualIgnoringCase("en-us") || first.isEqualIgnoringCase("en-gb")
      ? .miles : .kilometers
  }

  var other: PageUnits { self == .miles ? .kilometers : .miles }

  /// The name that people read.
  var title: String { self == .miles ? "miles" : "kilometers" }

  /// A distance as people write it: `73 m`, `1.2 km`, `240 ft`, `0.8 mi`.
  func text(of meters: Double) -> String {
    switch self {
    case .kilometers where meters < 999.5: "\(Int(meters.rounded())) m"
    case .kilometers: Self.short(meters / 1_000) + " km"
    case .miles where meters < 160: "\(Int((meters / 3.048).rounded()) * 10) ft"
    case .miles: Self.short(meters / 1_609.344) + " mi"
    }
  }

  private static func short(_ number: Double) -> String {
    number < 9.95 ? decimal(number) : "\(Int(number.rounded()))"
  }
}

/// A count with its noun: `1 place`, `3 places`.
func counted(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }

/// The number of places of a chain or an offer, which may have none in the data.
func placesInData(_ count: Int) -> String {
  count == 0 ? "no branch in the data" : counted(count, "place")
}

extension String {
  /// The day of a time (RFC 3339): `2026-11-28`.
  var day: String { String(prefix(10)) }
}

/// A number with at most one decimal: `4.5`, `4`.
func decimal(_ number: Double) -> String {
  guard abs(number) < 1e9 else { return "\(number)" }
  let tenths = Int((number * 10).rounded())
  return tenths % 10 == 0
    ? "\(tenths / 10)" : "\(tenths < 0 ? "-" : "")\(abs(tenths) / 10).\(abs(tenths) % 10)"
}
