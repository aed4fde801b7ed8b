import GeoQuery

/// The restaurants in a circle or a box, their number, and the numbers by each value of a field.
extension Endpoint {
  static let radius = Endpoint(
    "radius",
    "/radius",
    summary: "The restaurants within a distance, sorted by (distance, id) unless sortby is given.",
    parameters: [.latitude, .longitude, .radius] + Parameter.filters
      + [.sortByAny, .largeLimit, .cursor, .offset, .mark, .tableFormat],
    as: [.geojson, .csv],
    schema: "featureCollection",
    get: .work { try $0.region($0.parameters.disc()) }
  )

  static let box = Endpoint(
    "box",
    "/bbox",
    summary: "The restaurants in a box, sorted by id unless sortby is given.",
    parameters: [.requiredBox, .boxCRS] + Parameter.filters
      + [.sortBy, .largeLimit, .cursor, .offset, .mark, .tableFormat],
    as: [.geojson, .csv],
    schema: "featureCollection",
    get: .work { try $0.region($0.parameters.region()) }
  )

  static let countRadius = Endpoint(
    "countRadius",
    "/count/radius",
    summary: "The number of restaurants within a distance.",
    parameters: [.latitude, .longitude, .radius] + Parameter.filters,
    schema: "count",
    get: .work { try $0.count($0.parameters.disc()) }
  )

  static let countBox = Endpoint(
    "countBox",
    "/count/bbox",
    summary: "The number of restaurants in a box.",
    parameters: [.requiredBox] + Parameter.filters,
    schema: "count",
    get: .work { try $0.count($0.parameters.region()) }
  )

  static let facets = Endpoint(
    "facets",
    "/facets",
    summary: "The number of restaurants by each value of a field, the most frequent first.",
    parameters: [.by, .box, .optionalLatitude, .optionalLongitude, .optionalRadius]
      + Parameter.filters + [.tableFormat],
    as: [.json, .csv],
    schema: "facets",
    get: .work { try $0.facets() }
  )
}

extension RequestContext {
  /// `GET /radius` and `GET /bbox`.
  fileprivate func region(_ region: Query.Region) throws -> Work {
    let query = try query(in: region)
    return Work(
      on: executor(for: query.filter),
      outcome: { deadline in
        var everything = query
        everything.filter = .all
        let total = try generation.engine.count(everything).total
        let whole = Work(on: executor(forAtMost: min(query.limit ?? .max, total))) {
          try collection(of: query, [selfLink], until: $0)
        }
        if case .longQueries = whole.executor { return .next(whole) }
        return try whole.run(deadline)
      }
    )
  }

  /// `GET /count/radius` and `GET /count/bbox`.
  fileprivate func count(_ region: Query.Region) throws -> Work {
    let query = try query(in: region)
    return Work(on: executor(for: query.filter)) { deadline in
      var query = query
      query.deadline = deadline
      return Work.Body(["count": .init(try generation.engine.count(query).total)])
    }
  }

  /// `GET /facets`.
  fileprivate func facets() throws -> Work {
    guard let field = parameters.text(.by).flatMap({ Condition.Field(name: $0) }) else {
      throw Problem.invalid("by", "is missing")
    }
    let query = try query(in: parameters.region())
    return Work(on: executor(forCountingBy: query.filter)) { deadline in
      var query = query
      query.deadline = deadline
      let facets = try generation.engine.facets(by: field, of: query)
      if representation == .csv {
        let bytes = facets.delimited(.csv, by: field) ?? []
        return Work.Body(bytes: bytes, hits: facets.count)
      }
      let total = try generation.engine.count(query).total
      var json = JSONWriter()
      json.raw("{\"by\":\"\(field.rawValue)\",\"count\":\(total),\"facets\":")
      json.lines(facets) { json, facet in
        json.raw("{\"value\":")
        json.value(facet.value.map(JSONValue.string) ?? .null)
        json.raw(",\"count\":\(facet.count)}")
      }
      return Work.Body(bytes: json.bytes, hits: facets.count)
    }
  }
}
