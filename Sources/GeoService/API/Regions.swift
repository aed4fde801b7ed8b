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
      + Parameter.filters + [.facetLimit, .tableFormat],
    as: [.json, .csv],
    schema: "facets",
    get: .work { try $0.facets() }
  )
}

extension RequestContext {
  fileprivate func region(_ region: Query.Region) throws -> Work {
    let query = try query(in: region)
    return Work(startingOn: executor(for: query.filter)) { deadline in
      var everything = query
      everything.filter = .all
      let total = try generation.engine.count(everything).total
      let whole = Work(on: executor(forAtMost: min(query.limit ?? .max, total))) {
        try collection(of: query.until($0), [selfLink])
      }
      return whole.executor == .longQueries ? .next(whole) : try whole.run(deadline)
    }
  }

  fileprivate func count(_ region: Query.Region) throws -> Work {
    let query = try query(in: region)
    return Work(on: executor(for: query.filter)) { deadline in
      Work.Body(["count": .init(try generation.engine.count(query.until(deadline)).total)])
    }
  }

  fileprivate func facets() throws -> Work {
    let name = parameters.text(.by) ?? ""
    let by =
      name.isUTF8Equal(to: Parameter.area) ? Parameter.area : try Facet.Key(name).description
    let query = try query(in: parameters.region())
    return Work(on: try executor(forFacetsBy: by, query.filter)) { deadline in
      var query = query.until(deadline)
      query.limit = nil
      let all = try facets(by: by, of: query)
      let facets = Array(all.prefix(parameters.integer(.facetLimit)))
      if representation == .csv {
        return Work.Body(bytes: facets.delimited(.csv, by: by) ?? [], hits: facets.count)
      }
      let total = try generation.engine.count(query).total
      var json = JSONWriter()
      json.raw("{\"by\":")
      json.value(.string(by))
      json.raw(",\"count\":\(total),\"values\":\(all.count),\"facets\":")
      json.lines(facets) { $0.value(.object($1.members)) }
      return Work.Body(bytes: json.bytes, hits: facets.count)
    }
  }

  /// The threads for counting by a field or by saved areas.
  func executor(forFacetsBy name: String, _ filter: Filter) throws -> Work.Executor {
    let isLong = try name.isUTF8Equal(to: Parameter.area) || Facet.Key(name).readsRecords
    let isSmall = snapshot.count <= ServiceLimits.features && generation.areas.count < 100
    return isLong && !isSmall ? .plans : executor(forCountingBy: filter)
  }

  /// The counts by a field or by saved areas.
  func facets(by name: String, of query: Query) throws -> [Facet] {
    guard name.isUTF8Equal(to: Parameter.area) else {
      return try generation.engine.facets(by: Facet.Key(name), of: query)
    }
    return try generation.engine.counts(by: generation.namedAreas(), of: query).facets
  }
}
