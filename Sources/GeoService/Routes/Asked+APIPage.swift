import HTTPTypes

extension Asked {
  /// `GET /api.html`: the routes, their parameters and their answers, for people.
  func apiPage() -> [UInt8] {
    let document = HTMLPage.escaped(links.address(Route.api.path))
    var body = "<p>The same as an <a href=\"\(document)\" rel=\"service-desc\">OpenAPI 3.0 document"
    body +=
      "</a>. Distances are in meters, positions in degrees on WGS84; boundaries are inclusive.</p>\n"
    for route in service.routes where route.isOfAPI {
      let method = route.methods.map(\.rawValue).joined(separator: ", ")
      body += "<h2 id=\"\(route.rawValue)\">\(method) \(HTMLPage.escaped(route.path))</h2>\n"
      body += "<p>\(HTMLPage.escaped(route.summary))</p>\n"
      if route == .favorite { body += Self.writeRule }
      body += Self.table(of: route.parameters(keepsFavorites: favorites != nil))
      if !route.statuses.isEmpty { body += Self.list(of: route.statuses) }
      if route == .nearest { body += Self.batch }
      if route == .cover { body += Self.coverBody }
    }
    body += "<h2>Statuses</h2>\n<p>Errors are problem details (RFC 9457): code, detail, and the "
    body += "parameter, if one is wrong.</p>\n<table>\n"
    for (status, meaning) in OpenAPIText.allMeanings {
      body += "<tr><td>\(status)</td><td>\(HTMLPage.escaped(meaning))</td></tr>\n"
    }
    return HTMLPage.bytes(title: Route.api.title, body: body + "</table>\n", links)
  }

  private static let writeRule = """
    <p>With the service's token only: in the header <code>Authorization: Bearer TOKEN</code>, or with the \
    cookie of a session and from a page of the service.</p>

    """

  private static let batch = """
    <h2>POST /nearest</h2>
    <p>The same for up to \(ServiceLimits.points) points, in their order: \
    <code>{&quot;points&quot;:[{&quot;lat&quot;:32.95,&quot;lon&quot;:-96.82}],&quot;count&quot;:3}</code>. \
    A body may also have <code>max</code>, \
    <code>category</code> (a text, or up to \(ServiceLimits.listEntries) of them), <code>city</code>, \
    <code>q</code> and <code>filter</code>, with the meanings above. Count times points is at most \(ServiceLimits.features), a \
    body at most \(ServiceLimits.bodyLength >> 10) KiB of <code>application/json</code>.</p>

    """

  private static let coverBody = """
    <h2>POST /cover</h2>
    <p>The same with the parameters as members of a body, <code>want</code> an array: \
    <code>{&quot;lat&quot;:32.95,&quot;lon&quot;:-96.82,&quot;want&quot;:[&quot;Thai&quot;,\
    &quot;rating &gt;= 4&quot;]}</code>. A body has at most \(ServiceLimits.bodyLength >> 10) KiB of \
    <code>application/json</code>.</p>

    """

  private static func list(of statuses: [Int]) -> String {
    "<p>Other statuses: \(statuses.sorted().map(String.init).joined(separator: ", ")).</p>\n"
  }

  private static func table(of parameters: [Parameter]) -> String {
    if parameters.isEmpty { return "" }
    let rows = parameters.map { parameter in
      let presence = parameter.isRequired ? "required" : parameter.defaultValue ?? ""
      let cells = [parameter.values, presence, parameter.summary].map {
        "<td>\(HTMLPage.escaped($0))</td>"
      }
      return "<tr><td><code>\(HTMLPage.escaped(parameter.name))</code></td>\(cells.joined())</tr>\n"
    }
    return "<table><tr><th>parameter</th><th>values</th><th>default</th><th>meaning</th></tr>\n"
      + rows.joined() + "</table>\n"
  }
}

extension Parameter {
  /// The accepted values, for people.
  fileprivate var values: String {
    maximumTimes == 1 ? value : "\(value); up to \(maximumTimes) times"
  }

  private var value: String {
    switch kind {
    case .number(let range): "\(Int(range.lowerBound)) to \(Int(range.upperBound))"
    case .distance(let range):
      "\(Int(range.lowerBound)) to \(Int(range.upperBound)) meters, or with m, km, mi, ft"
    case .integer(let range, let clamps):
      "\(range.lowerBound) to \(range.upperBound)\(clamps ? ", more counts as that" : "")"
    case .box: "4 or 6 numbers"
    case .text, .filter: "a text"
    case .want: "a category, text:…, a condition or offer:…"
    case .point: "latitude,longitude"
    case .conditions: "conditions"
    case .ids: "an id, or several separated by commas"
    case .filters: "a text, or several separated by commas"
    case .word(let words): words.joined(separator: ", ")
    }
  }
}
