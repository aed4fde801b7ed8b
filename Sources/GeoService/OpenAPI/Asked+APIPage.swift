extension Asked {
  /// `GET /api.html`: the routes and their parameters for people.
  func apiPage() -> [UInt8] {
    let document = HTMLPage.escaped(links.address(Route.api.path))
    var body = "<p>The same as an <a href=\"\(document)\" rel=\"service-desc\">OpenAPI 3.0 document"
    body += "</a>. Distances are metres, positions degrees on WGS84; boundaries count.</p>\n"
    for route in routes {
      let method = route == .favorite ? "PUT, DELETE" : "GET"
      body += "<h2>\(method) \(HTMLPage.escaped(route.path))</h2>\n"
      body += "<p>\(HTMLPage.escaped(route.summary))</p>\n"
      body += Self.table(of: route.parameters)
      if route == .nearest {
        body += "<h2>POST /nearest</h2>\n<p>The same for up to \(ServiceLimits.points) points: "
        body += "<code>{&quot;points&quot;:[{&quot;lat&quot;:32.95,&quot;lon&quot;:-96.82}],"
        body += "&quot;count&quot;:3}</code></p>\n"
      }
    }
    return HTMLPage.bytes(title: Route.api.title, body: body, links)
  }

  private static func table(of parameters: [Parameter]) -> String {
    if parameters.isEmpty { return "" }
    let rows = parameters.map { parameter in
      let presence = parameter.isRequired ? "required" : parameter.defaultValue ?? ""
      return "<tr><td><code>\(HTMLPage.escaped(parameter.name))</code></td>"
        + "<td>\(HTMLPage.escaped(presence))</td>"
        + "<td>\(HTMLPage.escaped(parameter.summary))</td></tr>\n"
    }
    return "<table><tr><th>parameter</th><th>default</th><th>meaning</th></tr>\n"
      + rows.joined() + "</table>\n"
  }
}
