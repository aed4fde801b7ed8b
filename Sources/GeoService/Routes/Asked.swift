import GeoQuery
import GeoStore
import HTTPTypes

/// A request that has passed the checks, and everything its answer is made from.
struct Asked: Sendable {
  /// The request.
  var request: ServiceRequest

  /// The resource.
  let route: Route

  /// The decoded `{id}` of the path.
  let id: String?

  /// The parameters of the query.
  let parameters: Parameters

  /// The representation of the answer.
  let representation: Representation

  /// The data that it is answered from.
  let generation: ServedGeneration

  /// Builds links.
  let links: LinkBase

  /// The service that is asked.
  let service: RestaurantService

  /// Whether the client has sent the token.
  let isOwner: Bool

  /// The ids of the favorites, if the answer depends on them and they have been read.
  var favoriteIDs: [String]?

  /// The favorites; nil if the service keeps none.
  var favorites: (any FavoriteKeeping)? { service.favorites }

  /// The operator's settings.
  var settings: ServiceSettings { service.settings }

  /// The snapshot that it is answered from.
  var snapshot: Snapshot { generation.snapshot }

  /// The `timeStamp` of a collection of items: when the service began to serve its generation.
  ///
  /// Not the time of the answer, because answers with the same tag have the same bytes.
  var timeStamp: String? { route == .items ? generation.takenUp : nil }

  /// The query without `f`, for links.
  var pairs: [(name: String, value: String)] {
    parameters.pairs.filter { $0.name != Parameter.format.name }
  }
}

/// How an answer will be made: everything is checked, nothing is searched yet.
struct AnswerPlan: Sendable {
  /// The body of an answer.
  struct Body: Sendable {
    /// The bytes.
    var bytes: [UInt8]

    /// The number of restaurants in it; nil if it has no such number.
    var hits: Int?

    /// The status; bodies of 201 and 204 are empty.
    var status = HTTPResponse.Status.ok

    /// A cookie for the client.
    var cookie: String?

    /// The address for a 303.
    var location: String?

    /// The generation it is from, unless that is the one being served.
    var generation: Int?

    /// The links for the header field `Link`.
    var links: [Link] = []

    /// The media type, if the resource has several.
    var type: String?

    /// The bytes for a client that accepts gzip, if they are available: compressed, or the same.
    var packed: [UInt8]?

    /// Whether the same request gets the same answer: not if the time limit ended the search.
    var isRepeatable = true
  }

  /// What work leads to.
  enum Outcome: Sendable {
    /// The body of the answer.
    case body(Body)
    /// More work: on other threads, or on the same ones when it is the client's turn again.
    case next(AnswerPlan)
  }

  /// The threads that make an answer.
  ///
  /// The choice takes microseconds, whatever the data: what needs a count to be chosen begins in
  /// `pool`.
  enum Place: Sendable {
    /// The event loop, where other connections wait: only for what takes at most 200 µs at any size
    /// of the data (`Tests/cost/search.py`).
    case loop
    /// The threads for queries, which may take milliseconds.
    case pool
    /// The thread for long queries, which may take a tenth of a second.
    case longPool
    /// The threads for plans and for reading all records, which may take as long as a query may.
    case planPool
    /// The thread for documents: what does not depend on the data, and what operators ask for.
    case documents
    /// The threads for queries, but only if one is free soon, which is what the answer reports.
    case readiness
    /// The thread that reads favorites.
    case favoriteRead
    /// The thread that writes favorites, which may have to wait for other programs.
    case favoriteWrite
  }

  /// The threads that make it.
  let place: Place

  /// Does the work.
  let make: @Sendable (Deadline) throws -> Outcome

  init(at place: Place, make: @escaping @Sendable (Deadline) throws -> Body) {
    self.init(at: place, outcome: { deadline in .body(try make(deadline)) })
  }

  /// A plan whose work may be continued.
  init(at place: Place, outcome make: @escaping @Sendable (Deadline) throws -> Outcome) {
    self.place = place
    self.make = make
  }

  /// A body made on the event loop.
  static func light(_ make: @escaping @Sendable () -> [UInt8]) -> AnswerPlan {
    AnswerPlan(at: .loop) { _ in Body(bytes: make()) }
  }

  /// A body with links made on the event loop.
  static func light(_ make: @escaping @Sendable () -> Body) -> AnswerPlan {
    AnswerPlan(at: .loop) { _ in make() }
  }
}

extension Asked {
  /// The plan for a GET.
  ///
  /// - Throws: `Problem` if the request cannot be answered.
  func plan() throws -> AnswerPlan {
    let plan = try routePlan()
    // a page for people is written on the thread that makes its data
    let isLight = if case .loop = plan.place { true } else { false }
    guard isLight, representation == .html, route.isOfAPI, documentBody == nil else { return plan }
    return AnswerPlan(at: .pool, outcome: plan.make)
  }

  private func routePlan() throws -> AnswerPlan {
    switch route {
    case .landing: .light(landing)
    case .conformance: .light(conformance)
    case .collections: .light(collections)
    case .collection: .light(collection)
    case .schema: .light(schema)
    case .icon: .light { Icon.bytes }
    case .api:
      representation == .html
        ? document(apiPage)
        : document {
          OpenAPIDocument(base: links, routes: service.routes.filter(\.isOfAPI)).bytes
        }
    case .apiPage: document(apiPage)
    case .items: try items()
    case .item: try item()
    case .nearest: try nearest()
    case .radius, .box: try region()
    case .countRadius, .countBox: try count()
    case .facets: try facets()
    case .cover: try cover()
    case .meet: try meet()
    case .offers: try offers()
    case .offer: try offer()
    case .tile, .tileOfSet: try tile()
    case .tileJSON: try tileJSON()
    case .style: try style()
    case .tileSets: try tileSets()
    case .tileSet: try tileSet()
    case .density: try density()
    case .basemap: try basemapJSON()
    case .basemapTile: try basemapTile()
    case .favorites: try favoriteList()
    case .favorite: throw Problem.notAllowed(route.allow)
    case .session: throw Problem.notAllowed(route.allow)
    case .health: .light { ServiceStatus(service).json(of: generation) }
    case .ready:
      AnswerPlan(at: .readiness) { _ in try ServiceStatus(service).readiness(of: generation) }
    case .metrics:
      AnswerPlan(at: .documents) { _ in
        AnswerPlan.Body(bytes: ServiceStatus(service).metricsText(of: generation))
      }
    case .lunch: lunchPage(.lunch)
    case .map: lunchPage(.map)
    case .restaurantPage: restaurantPage()
    case .favoritesPage: favoritesPage()
    case .wantsPage: wantsPage()
    case .offersPage: offersPage()
    case .offerPage: try offerPage()
    case .meetPage: meetPage()
    case .shortListPage: shortListPage()
    case .internets: internetsPage()
    case .pageSession, .pageSessionEnd: throw Problem.notAllowed(route.allow)
    case .pageStyle, .pageScript, .mapScript, .mapLand, .mapLibrary, .mapLibraryStyle:
      try pageAsset()
    case .licenses: licensesPage()
    case .image: throw Problem.noImage
    }
  }
}
