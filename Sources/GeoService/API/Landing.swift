import GeoQuery

/// `GET /` and `GET /conformance`: the beginning of OGC API – Features.
extension Endpoint {
  static let landing = Endpoint(
    "landing",
    "/",
    title: "geoq",
    summary: "Links to all resources.",
    parameters: [.format, .token],
    as: [.json, .html],
    schema: "landing",
    get: .inline { $0.landing() }
  )

  static let conformance = Endpoint(
    "conformance",
    "/conformance",
    title: "Conformance",
    summary: "The conformance classes.",
    parameters: [.format],
    as: [.json, .html],
    schema: "conformance",
    announcement: Announcement(relation: "conformance", title: "The conformance classes", order: 3),
    get: .inline { $0.conformance() }
  )
}

extension RequestContext {
  /// `GET /` (/req/core/root-op, root-success).
  fileprivate func landing() -> Work.Body {
    let found = ownLinks + announcements
    let document: JSONValue = [
      "title": "geoq: restaurants",
      "description": """
      Finds the restaurants that are nearest, within a distance or in a box, and a few that together have all \
      that is wanted. Exact on WGS84.
      """,
      "links": .links(found),
    ]
    return Work.Body(document, links: found)
  }

  /// The links to the endpoints that announce themselves.
  private var announcements: [Link] {
    let announced = service.endpoints.compactMap { endpoint in
      endpoint.announcement.map { (endpoint, $0) }
    }
    return announced.sorted { $0.1.order < $1.1.order }.map { endpoint, announcement in
      let description = links.address(.apiPage) + "#" + endpoint.name
      return Link(
        announcement.relation,
        announcement.isDescription ? description : links.address(endpoint.path),
        announcement.isDescription ? "text/html" : endpoint.representations[0].plainType,
        title: announcement.title
      )
    }
  }

  /// `GET /conformance` (/req/core/conformance-op).
  fileprivate func conformance() -> Work.Body {
    let classes = service.endpoints.flatMap(\.conformsTo)
    return Work.Body(["conformsTo": .array(classes.map(JSONValue.string))])
  }
}
