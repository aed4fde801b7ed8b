import HTTPTypes

/// Every resource of the service: what answers, checks and the OpenAPI document go by.
enum Route: String, CaseIterable, Sendable {
  case landing
  case conformance
  case api
  case apiPage
  case collections
  case collection
  case items
  case item
  case schema
  case nearest
  case radius
  case box
  case countRadius
  case countBox
  case facets
  case cover
  case meet
  case offers
  case offer
  case tile
  case tileJSON
  case style
  case tileSets
  case tileSet
  case tileOfSet
  case favorites
  case favorite
  case session
  case health
  case ready
  case metrics
  case icon
  case lunch
  case restaurantPage
  case favoritesPage
  case internets
  case pageSession
  case pageStyle
  case pageScript

  /// The path; `{id}` and the like stand for one segment (`pathNames`).
  var path: String {
    switch self {
    case .landing: "/"
    case .conformance: "/conformance"
    case .api: "/api"
    case .apiPage: "/api.html"
    case .collections: "/collections"
    case .collection: "/collections/restaurants"
    case .items: "/collections/restaurants/items"
    case .item: "/collections/restaurants/items/{id}"
    case .schema: "/collections/restaurants/schema"
    case .nearest: "/nearest"
    case .radius: "/radius"
    case .box: "/bbox"
    case .countRadius: "/count/radius"
    case .countBox: "/count/bbox"
    case .facets: "/facets"
    case .cover: "/cover"
    case .meet: "/meet"
    case .offers: "/offers"
    case .offer: "/offers/{id}"
    case .tile: "/tiles/{z}/{x}/{y}.mvt"
    case .tileJSON: "/tiles.json"
    case .style: "/style.json"
    case .tileSets: "/collections/restaurants/tiles"
    case .tileSet: "/collections/restaurants/tiles/WebMercatorQuad"
    case .tileOfSet:
      "/collections/restaurants/tiles/WebMercatorQuad/{tileMatrix}/{tileRow}/{tileCol}"
    case .favorites: "/favorites"
    case .favorite: "/favorites/{id}"
    case .session: "/session"
    case .health: "/healthz"
    case .ready: "/readyz"
    case .metrics: "/metrics"
    case .icon: "/favicon.ico"
    case .lunch: "/app/"
    case .restaurantPage: "/app/restaurants/{id}"
    case .favoritesPage: "/app/favorites"
    case .internets: "/app/internets"
    case .pageSession: "/app/session"
    case .pageStyle: "/app/style.css"
    case .pageScript: "/app/script.js"
    }
  }

  /// What it comes as, the preferred first.
  var representations: [Representation] {
    switch self {
    case .landing, .conformance, .collections, .collection, .offers, .offer: [.json, .html]
    case .api: [.openAPI, .html]
    case .apiPage, .lunch, .restaurantPage, .favoritesPage, .internets, .pageSession: [.html]
    case .pageStyle: [.style]
    case .pageScript: [.script]
    case .items, .item: [.geojson, .html]
    case .nearest, .radius, .box, .favorites: [.geojson]
    case .countRadius, .countBox, .facets, .favorite, .session, .health, .ready: [.json]
    case .cover, .meet: [.json, .geojson, .html]
    case .metrics: [.prometheus]
    case .tile, .tileOfSet: [.tile]
    case .tileJSON, .style, .tileSets, .tileSet: [.json]
    case .schema: [.schema, .html]
    case .icon: [.icon]
    }
  }

  /// The query parameters of GET.
  var parameters: [Parameter] {
    switch self {
    case .landing: Self.ofLanding
    case .lunch: Self.tokenOnly
    case .conformance, .api, .collections, .collection, .item, .schema: Self.formatOnly
    case .items: Self.ofItems
    case .nearest: Self.ofNearest
    case .radius: Self.ofRadius
    case .box: Self.ofBox
    case .countRadius: Self.ofCountRadius
    case .countBox: Self.ofCountBox
    case .facets: Self.ofFacets
    case .cover: Self.ofCover
    case .meet: Self.ofMeet
    case .tile, .tileOfSet: Self.ofTiles
    case .tileJSON, .style, .tileSets, .tileSet: Self.ofTileSets
    case .favorites: Self.ofFavorites
    case .offers: Self.ofOffers
    case .offer: Self.ofOffer
    case .apiPage, .favorite, .session, .health, .ready, .metrics, .icon: []
    // pages read their own, leniently: `PageView`
    case .restaurantPage, .favoritesPage, .internets, .pageSession, .pageStyle, .pageScript: []
    }
  }

  // made once: every request asks for them
  private static let formatOnly: [Parameter] = [.format]
  private static let ofLanding: [Parameter] = [.format, .token]
  private static let tokenOnly: [Parameter] = [.token]
  private static let ofItems: [Parameter] =
    [.limit, .box, .datetime] + Parameter.filters
    + [.ids, .sortBy, .cursor, .offset, .mark, .format]
  private static let ofNearest: [Parameter] =
    [.latitude, .longitude, .count, .maximumDistance] + Parameter.filters
    + [.sortByAny, .largeLimit, .cursor, .offset, .mark]
  private static let ofRadius: [Parameter] =
    [.latitude, .longitude, .radius] + Parameter.filters
    + [.sortByAny, .largeLimit, .cursor, .offset, .mark]
  private static let ofBox: [Parameter] =
    [.requiredBox] + Parameter.filters + [.sortBy, .largeLimit, .cursor, .offset, .mark]
  private static let ofFavorites: [Parameter] = [.sortBy, .largeLimit, .cursor]
  private static let ofCountRadius: [Parameter] =
    [.latitude, .longitude, .radius] + Parameter.filters
  private static let ofCountBox: [Parameter] = [.requiredBox] + Parameter.filters
  private static let ofOffers: [Parameter] =
    [.offerWords, .offerCategory, .chain, .optionalPointLatitude, .optionalPointLongitude]
    + [.maximumDistance, .offerLimit, .offset, .format]
  private static let ofOffer: [Parameter] =
    [.optionalPointLatitude, .optionalPointLongitude, .format]
  private static let ofFacets: [Parameter] =
    [.by, .box, .optionalLatitude, .optionalLongitude, .optionalRadius] + Parameter.filters

  private static let ofCover: [Parameter] =
    [.latitude, .longitude, .want, .places, .coverBy, .maximumDistance, .prefer, .rank, .frontier]
    + [.planFormat]
  private static let ofMeet: [Parameter] =
    [.at, .meetBy, .count] + Parameter.filters + [.planFormat]
  private static let ofTiles: [Parameter] = Parameter.filters + [.ids]
  private static let ofTileSets: [Parameter] = ofTiles + [.jsonFormat]

  /// The methods; HEAD goes with GET.
  var methods: [HTTPRequest.Method] {
    switch self {
    case .nearest, .cover: [.get, .post]
    case .favorite: [.put, .delete]
    case .session, .pageSession: [.post]
    case .favoritesPage: [.get, .post]
    default: [.get]
    }
  }

  /// Whether it belongs to whoever has the token, and is never let be read by other origins' pages.
  var isPrivate: Bool {
    switch self {
    case .favorites, .favorite, .session, .metrics: true
    default: isPage
    }
  }

  /// How long a body may be.
  var bodyLimit: Int {
    switch self {
    case .nearest, .cover: ServiceLimits.bodyLength
    case .favoritesPage: ServiceLimits.formLength
    default: ServiceLimits.smallBodyLength
    }
  }

  /// Whether it is a page of the lunch page: for people, its query read leniently.
  var isPage: Bool {
    switch self {
    case .lunch, .restaurantPage, .favoritesPage, .internets, .pageSession: true
    default: false
    }
  }

  /// Whether programs are meant to use it: the document of the API has those that are.
  var isOfAPI: Bool { !isPage && self != .pageStyle && self != .pageScript }

  /// Those of the methods that change nothing: the only ones that other origins may be let use.
  var readingMethods: [HTTPRequest.Method] {
    isPrivate ? [] : methods.filter { $0 == .get || $0 == .post }
  }

  /// The methods as `Allow` has them.
  var allow: String { Self.list(methods) }

  /// Methods as header fields list them.
  static func list(_ methods: [HTTPRequest.Method]) -> String {
    let names = methods.flatMap { $0 == .get ? ["GET", "HEAD"] : [$0.rawValue] }
    return (names + ["OPTIONS"]).joined(separator: ", ")
  }

  /// Whether an answer depends on the data, and on nothing else but the request.
  var isCacheable: Bool {
    switch self {
    case .favorites, .favorite, .session, .health, .ready, .metrics: false
    default: !isPage
    }
  }

  /// `Cache-Control`: asking again costs little if nothing has changed, and the icon never changes.
  var caching: String {
    if self == .icon { return "max-age=86400" }
    if isPage { return "private, no-cache" }
    return isCacheable ? "no-cache" : "no-store"
  }
}

extension Route {
  /// The route of a path, and what stands for `{id}` in it, decoded; of a tile `z/x/y`.
  ///
  /// - Throws: `Problem` 404 where there is none, 400 where the id's escapes are broken.
  static func find(_ path: Substring) throws -> (route: Route, id: String?) {
    // a target is ASCII
    if let route = byPath[String(path)] { return (route, nil) }
    if let tile = findTile(path) { return tile }
    guard let (route, folder) = folders.first(where: { path.hasPrefix($0.folder) }) else {
      throw Problem.unknownPath
    }
    let segment = path.dropFirst(folder.count)
    guard !segment.isEmpty, !segment.contains("/") else { throw Problem.unknownPath }
    guard let id = PercentCoding.decoded(segment) else { throw Problem.brokenEscape }
    return (route, id)
  }

  /// The query parameters of GET at a service, which may keep no favorites.
  func parameters(keepsFavorites: Bool) -> [Parameter] {
    keepsFavorites ? parameters : parameters.filter { !$0.isOfFavorites }
  }

  /// What a service has that keeps no favorites.
  static let withoutFavorites = allCases.filter { $0 != .favorites && $0 != .favorite }

  /// Whether an answer depends on the offers.
  var usesOffers: Bool { self == .offers || self == .offer || self == .cover }

  private static let byPath = Dictionary(
    uniqueKeysWithValues: allCases.filter(\.pathNames.isEmpty).map { ($0.path, $0) }
      + [("/app", .lunch)]
  )

  private static let folders = [Route.item, .favorite, .restaurantPage, .offer].map { route in
    (route: route, folder: route.path.replacing("{id}", with: ""))
  }
}
