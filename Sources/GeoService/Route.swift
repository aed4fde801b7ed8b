import HTTPTypes

/// A resource of the service: answers, checks and the OpenAPI document are made by it.
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
  case density
  case basemap
  case basemapTile
  case favorites
  case favorite
  case session
  case health
  case ready
  case metrics
  case icon
  case lunch
  case map
  case restaurantPage
  case favoritesPage
  case wantsPage
  case offersPage
  case offerPage
  case meetPage
  case shortListPage
  case internets
  case pageSession
  case pageSessionEnd
  case pageStyle
  case pageScript
  case mapScript
  case mapLand
  case mapLibrary
  case mapLibraryStyle
  case licenses
  case image

  /// The path; `{id}` and other names in braces stand for one segment (`pathNames`).
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
    case .density: "/density"
    case .basemap: "/basemap.json"
    case .basemapTile: "/basemap/{z}/{x}/{y}"
    case .favorites: "/favorites"
    case .favorite: "/favorites/{id}"
    case .session: "/session"
    case .health: "/healthz"
    case .ready: "/readyz"
    case .metrics: "/metrics"
    case .icon: "/favicon.ico"
    case .lunch: "/app/"
    case .map: "/app/map"
    case .restaurantPage: "/app/restaurants/{id}"
    case .favoritesPage: "/app/favorites"
    case .wantsPage: "/app/wants"
    case .offersPage: "/app/offers"
    case .offerPage: "/app/offers/{id}"
    case .meetPage: "/app/meet"
    case .shortListPage: "/app/shortlist"
    case .internets: "/app/internets"
    case .pageSession: "/app/session"
    case .pageSessionEnd: "/app/session/end"
    case .pageStyle: "/app/style.css"
    case .pageScript: "/app/script.js"
    case .mapScript: "/app/map.js"
    case .mapLand: "/app/land.geojson"
    case .mapLibrary: "/app/openlayers.js"
    case .mapLibraryStyle: "/app/openlayers.css"
    case .licenses: "/app/licenses"
    case .image: "/images/{id}/{n}"
    }
  }

  /// The representations, the preferred one first.
  var representations: [Representation] {
    switch self {
    case .landing, .conformance, .collections, .collection, .offers, .offer: [.json, .html]
    case .api: [.openAPI, .html]
    case .apiPage, .lunch, .map, .restaurantPage, .favoritesPage, .internets, .pageSession,
      .licenses:
      [.html]
    case .wantsPage, .offersPage, .offerPage, .meetPage, .shortListPage, .pageSessionEnd: [.html]
    case .pageStyle, .mapLibraryStyle: [.style]
    case .pageScript, .mapScript, .mapLibrary: [.script]
    case .items, .item: [.geojson, .html]
    case .nearest, .radius, .box, .favorites, .mapLand: [.geojson]
    case .countRadius, .countBox, .facets, .density: [.json]
    case .favorite, .session, .health, .ready: [.json]
    case .cover, .meet: [.json, .geojson, .html]
    case .metrics: [.prometheus]
    case .tile, .tileOfSet: [.tile]
    case .basemapTile: [.anyTile]
    case .tileJSON, .style, .tileSets, .tileSet, .basemap: [.json]
    case .schema: [.schema, .html]
    case .icon: [.icon]
    case .image: [.image]
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
    case .density: Self.ofDensity
    case .basemap: Self.jsonOnly
    case .basemapTile: []
    case .favorites: Self.ofFavorites
    case .offers: Self.ofOffers
    case .offer: Self.ofOffer
    case .apiPage, .favorite, .session, .health, .ready, .metrics, .icon, .image: []
    // pages read their own parameters, leniently: `PageView`
    case .map, .restaurantPage, .favoritesPage, .internets, .pageSession, .licenses: []
    case .pageStyle, .pageScript, .mapScript, .mapLand, .mapLibrary, .mapLibraryStyle: []
    case .wantsPage, .offersPage, .offerPage, .meetPage, .shortListPage, .pageSessionEnd: []
    }
  }

  // made once, because every request uses it
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
    [.offerWords, .offerCategory, .chain, .ofRestaurant]
    + [.optionalPointLatitude, .optionalPointLongitude]
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
  private static let jsonOnly: [Parameter] = [.jsonFormat]
  private static let ofDensity: [Parameter] = [.box, .zoom] + Parameter.filters
  private static let ofTileSets: [Parameter] = ofTiles + [.jsonFormat]

  /// The methods; HEAD goes with GET.
  var methods: [HTTPRequest.Method] {
    switch self {
    case .nearest, .cover: [.get, .post]
    case .favorite: [.put, .delete]
    case .session, .pageSession, .pageSessionEnd: [.post]
    case .favoritesPage: [.get, .post]
    default: [.get]
    }
  }

  /// Whether it needs the token, so that pages of other origins may never read it.
  var isPrivate: Bool {
    switch self {
    case .favorites, .favorite, .session, .metrics: true
    default: isPage
    }
  }

  /// The maximum length of a body in bytes.
  var bodyLimit: Int {
    switch self {
    case .nearest, .cover: ServiceLimits.bodyLength
    case .favoritesPage: ServiceLimits.formLength
    default: ServiceLimits.smallBodyLength
    }
  }

  /// Whether it is a page of the lunch page, for people; such a page reads its query leniently.
  var isPage: Bool {
    switch self {
    case .lunch, .map, .restaurantPage, .favoritesPage, .internets, .pageSession, .licenses: true
    case .wantsPage, .offersPage, .offerPage, .meetPage, .shortListPage, .pageSessionEnd: true
    default: false
    }
  }

  /// Whether it is a file that pages load.
  var isAsset: Bool {
    switch self {
    case .pageStyle, .pageScript, .mapScript, .mapLand, .mapLibrary, .mapLibraryStyle: true
    default: false
    }
  }

  /// Whether it is meant for programs, and so is in the OpenAPI document.
  var isOfAPI: Bool { !isPage && !isAsset }

  /// The methods that change nothing, which are the only ones that other origins may be allowed.
  var readingMethods: [HTTPRequest.Method] {
    isPrivate ? [] : methods.filter { $0 == .get || $0 == .post }
  }

  /// The methods as the value of `Allow`.
  var allow: String { Self.list(methods) }

  /// Methods as header fields list them.
  static func list(_ methods: [HTTPRequest.Method]) -> String {
    let names = methods.flatMap { $0 == .get ? ["GET", "HEAD"] : [$0.rawValue] }
    return (names + ["OPTIONS"]).joined(separator: ", ")
  }

  /// Whether an answer depends on the data and the request alone.
  var isCacheable: Bool {
    switch self {
    case .favorites, .favorite, .session, .health, .ready, .metrics: false
    default: !isPage
    }
  }

  /// The value of `Cache-Control`: revalidating costs little, and the icon never changes.
  var caching: String {
    if self == .icon { return "max-age=86400" }
    if isPage { return "private, no-cache" }
    return isCacheable ? "no-cache" : "no-store"
  }
}

extension Route {
  /// The route of a path and its `{id}`, decoded; for a tile, `z/x/y` instead.
  ///
  /// - Throws: `Problem` 404 if there is none, 400 if the id's escapes are broken.
  static func find(_ path: Substring) throws -> (route: Route, id: String?) {
    // a target is ASCII, so comparing strings is cheap
    if let route = byPath[String(path)] { return (route, nil) }
    if let tile = findTile(path) { return tile }
    if let image = try findImage(path) { return image }
    guard let (route, folder) = folders.first(where: { path.hasPrefix($0.folder) }) else {
      throw Problem.unknownPath
    }
    let segment = path.dropFirst(folder.count)
    guard !segment.isEmpty, !segment.contains("/") else { throw Problem.unknownPath }
    guard let id = PercentCoding.decoded(segment) else { throw Problem.brokenEscape }
    return (route, id)
  }

  /// The query parameters of GET; fewer if the service keeps no favorites.
  func parameters(keepsFavorites: Bool) -> [Parameter] {
    keepsFavorites ? parameters : parameters.filter { !$0.isOfFavorites }
  }

  /// The routes of a service, which may have no favorites, images or basemap.
  static func offered(favorites: Bool, images: Bool, basemap: Bool) -> [Route] {
    allCases.filter { route in
      switch route {
      case .favorites, .favorite: favorites
      case .image: images
      case .basemap, .basemapTile: basemap
      default: true
      }
    }
  }

  /// Whether an answer depends on the offers.
  var usesOffers: Bool { self == .offers || self == .offer || self == .cover }

  private static let byPath = Dictionary(
    uniqueKeysWithValues: allCases.filter(\.pathNames.isEmpty).map { ($0.path, $0) }
      + [("/app", .lunch)]
  )

  private static let folders = [Route.item, .favorite, .restaurantPage, .offer, .offerPage].map {
    route in
    (route: route, folder: route.path.replacing("{id}", with: ""))
  }
}
