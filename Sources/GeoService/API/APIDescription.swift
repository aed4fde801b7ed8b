import GeoQuery
import HTTPTypes

/// `GET /api` and `GET /api.html`: the endpoints, their parameters and their answers, as an OpenAPI 3.0
/// document (/req/oas30) and for people.
extension Endpoint {
  static let api = Endpoint(
    "api",
    "/api",
    title: "API",
    summary: "This document.",
    parameters: [.format],
    as: [.openAPI, .html],
    writesHTML: true,
    announcement: Announcement(
      relation: "service-desc",
      title: "The API as an OpenAPI 3.0 document",
      order: 1
    ),
    get: .work { context in
      context.document {
        context.representation == .html ? context.apiPage() : context.openAPI()
      }
    }
  )

  static let apiPage = Endpoint(
    "apiPage",
    "/api.html",
    title: "API",
    summary: "This document as a page.",
    as: [.html],
    writesHTML: true,
    announcement: Announcement(relation: "service-doc", title: "The API as a page", order: 2),
    get: .work { context in context.document { context.apiPage() } }
  )

  /// Whether it is in the OpenAPI document.
  var isOfAPI: Bool { audience == .programs }

  /// The statuses of GET other than 200; without GET, those that every request can get.
  var statuses: [Int] { statuses(of: operation(.get)) }

  fileprivate func statuses(of operation: Operation?) -> [Int] {
    let any = [400, 405, 406, 408, 414, 421, 431, 500, 501, 503, 505]
    guard let operation else { return any }
    var own: [Int] = []
    func add(_ statuses: [Int], if condition: Bool) { if condition { own += statuses } }
    if operation.method == .get {
      add([204], if: isTile)
      add([303], if: parameters.contains { $0 === Parameter.token })
      add([304], if: hasTag)
      let isProtected = operation.access == .readers || parameters.contains { $0.isOfFavorites }
      add([401], if: isProtected || parameters.contains { $0 === Parameter.token })
      add([404], if: !pathParameters.isEmpty)
      return own + any
    }
    add([401], if: operation.access == .owner || operation.access == .signIn)
    add([403], if: operation.access == .owner)
    add([404], if: !pathParameters.isEmpty)
    add([413, 415], if: true)
    return (own + any.filter { operation.negotiates || $0 != 406 }).sorted()
  }

  /// The schema of an answer to GET in a representation.
  fileprivate func schema(as representation: Representation) -> String {
    switch representation {
    case .html, .prometheus, .csv: "text"
    case .icon, .tile, .anyTile, .image: "bytes"
    case .geojson where representations.contains(.json): "featureCollection"
    default: schema
    }
  }
}

extension RequestContext {
  private var declared: [Endpoint] { service.endpoints.filter(\.isOfAPI) }

  // MARK: OpenAPI

  fileprivate func openAPI() -> [UInt8] {
    let paths = declared.map { endpoint in
      let names = endpoint.operation(.get) == nil ? endpoint.pathParameters : []
      var members: [JSONMember] = []
      members.add("parameters", names.isEmpty ? nil : .array(names.map(\.declaration)))
      members += endpoint.operations.map { operation in
        JSONMember(
          name: operation.method.rawValue.lowercased(),
          value: declaration(of: operation, endpoint)
        )
      }
      return JSONMember(name: endpoint.path, value: .object(members))
    }
    return JSONValue.document([
      "openapi": "3.0.3",
      "info": [
        "title": "geoq: restaurants", "version": "1.0.0",
        "description": """
        Finds the restaurants that are nearest, within a distance or in a box, and a few that together have all \
        that is wanted. Exact on the WGS84 ellipsoid. OGC API - Features Part 1 and simple endpoints. Distances \
        are in meters; boundaries are inclusive.
        """,
        "license": ["name": "Apache-2.0"],
      ],
      "servers": [["url": .string(links.base)]], "paths": .object(paths),
      "components": [
        "securitySchemes": [
          "token": ["type": "http", "scheme": "bearer"],
          "session": ["type": "apiKey", "in": "cookie", "name": "geoq-8080"],
        ],
        "schemas": Schema.all,
      ],
    ])
  }

  private func declaration(of operation: Operation, _ endpoint: Endpoint) -> JSONValue {
    var members: [JSONMember] = []
    members.add("operationId", operation.id)
    members.add("summary", operation.summary)
    if operation.access == .owner { members.add("security", [["token": []], ["session": []]]) }
    var responses = operation.successes.map { success in
      JSONMember(
        name: "\(success.status)",
        value: [
          "description": .string(success.meaning),
          "content": success.schema.map {
            Self.contents([(operation.representation.plainType, $0)])
          },
        ]
      )
    }
    if operation.method == .get {
      let parameters = endpoint.parameters(keepsFavorites: favorites != nil)
      let all = endpoint.pathParameters.map(\.declaration) + parameters.map(\.declaration)
      members.add("parameters", JSONValue.array(all))
      let contents = endpoint.representations.map { ($0.plainType, endpoint.schema(as: $0)) }
      responses = [
        JSONMember(
          name: "200",
          value: ["description": "The answer.", "content": Self.contents(contents)]
        )
      ]
    }
    if let body = operation.body {
      let content = Self.contents([("application/json", body)])
      members.add("requestBody", ["required": true, "content": content])
    }
    responses += endpoint.statuses(of: operation).map { status in
      let isError = status >= 400
      return JSONMember(
        name: "\(status)",
        value: [
          "description": .string(Schema.meanings[status] ?? (isError ? "An error." : "")),
          "content": isError ? Self.contents([("application/problem+json", "problem")]) : nil,
        ]
      )
    }
    members.add("responses", JSONValue.object(responses))
    return .object(members)
  }

  private static func contents(_ types: [(type: String, schema: String)]) -> JSONValue {
    .object(
      types.map { type, schema in
        JSONMember(name: type, value: ["schema": ["$ref": "#/components/schemas/\(schema)"]])
      }
    )
  }

  // MARK: The page for people

  fileprivate func apiPage() -> [UInt8] {
    var body: HTML = """
      <p>The same as an <a href="\(links.address(.api))" rel="service-desc">OpenAPI 3.0 document\
      </a>. Distances are in meters, positions in degrees on WGS84; boundaries are inclusive.</p>

      """
    for endpoint in declared {
      let methods = endpoint.methods.map(\.rawValue).joined(separator: ", ")
      body += "<h2 id=\"\(endpoint.name)\">\(methods) \(endpoint.path)</h2>\n"
      body += "<p>\(endpoint.summary)</p>\n"
      if endpoint.operations.contains(where: { $0.access == .owner }) { body += Self.writeRule }
      body += Self.table(of: endpoint.parameters(keepsFavorites: favorites != nil))
      let statuses = endpoint.statuses.sorted().map(String.init).joined(separator: ", ")
      body += "<p>Other statuses: \(statuses).</p>\n"
      for operation in endpoint.operations {
        guard let help = operation.help else { continue }
        body += "<h2>\(operation.method.rawValue) \(endpoint.path)</h2>\n<p>\(help)</p>\n"
      }
    }
    body += """
      <h2>Statuses</h2>
      <p>Errors are problem details (RFC 9457): code, detail, and the parameter, if one is wrong.</p>
      <table>

      """
    for (status, meaning) in Schema.meanings.sorted(by: { $0.key < $1.key }) {
      body += "<tr><td>\(status)</td><td>\(meaning)</td></tr>\n"
    }
    return HTMLPage.bytes(title: Endpoint.api.title, body + "</table>\n", links)
  }

  private static let writeRule: HTML = """
    <p>With the service's token only: in the header <code>Authorization: Bearer TOKEN</code>, or with the \
    cookie of a session and from a page of the service.</p>

    """

  private static func table(of parameters: [Parameter]) -> HTML {
    if parameters.isEmpty { return "" }
    let rows = parameters.map { parameter -> HTML in
      let presence = parameter.isRequired ? "required" : parameter.defaultValue ?? ""
      let cells = [parameter.values, presence, parameter.summary].map { "<td>\($0)</td>" as HTML }
      return "<tr><td><code>\(parameter.name)</code></td>\(cells)</tr>\n"
    }
    return """
      <table><tr><th>parameter</th><th>values</th><th>default</th><th>meaning</th></tr>
      \(rows)</table>

      """
  }
}

extension PathParameter {
  /// The parameter object of the document.
  fileprivate var declaration: JSONValue {
    [
      "name": .string(name), "in": "path", "required": true, "description": .string(summary),
      "schema": maximum.map { ["type": "integer", "minimum": 0, "maximum": .init($0)] }
        ?? ["type": "string", "minLength": 1],
    ]
  }
}

extension Parameter {
  /// The parameter object of the document.
  fileprivate var declaration: JSONValue {
    let isList = maximumTimes > 1
    return [
      "name": .string(name), "in": "query", "required": .bool(isRequired), "style": "form",
      "explode": .bool(isList), "description": .string(summary),
      "schema": isList ? Self.list(of: schema, atMost: maximumTimes) : schema,
    ]
  }

  private static func list(of items: JSONValue, atMost count: Int) -> JSONValue {
    ["type": "array", "minItems": 1, "maxItems": .init(count), "items": items]
  }

  private static func schema(of words: [String]) -> JSONValue {
    ["type": "string", "enum": .array(words.map(JSONValue.string))]
  }

  private func schema(of type: JSONValue, _ range: ClosedRange<Int>) -> JSONValue {
    [
      "type": type, "minimum": .init(range.lowerBound), "maximum": .init(range.upperBound),
      "default": defaultValue.map(JSONValue.number),
    ]
  }

  /// The JSON schema of the value.
  private var schema: JSONValue {
    switch kind {
    case .number(let range): schema(of: "number", Int(range.lowerBound)...Int(range.upperBound))
    case .distance:
      [
        "anyOf": [
          ["type": "number", "minimum": 0, "maximum": .init(ServiceLimits.radius)],
          ["type": "string", "pattern": "^[0-9.]+ ?(m|km|mi|ft)$"],
        ]
      ]
    case .integer(let range, _): schema(of: "integer", range)
    // the official test suite requires exactly this
    case .box: ["type": "array", "minItems": 4, "maxItems": 6, "items": ["type": "number"]]
    case .text, .expression, .time, .field: Self.textSchema
    case .filter, .want: Self.filterSchema
    case .day: ["type": "string", "format": "date"]
    case .point: ["type": "string", "pattern": "^ *\(Self.decimal) *, *\(Self.decimal) *$"]
    case .ids: Self.list(of: Self.textSchema, atMost: ServiceLimits.ids)
    case .filters: Self.list(of: Self.filterSchema, atMost: ServiceLimits.listEntries)
    case .order(let keys):
      Self.list(of: Self.schema(of: Order.words(of: keys)), atMost: Order.maximumTerms)
    case .word(let words): Self.schema(of: words)
    }
  }

  private static let textSchema: JSONValue = ["type": "string", "minLength": 1]

  /// The schema of a text that a request filters by.
  ///
  /// Its length is in characters, but the limit is in bytes: a longer text is always rejected, a
  /// shorter one only if its characters take too many bytes.
  private static let filterSchema: JSONValue = [
    "type": "string", "minLength": 1, "maxLength": .init(ServiceLimits.textLength),
  ]

  private static let decimal = "-?[0-9]+([.][0-9]+)?([eE][-+]?[0-9]+)?"

  /// The accepted values, for people.
  fileprivate var values: String {
    maximumTimes == 1 ? value : "\(value); up to \(maximumTimes) times"
  }

  private var value: String {
    switch kind {
    case .number(let range): "\(Int(range.lowerBound)) to \(Int(range.upperBound))"
    case .distance: "0 to \(ServiceLimits.radius) meters, or with m, km, mi, ft"
    case .integer(let range, let clamps):
      "\(range.lowerBound) to \(range.upperBound)\(clamps ? ", more counts as that" : "")"
    case .box: "4 or 6 numbers"
    case .text, .filter: "a text"
    case .want: "a category, text:…, a condition or offer:…"
    case .point: "latitude,longitude"
    case .expression: "a filter"
    case .field: "a field"
    case .time: "a time of day"
    case .day: "a date"
    case .ids: "an id, or several separated by commas"
    case .filters: "a text, or several separated by commas"
    case .order(let keys):
      Order.words(of: keys).joined(separator: ", ")
        + "; up to \(Order.maximumTerms), separated by commas"
    case .word(let words): words.joined(separator: ", ")
    }
  }
}

/// The JSON schemas of the OpenAPI document: those of `assets/schemas.json`.
enum Schema {
  /// The object of all schemas.
  static let all: JSONValue = {
    guard let schemas = try? JSONValue(parsing: PageAsset.schemas) else {
      preconditionFailure("The file schemas.json must be JSON.")
    }
    return schemas
  }()

  fileprivate static let meanings = [
    204: "Nothing is in the tile.",
    303: "The session is open; the page without the token.", 304: "Nothing has changed.",
    400: "A parameter or the request is wrong.", 401: "The token is missing or wrong.",
    403: "The request comes from a page of another origin.", 404: "There is no such resource.",
    405: "The resource does not support this method.", 406: "No representation matches Accept.",
    408: "The request took too long.", 413: "The body is too large.",
    414: "The address is too long.", 415: "The body is of another type.",
    421: "The service does not answer for this host.", 431: "The request's head is too large.",
    500: "A bug of the service.", 501: "The transfer coding is not supported.",
    503: "Busy, out of time, or the data cannot be read.",
    505: "The version of HTTP is not supported.",
  ]
}
