import GeoIndex
import GeoQuery

/// What all parts of a page have in common.
struct PageContext: Sendable {
  /// Where favorites are kept.
  enum Keeping: Sendable {
    /// In the service's database: the client has the token.
    case service
    /// In the browser; whether a token could change that.
    case device(canSignIn: Bool)
  }

  /// Where links point to.
  let links: LinkBase

  /// What the page shows.
  let view: PageView

  /// Where favorites are kept.
  let keeping: Keeping

  /// The units of distances.
  let units: PageUnits

  /// The operator's places.
  let places: [NamedPlace]

  /// The restaurants.
  let snapshot: Snapshot

  /// The ids of the favorites that the service keeps.
  let favorites: Set<ByteKey>

  /// Where the visitor is.
  let place: PagePlace?

  /// What was wrong with the address.
  var faults: [String]

  init(
    _ view: PageView,
    keeping: Keeping,
    favoriteIDs: [String],
    acceptLanguage: String?,
    places: [NamedPlace],
    snapshot: Snapshot,
    links: LinkBase
  ) throws {
    self.view = view
    self.keeping = keeping
    self.places = places
    self.snapshot = snapshot
    self.links = links
    units = view.units ?? PageUnits(acceptLanguage: acceptLanguage)
    favorites = Set(favoriteIDs.map { ByteKey($0) })
    var faults = view.faults
    do {
      place = try PagePlace.find(view, among: places, snapshot)
    } catch let fault as PageFault {
      place = nil
      faults.append(fault.sentence)
    }
    self.faults = faults
  }

  /// Whether the service keeps the favorites.
  var isKeptByService: Bool {
    if case .service = keeping { true } else { false }
  }

  /// The address of a view.
  func address(_ view: PageView) -> String { links.address(view.path, view.pairs) }

  /// The address of a resource.
  func address(_ route: Route, _ pairs: [(name: String, value: String)] = []) -> String {
    links.address(route.path, pairs)
  }

  /// The address of a resource that has an id.
  func address(_ route: Route, id: String) -> String {
    links.address(route.path.replacing("{id}", with: PercentCoding.encoded(id)))
  }

  /// Meters to a restaurant; nil if no place is known.
  func distance(to restaurant: Restaurant) -> Double? {
    place.map { $0.coordinate.distance(to: restaurant.coordinate) }
  }
}
