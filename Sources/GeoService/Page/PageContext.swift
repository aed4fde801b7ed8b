import GeoIndex
import GeoQuery

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

  /// Builds links.
  let links: LinkBase

  /// What the page shows.
  let view: PageView

  /// Where favorites are kept.
  let keeping: Keeping

  /// The units of distances.
  let units: PageUnits

  /// The operator's settings.
  let settings: ServiceSettings

  /// The operator's places.
  var places: [NamedPlace] { settings.places }

  /// The settings of maps.
  var maps: MapSettings { settings.maps }

  /// The restaurants.
  let snapshot: Snapshot

  /// The credits of their sources.
  let credits: Credits

  /// The ids of the favorites that the service keeps.
  let favorites: Set<UTF8Key>

  /// The visitor's place.
  let place: PagePlace?

  /// Sentences about what is wrong in the address.
  var faults: [String]

  init(
    _ view: PageView,
    keeping: Keeping,
    favoriteIDs: [String],
    acceptLanguage: String?,
    settings: ServiceSettings,
    generation: ServedGeneration,
    links: LinkBase
  ) throws {
    self.view = view
    self.keeping = keeping
    self.settings = settings
    snapshot = generation.snapshot
    credits = generation.credits
    self.links = links
    units = view.units ?? PageUnits(acceptLanguage: acceptLanguage)
    favorites = Set(favoriteIDs.map { UTF8Key($0) })
    var faults = view.faults
    if case .unavailable = keeping {
      faults.append("Favorites are not available now; try again later.")
    }
    do {
      place = try PagePlace.find(view, among: settings.places, snapshot)
    } catch let fault as PageFault {
      place = nil
      faults.append(fault.sentence)
    }
    if view.order?.needsCenter == true, place == nil, view.at.isEmpty, view.near.isEmpty {
      faults.append("Nearest first needs a place: press Near me, or write one under From where.")
    }
    self.faults = faults
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

  /// The address of a view.
  func address(_ view: PageView) -> String { links.address(view.path, view.pairs) }

  /// The address of a resource.
  func address(_ endpoint: Endpoint, _ pairs: [(name: String, value: String)] = []) -> String {
    links.address(endpoint.path, pairs)
  }

  /// The address of a resource that has an id.
  func address(_ endpoint: Endpoint, id: String) -> String {
    links.address(endpoint.path.replacing("{id}", with: PercentCoding.encoded(id)))
  }

  /// The addresses of a restaurant's images at this service.
  func imageAddresses(of restaurant: Restaurant) -> [String] {
    guard let images = settings.images else { return [] }
    let folder = Endpoint.image.path.replacing(
      "{id}",
      with: PercentCoding.encoded(restaurant.id)
    )
    return images.numbers(of: restaurant).map { number in
      links.address(folder.replacing("{n}", with: String(number)))
    }
  }

  /// The distance to a restaurant in meters; nil if no place is known.
  func distance(to restaurant: Restaurant) -> Double? {
    place.map { $0.coordinate.distance(to: restaurant.coordinate) }
  }
}
