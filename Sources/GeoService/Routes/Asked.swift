import GeoQuery
import GeoStore
import HTTPTypes

/// A request that has passed the checks: what its answer is made from.
struct Asked: Sendable {
  /// The request.
  var request: ServiceRequest

  /// The resource.
  let route: Route

  /// What stands for `{id}`.
  let id: String?

  /// The query's parameters.
  let parameters: Parameters

  /// What the answer is written as.
  let representation: Representation

  /// What it is answered from.
  let generation: ServedGeneration

  /// Where links point to.
  let links: LinkBase

  /// Where favorites are kept; nil where none are.
  let favorites: (any FavoriteKeeping)?

  /// What the service has.
  let routes: [Route]

  /// The operator's places.
  let places: [NamedPlace]

  /// Whether the client has shown the token.
  let isOwner: Bool

  /// The ids of the favorites, if the answer depends on them and they have been read.
  var favoriteIDs: [String]?

  /// The snapshot that it is answered from.
  var snapshot: Snapshot { generation.snapshot }

  /// What a collection of items says of its time: when its generation was taken up.
  ///
  /// Not the moment of the answer: an answer with the same tag has the same bytes.
  var timeStamp: String? { route == .items ? generation.takenUp : nil }

  /// The query without `f`, for links.
  var pairs: [(name: String, value: String)] {
    parameters.pairs.filter { $0.name != Parameter.format.name }
  }
}

/// What an answer is going to be: everything is checked, nothing is searched yet.
struct AnswerPlan: Sendable {
  /// The body of an answer.
  struct Body: Sendable {
    /// The bytes.
    var bytes: [UInt8]

    /// How many restaurants they hold; nil where that has no meaning.
    var hits: Int?

    /// The status: 201 and 204 have no body.
    var status = HTTPResponse.Status.ok

    /// A cookie for the client.
    var cookie: String?

    /// Where the client goes on, for 303.
    var location: String?

    /// The generation it is from, where that is not the one being served.
    var generation: Int?

    /// The links in it, for the header field `Link`.
    var links: [Link] = []

    /// Whether the same request has the same answer: not if the time limit has decided.
    var isRepeatable = true
  }

  /// Where an answer is made.
  enum Place: Sendable {
    /// At once, where other connections wait.
    case loop
    /// On one of the threads for queries: it may take milliseconds.
    case pool
    /// On the thread for long queries: it may take a tenth of a second.
    case longPool
    /// On the threads for plans: it may take as long as a query may.
    case planPool
    /// On one of the threads for queries, but only if one is free soon: that is what it answers.
    case readiness
    /// On the thread that reads favorites.
    case favoriteRead
    /// On the thread that writes favorites, which may have to wait for other programs.
    case favoriteWrite
  }

  /// Where it is made.
  let place: Place

  /// Makes the body.
  let make: @Sendable (Deadline) throws -> Body

  init(at place: Place, make: @escaping @Sendable (Deadline) throws -> Body) {
    self.place = place
    self.make = make
  }

  /// A body that is made at once.
  static func light(_ make: @escaping @Sendable () -> [UInt8]) -> AnswerPlan {
    AnswerPlan(at: .loop) { _ in Body(bytes: make()) }
  }

  /// A body with links that is made at once.
  static func light(_ make: @escaping @Sendable () -> Body) -> AnswerPlan {
    AnswerPlan(at: .loop) { _ in make() }
  }
}

extension Asked {
  /// The plan for a GET.
  ///
  /// - Throws: `Problem` for what cannot be answered.
  func plan(_ status: ServiceStatus) throws -> AnswerPlan {
    switch route {
    case .landing: .light(landing)
    case .conformance: .light(conformance)
    case .collections: .light(collections)
    case .collection: .light(collection)
    case .schema: .light(schema)
    case .icon: .light { Icon.bytes }
    case .api:
      representation == .html
        ? .light(apiPage)
        : .light { OpenAPIDocument(base: links, routes: routes.filter(\.isOfAPI)).bytes }
    case .apiPage: .light(apiPage)
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
    case .favorites: try favoriteList()
    case .favorite: throw Problem.notAllowed(route.allow)
    case .session: throw Problem.notAllowed(route.allow)
    case .health: .light { status.json(of: generation) }
    case .ready: AnswerPlan(at: .readiness) { _ in try status.readiness(of: generation) }
    case .metrics: .light { status.metricsText(of: generation) }
    case .lunch: lunchPage()
    case .restaurantPage: restaurantPage()
    case .favoritesPage: favoritesPage()
    case .internets: internetsPage()
    case .pageSession: throw Problem.notAllowed(route.allow)
    case .pageStyle: .light { PageAsset.style.bytes }
    case .pageScript: .light { PageAsset.script.bytes }
    }
  }
}
