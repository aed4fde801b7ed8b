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
  case nearest
  case radius
  case box
  case countRadius
  case countBox
  case health
  case ready
  case metrics

  /// The path; `{id}` stands for one segment.
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
    case .nearest: "/nearest"
    case .radius: "/radius"
    case .box: "/bbox"
    case .countRadius: "/count/radius"
    case .countBox: "/count/bbox"
    case .health: "/healthz"
    case .ready: "/readyz"
    case .metrics: "/metrics"
    }
  }

  /// What it comes as, the preferred first.
  var representations: [Representation] {
    switch self {
    case .landing, .conformance, .collections, .collection: [.json, .html]
    case .api: [.openAPI, .html]
    case .apiPage: [.html]
    case .items, .item: [.geojson, .html]
    case .nearest, .radius, .box: [.geojson]
    case .countRadius, .countBox, .health, .ready: [.json]
    case .metrics: [.prometheus]
    }
  }

  /// The query parameters of GET.
  var parameters: [Parameter] {
    switch self {
    case .landing, .conformance, .api, .collections, .collection, .item: [.format]
    case .items:
      [.limit, .box, .datetime] + Parameter.filters + [.sortBy, .cursor, .offset, .format]
    case .nearest: [.latitude, .longitude, .count, .maximumDistance] + Parameter.filters
    case .radius:
      [.latitude, .longitude, .radius, .largeLimit, .offset] + Parameter.filters
    case .box: [.requiredBox, .largeLimit, .offset] + Parameter.filters
    case .countRadius: [.latitude, .longitude, .radius] + Parameter.filters
    case .countBox: [.requiredBox] + Parameter.filters
    case .apiPage, .health, .ready, .metrics: []
    }
  }

  /// The methods; HEAD goes with GET.
  var methods: [HTTPRequest.Method] { self == .nearest ? [.get, .post] : [.get] }

  /// The methods as `Allow` has them.
  var allow: String {
    (["GET", "HEAD"] + (methods.contains(.post) ? ["POST"] : []) + ["OPTIONS"])
      .joined(separator: ", ")
  }

  /// Whether an answer depends on the data, and on nothing else but the request.
  var isCacheable: Bool { ![.health, .ready, .metrics].contains(self) }
}

extension Route {
  /// The route of a path, and what stands for `{id}` in it, decoded.
  ///
  /// - Throws: `Problem` 404 where there is none, 400 where the id's escapes are broken.
  static func find(_ path: Substring) throws -> (route: Route, id: String?) {
    if let route = byPath[String(path)] { return (route, nil) }
    let folder = Route.items.path + "/"
    guard path.hasPrefix(folder) else { throw Problem.unknownPath }
    let segment = path.dropFirst(folder.count)
    guard !segment.isEmpty, !segment.contains("/") else { throw Problem.unknownPath }
    guard let id = PercentCoding.decoded(segment) else { throw Problem.brokenEscape }
    return (.item, id)
  }

  private static let byPath = Dictionary(
    uniqueKeysWithValues: allCases.filter { $0 != .item }.map { ($0.path, $0) }
  )
}
