import GeoQuery
import HTTPTypes

/// A resource of the service: everything that is known of it, in one value.
///
/// A file in the folder `API` has each resource whole: its endpoint, its parameters, its handlers and the
/// schemas of its answers. `Endpoint.all` lists the endpoints. The router, the checks of a request,
/// `Allow`, the OpenAPI document and the page about the API follow from that list.
///
/// A reference, because every request retains its endpoint: that counts one object instead of all
/// members.
final class Endpoint: Sendable {
  enum Audience: Sendable {
    /// Programs: it is in the OpenAPI document.
    case programs
    /// People: a page of the lunch page, which reads its query leniently (`PageState`), and forms.
    case people
    /// Pages: a file that they load.
    case pages
  }

  /// What the operator may not have set up.
  enum Feature: Sendable {
    case favorites
    case images
    case basemap
  }

  /// For which hosts it is answered, against DNS rebinding.
  enum Hosts: Sendable {
    /// Those that the service answers for.
    case known
    /// Any: probes ask by address, and nothing of the restaurants is in the answer.
    case any
    /// Any, for a client that sends the token.
    case anyWithToken
  }

  /// What an answer depends on in addition to the request and the generation.
  enum Dependency: Sendable {
    /// The offers, which change without a new generation.
    case offers
    /// When the service began to serve the generation.
    case time
  }

  /// How long clients may keep answers.
  enum Caching: Sendable {
    /// Not at all: answers change without new data.
    case never
    /// Until they ask again, which is answered with 304 if nothing has changed.
    case revalidated
    /// This many seconds.
    case seconds(Int)
    /// Until they ask again, and only in the cache of one person.
    case personal
    /// Without limit if the address has the file's hash; nil if the program was built without the file.
    case file(@Sendable (MapSettings) -> PageAsset?)
  }

  /// The name: the operation id of GET, and the anchor on the page about the API.
  let name: String

  /// The path; names in braces stand for one segment each.
  let path: String

  /// The title of its pages: the path unless it is declared.
  let title: String

  /// Another path of the same resource.
  let alias: String?

  /// Describes the resource in a sentence.
  let summary: String

  let audience: Audience
  let hosts: Hosts

  /// The declarations of the names in the path, in their order.
  let pathParameters: [PathParameter]

  /// The query parameters of GET.
  let parameters: [Parameter]

  /// Those that do not need favorites.
  private let plainParameters: [Parameter]

  /// The representations, the preferred one first.
  let representations: [Representation]

  /// Whether its handler writes the page for people itself; otherwise the page is made from its JSON.
  let writesHTML: Bool

  /// The name of the schema of an answer in JSON.
  let schema: String

  /// How long clients may keep answers.
  let caching: Caching

  /// What the operator must have set up for it to exist; nil for nothing.
  let feature: Feature?

  /// What an answer depends on in addition to the request and the generation.
  let dependencies: [Dependency]

  /// The conformance classes of OGC standards that a service with it obeys.
  let conformsTo: [String]

  /// The link to it from the landing page; nil for none.
  let announcement: Announcement?

  /// What can be done with it, in the order of `Allow`.
  let operations: [Operation]

  /// Declares a resource, whose name is the operation id of GET.
  ///
  /// What is in braces comes after all else in the path, except for an ending.
  init(
    _ name: String,
    _ path: String,
    title: String? = nil,
    alias: String? = nil,
    summary: String = "",
    for audience: Audience = .programs,
    hosts: Hosts = .known,
    path pathParameters: [PathParameter] = [],
    parameters: [Parameter] = [],
    as representations: [Representation] = [.json],
    writesHTML: Bool = false,
    schema: String = "object",
    caching: Caching? = nil,
    needs feature: Feature? = nil,
    dependsOn dependencies: [Dependency] = [],
    conformsTo: [String] = [],
    announcement: Announcement? = nil,
    access: Access = .anyone,
    get: Handler? = nil,
    others: [Operation] = []
  ) {
    self.name = name
    self.path = path
    self.title = title ?? path
    self.alias = alias
    self.summary = summary
    self.audience = audience
    self.hosts = hosts
    self.pathParameters = pathParameters
    self.parameters = parameters
    plainParameters = parameters.filter { !$0.isOfFavorites }
    self.representations = audience == .people ? [.html] : representations
    self.writesHTML = writesHTML || audience == .people
    self.schema = schema
    self.caching = caching ?? (audience == .people ? .personal : .revalidated)
    self.feature = feature
    self.dependencies = dependencies
    self.conformsTo = conformsTo
    self.announcement = announcement
    let read = get.map {
      Operation(method: .get, id: name, summary: summary, access: access, handler: $0)
    }
    operations = (read.map { [$0] } ?? []) + others
  }
}

extension Endpoint: Hashable {
  static func == (left: Endpoint, right: Endpoint) -> Bool { left === right }

  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension Endpoint {
  /// The operation of a method, that of GET for HEAD; nil if there is none.
  func operation(_ method: HTTPRequest.Method) -> Operation? {
    operations.first { $0.method == (method == .head ? .get : method) }
  }

  /// The path with an id in place of `{id}`.
  func path(id: String) -> String { path.replacing("{id}", with: PercentCoding.encoded(id)) }

  /// The query parameters of GET; fewer if the service keeps no favorites.
  func parameters(keepsFavorites: Bool) -> [Parameter] {
    keepsFavorites ? parameters : plainParameters
  }

  /// The methods; HEAD goes with GET.
  var methods: [HTTPRequest.Method] { operations.map(\.method) }

  var allow: String { Self.list(methods) }

  /// Methods as header fields list them.
  static func list(_ methods: [HTTPRequest.Method]) -> String {
    let names = methods.flatMap { $0 == .get ? ["GET", "HEAD"] : [$0.rawValue] }
    return (names + ["OPTIONS"]).joined(separator: ", ")
  }

  /// Whether pages of other origins may never read it: it is for this service's own pages, or some
  /// operation needs the token.
  var isPrivate: Bool { audience == .people || operations.contains { $0.access != .anyone } }

  /// Whether an answer to GET has a tag: it depends on the data and the request alone.
  var hasTag: Bool {
    switch caching {
    case .never, .personal: false
    case .revalidated, .seconds, .file: true
    }
  }

  /// Whether it is a tile: an empty one is a valid answer, and those asked for last are kept.
  var isTile: Bool { representations == [.tile] || representations == [.anyTile] }
}

extension Endpoint {
  /// All resources, in the order of the OpenAPI document.
  static let all: [Endpoint] = [
    .landing,
    .conformance,
    .api,
    .apiPage,
    .collections,
    .collection,
    .items,
    .item,
    .schema,
    .queryables,
    .nearest,
    .radius,
    .box,
    .countRadius,
    .countBox,
    .facets,
    .search,
    .why,
    .cover,
    .meet,
    .offers,
    .offer,
    .tile,
    .tileJSON,
    .style,
    .tileSets,
    .tileSet,
    .tileOfSet,
    .density,
    .basemap,
    .basemapTile,
    .favorites,
    .favorite,
    .session,
    .health,
    .ready,
    .metrics,
    .icon,
    .lunch,
    .map,
    .restaurantPage,
    .favoritesPage,
    .wantsPage,
    .offersPage,
    .offerPage,
    .meetPage,
    .shortListPage,
    .internets,
    .pageSession,
    .pageSessionEnd,
    .pageStyle,
    .pageScript,
    .mapScript,
    .mapLand,
    .mapLibrary,
    .mapLibraryStyle,
    .licenses,
    .images,
    .image,
    .offerImage,
  ]
}

/// A link from the landing page to an endpoint.
struct Announcement: Sendable {
  /// The relation of its target to the service.
  var relation = "related"

  let title: String

  /// Its place among all links; equal ones are in the order of the endpoints.
  var order = Int.max

  /// Whether it leads to the description of the endpoint, which needs parameters.
  var isDescription = false
}

/// Who may use an operation.
enum Access: Sendable {
  case anyone
  /// Clients that may read favorites: the operator decides whether that needs the token.
  case readers
  /// Clients with the token, and with a cookie only from a page of this service.
  case owner
  /// Anyone whose body has the token, which is exchanged for a cookie.
  case signIn
}

/// What a method does with a resource.
struct Operation: Sendable {
  /// The answer if all goes well.
  struct Success: Sendable {
    let status: Int
    let meaning: String
    var schema: String?
  }

  let method: HTTPRequest.Method

  /// The id in the OpenAPI document.
  let id: String

  /// Describes the operation in a sentence.
  var summary = ""

  /// Who may use it.
  var access = Access.anyone

  /// The maximum length of a body in bytes.
  var bodyLimit = ServiceLimits.smallBodyLength

  /// The name of the body's schema; nil if it needs none.
  var body: String?

  /// The representation of the answer; GET offers those of its endpoint.
  var representation = Representation.json

  /// Whether the client's `Accept` counts: not for an answer without a body.
  var negotiates = true

  /// The answers in the OpenAPI document if all goes well; those of GET follow from its endpoint.
  var successes: [Success] = []

  /// HTML that describes it on the page about the API.
  var help: HTML?

  let handler: Handler
}

/// Answers an operation.
enum Handler: Sendable {
  /// Checks the rest of a request and returns the work for its answer, which names its executor.
  case work(@Sendable (RequestContext) throws -> Work)

  /// Looks for the answer and calls back once; it may have to be fetched first.
  case search(
    @Sendable (
      RequestContext, ResponseBuilder, @escaping @Sendable (ServiceResponse) -> Void
    ) -> Void
  )

  /// A body made on the event loop.
  static func inline(_ make: @escaping @Sendable (RequestContext) throws -> Work.Body) -> Handler {
    .work { context in Work(on: .inline) { _ in try make(context) } }
  }
}

/// The declaration of a name in a path.
struct PathParameter: Sendable {
  let name: String

  /// A description in one sentence.
  let summary: String

  /// The greatest value of a number, which the handler reads; nil for a text, which is percent-decoded.
  var maximum: Int?

  static let restaurantID = PathParameter(name: "id", summary: "The restaurant's id.")
  static let offerID = PathParameter(name: "id", summary: "The offer's id.")
}

/// Finds the endpoint of a path.
struct Router: Sendable {
  /// An endpoint, and the values of the names in its path, decoded, in their order.
  typealias Match = (endpoint: Endpoint, values: [String])

  private let byPath: [String: Endpoint]
  private let templates: [Template]

  /// A path with names: a folder, a segment for each name, and an ending.
  private struct Template {
    let endpoint: Endpoint
    let folder: Substring
    let ending: Substring

    init(_ endpoint: Endpoint) {
      let path = endpoint.path
      self.endpoint = endpoint
      folder = path.prefix { $0 != "{" }
      ending = path[(path.lastIndex(of: "}").map(path.index(after:)) ?? path.endIndex)...]
      let names = endpoint.pathParameters.map { "{\($0.name)}" }.joined(separator: "/")
      precondition(folder + names + ending == path, "A path must have its parameters at its end.")
    }

    /// The segments of a path; nil if it is another one.
    func segments(of path: Substring) -> [Substring]? {
      // as bytes, because clients may send 8 KB
      guard path.utf8.starts(with: folder.utf8),
        path.utf8.suffix(ending.utf8.count).elementsEqual(ending.utf8)
      else { return nil }
      let rest = path.utf8.dropFirst(folder.utf8.count).dropLast(ending.utf8.count)
      let segments = rest.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
      return segments.count == endpoint.pathParameters.count ? segments.map(Substring.init) : nil
    }
  }

  static let all = Router(Endpoint.all)

  init(_ endpoints: [Endpoint]) {
    let plain = endpoints.filter(\.pathParameters.isEmpty)
    let aliases = endpoints.compactMap { endpoint in endpoint.alias.map { ($0, endpoint) } }
    byPath = Dictionary(uniqueKeysWithValues: plain.map { ($0.path, $0) } + aliases)
    templates = endpoints.filter { !$0.pathParameters.isEmpty }.map(Template.init)
  }

  /// The endpoint of a path.
  ///
  /// - Throws: `Problem` 404 if there is none, 400 if the escapes of an id are broken.
  func find(_ path: Substring) throws -> Match {
    // a target is ASCII, so comparing strings is cheap
    if let endpoint = byPath[String(path)] { return (endpoint, []) }
    for template in templates {
      guard let segments = template.segments(of: path) else { continue }
      let values = try zip(template.endpoint.pathParameters, segments).map { parameter, segment in
        if parameter.maximum != nil { return String(segment) }
        guard !segment.isEmpty else { throw Problem.unknownPath }
        guard let text = PercentCoding.decoded(segment) else { throw Problem.brokenEscape }
        return text
      }
      return (template.endpoint, values)
    }
    throw Problem.unknownPath
  }
}
