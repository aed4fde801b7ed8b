import GeoIndex
import GeoQuery
import HTTPTypes

/// Any query as a body: its region, area, filter, order, page and counts.
extension Endpoint {
  static let search = Endpoint(
    "search",
    "/search",
    summary: "Restaurants by a query in the body, which may have an outline.",
    parameters: [
      .optionalLatitude, .optionalLongitude, .count, .maximumDistance, .optionalRadius, .box,
    ] + Parameter.filters + [.ids, .sortByAny, .limit, .cursor, .offset],
    as: [.geojson],
    others: [
      Operation(
        method: .post,
        id: "search",
        summary:
          "The restaurants that match the query in the body, with counts by fields if it asks for them.",
        bodyLimit: ServiceLimits.searchLength,
        body: "search",
        representation: .geojson,
        successes: [
          Operation.Success(
            status: 200,
            meaning: "A page of the answer; its link next has the body for the next page.",
            schema: "featureCollection"
          )
        ],
        help: searchHelp,
        handler: .work { $0.search() }
      )
    ]
  )

  private static let searchHelp: HTML = """
    Any query as a body of at most \(ServiceLimits.searchLength >> 20) MiB: \
    <code>{&quot;lat&quot;:32.95,&quot;lon&quot;:-96.82,&quot;count&quot;:5,&quot;within&quot;:{&quot;type&quot;:\
    &quot;Polygon&quot;,&quot;coordinates&quot;:[…]},&quot;facets&quot;:[&quot;category&quot;]}</code>. Its members \
    are the parameters above, arrays instead of lists with commas. <code>lat</code>, <code>lon</code> and \
    <code>radius</code> are a circle, without <code>radius</code> the nearest, <code>bbox</code> is a box; \
    without these it is everywhere. <code>within</code> is GeoJSON or the name of a saved area, \
    <code>filter</code> may be an object of CQL2 JSON, and <code>facets</code> lists fields to count by.
    """
}

extension RequestContext {
  fileprivate func search() -> Work {
    Work(startingOn: .longQueries) { _ in
      // parsed here, not on the event loop
      let (context, others) = try readingBody(
        expecting: "the members of a query",
        others: ["facets"]
      )
      let keys = try Self.facetKeys(others.first?.value)
      let query = try context.query(in: context.parameters.anyRegion())
      let executors =
        try [context.executor(for: query.filter)]
        + keys.map { try context.executor(forFacetsBy: $0, query.filter) }
      let executor = executors.contains(.plans) ? Work.Executor.plans : .longQueries
      return .next(Work(on: executor) { try context.page(of: query.until($0), keys) })
    }
  }

  private func page(of query: Query, _ keys: [String]) throws -> Work.Body {
    let page = try generation.engine.page(query)
    func link(_ relation: String, at cursor: String?) -> Link? {
      cursor.map { cursor in
        Link(
          relation,
          links.address(endpoint.path),
          Representation.geojson.plainType,
          posting: ["cursor": .string(cursor)]
        )
      }
    }
    var members: [JSONMember] = []
    if !keys.isEmpty {
      let counts = try keys.map { key in
        let facets = try facets(by: key, of: query).prefix(ServiceLimits.features)
        return JSONMember(name: key, value: .array(facets.map { .object($0.members) }))
      }
      members.append(JSONMember(name: "facets", value: .object(counts)))
    }
    let text = FeatureCollectionText(
      page,
      links: [link("prev", at: page.previous), link("next", at: page.next)].compactMap(\.self),
      credits: generation.credits,
      members: members
    )
    // links of the header field are for GET
    return Work.Body(bytes: text.bytes, hits: page.count)
  }

  /// The member `facets`.
  private static func facetKeys(_ value: JSONValue?) throws -> [String] {
    guard let value else { return [] }
    guard case .array(let items) = value, items.count <= ServiceLimits.facets else {
      throw Problem.invalidBody(
        "facets must be an array of at most \(ServiceLimits.facets) fields"
      )
    }
    let keys = try items.map { item in
      guard case .string(let name) = item else {
        throw Problem.invalidBody("facets must be an array of fields")
      }
      do throws(QueryError) {
        return name.isUTF8Equal(to: Parameter.area) ? name : try Facet.Key(name).description
      } catch {
        throw Problem.invalidBody("facets: \(error.reason)")
      }
    }
    guard Set(keys.map(UTF8Key.init)).count == keys.count else {
      throw Problem.invalidBody("facets must have each field once")
    }
    return keys
  }
}
