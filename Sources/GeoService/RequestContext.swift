import GeoQuery
import GeoStore
import HTTPTypes

/// A request that has passed the checks, and everything its answer is made from.
struct RequestContext: Sendable {
  var request: ServiceRequest
  let endpoint: Endpoint

  /// The values of the names in the path.
  let pathValues: [String]

  var parameters: Parameters
  let representation: Representation

  /// The data that it is answered from.
  let generation: ServedGeneration

  let links: LinkBase
  let service: RestaurantService

  /// Whether the client has sent the token.
  let isOwner: Bool

  /// The ids of the favorites, if the answer depends on them and they have been read.
  var favoriteIDs: [String]?

  /// The area in the body.
  var bodyArea: DigestedArea?
}

extension RequestContext {
  var favorites: (any FavoriteKeeping)? { service.favorites }
  var settings: ServiceSettings { service.settings }

  var snapshot: Snapshot { generation.snapshot }

  /// The value of a name in the path, which its endpoint declares.
  func path(_ name: String) -> String {
    guard let position = endpoint.pathParameters.firstIndex(where: { $0.name == name }) else {
      preconditionFailure("The path \(endpoint.path) has no {\(name)}.")
    }
    return pathValues[position]
  }

  /// The whole number of a name in the path; nil if it is not one of at most nine digits.
  func number(_ name: String) -> Int? {
    let text = path(name)
    guard text.utf8.count < 10, text.utf8.allSatisfy(\.isDigit) else {
      return nil
    }
    return Int(text)
  }

  /// The title of the answer as a page: the id in the path if there is one.
  var title: String { pathValues.first ?? endpoint.title }

  /// The query without `f`, for links.
  var pairs: [(name: String, value: String)] {
    parameters.pairs.filter { $0.name != Parameter.format.name }
  }

  /// `self` and `alternate` of this resource.
  var ownLinks: [Link] {
    links.selfLinks(endpoint.path, pairs, as: representation, of: endpoint.representations)
  }

  /// The link to the request itself, for answers in GeoJSON.
  var selfLink: Link {
    Link("self", selfAddress, Representation.geojson.plainType)
  }

  /// The address of the request.
  ///
  /// Its query is unchanged printable ASCII, except for characters that addresses must not contain
  /// and those that would end it in a header field.
  private var selfAddress: String {
    guard let mark = request.target.utf8.firstIndex(of: UInt8(ascii: "?")) else {
      return links.base + endpoint.path
    }
    return links.base + endpoint.path + PercentCoding.plain(request.target.utf8[mark...])
  }
}

// MARK: What the answer depends on

extension RequestContext {
  /// Whether the answer depends on the favorites: it has them alone, marks them, or is a page that shows
  /// those kept by the service.
  var usesFavorites: Bool {
    isOfFavorites || parameters.text(.mark) != nil
      || endpoint.audience == .people && isOwner && favorites != nil
  }

  /// Whether only favorites match.
  var isOfFavorites: Bool { parameters.text(.favorite) != nil }

  /// Reads the ids of the favorites that the answer depends on; a page whose list needs none does
  /// without them if they cannot be read.
  mutating func readFavorites() throws {
    do {
      favoriteIDs = try favorites?.favoriteIDs() ?? []
    } catch let error as StoreError {
      guard endpoint.audience == .people, endpoint != .favoritesPage else { throw error }
    }
  }

  /// The `timeStamp` of a collection of items: when the service began to serve its generation.
  ///
  /// Not the time of the answer, because answers with the same tag have the same bytes.
  var timeStamp: String? { endpoint.dependencies.contains(.time) ? generation.servedSince : nil }

  /// The saved area that is asked for, if its outline has not been read yet, which may take long.
  ///
  /// - Throws: `QueryError` if there is no such area; a page says so itself.
  func unreadArea() throws -> AreaOutline? {
    // a page reads its address again to answer
    guard generation.areas.contains(where: { !$0.isParsed }) else { return nil }
    let isPage = endpoint.audience == .people
    guard let name = isPage ? view.within : parameters.text(.within), !name.isEmpty,
      let area = isPage ? try? generation.area(named: name) : try generation.area(named: name),
      !area.isParsed
    else { return nil }
    return area
  }

  /// What the answer depends on and the target does not tell: which time `now` is, and the outline of an area.
  var resolved: [String] { [parameters.text(.open) ?? "", areaDigest] }

  /// Identifies the outlines that the answer depends on; empty if it depends on none.
  private var areaDigest: String {
    if parameters.text(.by)?.isUTF8Equal(to: Parameter.area) == true {
      return StableHash.text(of: generation.areas.flatMap { [$0.saved.name, $0.saved.digest] })
    }
    guard let name = parameters.text(.within) else { return "" }
    return (try? generation.area(named: name))?.saved.digest ?? ""
  }

  /// The value of `Cache-Control`: revalidating costs little, and answers that depend on the
  /// favorites are for private caches only.
  var caching: String {
    if usesFavorites { return "private, no-cache" }
    return switch endpoint.caching {
    case .never: "no-store"
    case .revalidated: "no-cache"
    case .personal: "private, no-cache"
    case .seconds(let count): "max-age=\(count)"
    case .file(let file): isNamed(by: file) ? "public, max-age=31536000, immutable" : "no-cache"
    }
  }

  /// Whether the address contains a hash of the file, so that its bytes never change.
  private func isNamed(by file: (MapSettings) -> PageAsset?) -> Bool {
    guard let file = file(settings.maps) else { return false }
    return request.target.utf8.elementsEqual("\(endpoint.path)?v=\(file.tag)".utf8)
  }
}

/// How an answer will be made: everything is checked, nothing is searched yet.
struct Work: Sendable {
  struct Body: Sendable {
    var bytes: [UInt8]

    /// The number of restaurants in it; nil if it has no such number.
    var hits: Int?

    /// The status; bodies of 201 and 204 are empty.
    var status = HTTPResponse.Status.ok

    var cookie: String?
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
    case body(Body)
    /// More work: on other threads, or on the same ones when it is the client's turn again.
    case next(Work)
  }

  /// The threads that make an answer.
  ///
  /// The choice takes microseconds, whatever the data: what needs a count to be chosen begins in
  /// `queries`.
  enum Executor: Sendable {
    /// The event loop, where other connections wait: only for what takes at most 200 µs at any size
    /// of the data (`Tests/cost/search.py`).
    case inline
    /// The threads for queries, which may take milliseconds.
    case queries
    /// The thread for long queries, which may take a tenth of a second.
    case longQueries
    /// The threads for plans and for reading all records, which may take as long as a query may.
    case plans
    /// The thread for documents: what does not depend on the data, and what operators ask for.
    case documents
    /// The query pool, with a deadline: whether one of its threads is free soon is the answer.
    case readiness
    case favoriteReads
    /// The thread that writes favorites, which may have to wait for other programs.
    case favoriteWrites
  }

  /// The threads that do it.
  let executor: Executor

  let run: @Sendable (Deadline) throws -> Outcome

  init(on executor: Executor, make: @escaping @Sendable (Deadline) throws -> Body) {
    self.init(startingOn: executor) { deadline in .body(try make(deadline)) }
  }

  /// Work that may be continued, by the same executor or another one.
  init(startingOn executor: Executor, run: @escaping @Sendable (Deadline) throws -> Outcome) {
    self.executor = executor
    self.run = run
  }
}
