import GeoIndex
import GeoQuery
import HTTPTypes

/// The restaurants nearest to a point, or to each of many points.
extension Endpoint {
  static let nearest = Endpoint(
    "nearest",
    "/nearest",
    summary: "The nearest restaurants, sorted by (distance, id) unless sortby is given.",
    parameters: [.latitude, .longitude, .count, .maximumDistance] + Parameter.filters
      + [.sortByAny, .largeLimit, .cursor, .offset, .mark, .tableFormat],
    as: [.geojson, .csv],
    schema: "featureCollection",
    get: .work { try $0.nearest() },
    others: [
      Operation(
        method: .post,
        id: "nearestBatch",
        summary:
          "The nearest restaurants of up to \(ServiceLimits.points) points; count times points is "
          + "at most \(ServiceLimits.features).",
        bodyLimit: ServiceLimits.bodyLength,
        body: "nearestBatch",
        successes: [
          .init(status: 200, meaning: "The answers, in the order of the points.", schema: "answers")
        ],
        help: batchHelp,
        handler: .work { $0.nearestBatch() }
      )
    ]
  )

  private static let batchHelp: HTML = """
    The same for up to \(ServiceLimits.points) points, in their order: \
    <code>{&quot;points&quot;:[{&quot;lat&quot;:32.95,&quot;lon&quot;:-96.82}],&quot;count&quot;:3}</code>. \
    A body may also have <code>max</code> and the filters above (up to \(ServiceLimits.listEntries) texts of \
    <code>category</code> as an array), and <code>within</code> and <code>filter</code> as in a search. \
    Count times points is at most \(ServiceLimits.features), a body at most \(ServiceLimits.bodyLength >> 10) KiB of \
    <code>application/json</code>.
    """
}

extension RequestContext {
  /// The number of restaurants up to which a plain answer is made on the event loop.
  private static let inlineCount = 100

  /// The maximum number of parts of the index that a search on the event loop looks into.
  ///
  /// Far from all restaurants a search takes 3 ms at a million (`Tests/cost/search.py`).
  private static let inlineSteps = 100

  fileprivate func nearest() throws -> Work {
    let query = try query(in: parameters.nearestRegion())
    var others = query.filter
    // the nearest in an area are found without all others in it
    others.digestedArea = nil
    let whole = Work(on: executor(for: others)) { deadline in
      try collection(of: query.until(deadline), [selfLink])
    }
    // with a filter, the matches may be far away, and a page may begin anywhere
    let isInline =
      parameters.integer(.count) <= Self.inlineCount && query.filter.takesAll && query.order == nil
      && query.offset == 0 && query.cursor == nil
    guard isInline else { return whole }
    return Work(startingOn: .inline) { deadline in
      var short = query.until(deadline)
      short.maximumSteps = Self.inlineSteps
      do {
        return .body(try collection(of: short, [selfLink]))
      } catch is QueryTimeout {
        return .next(whole)
      }
    }
  }

  /// `POST /nearest`: one FeatureCollection per point, in the order of the points.
  ///
  ///     {"points":[{"lat":32.95,"lon":-96.82}],"count":3,"category":["Thai"]}
  fileprivate func nearestBatch() -> Work {
    Work(startingOn: .longQueries) { deadline in
      // parsed here, not on the event loop
      let (context, others) = try readingBody(
        [.count, .maximumDistance] + Parameter.filters,
        expecting: "the member points",
        others: ["points"]
      )
      let count = context.parameters.integer(.count)
      let points = try Self.batchPoints(others.first?.value, count: count)
      let filter = try context.filter()
      let begin = Work(startingOn: executor(for: filter)) { deadline in
        let nearest = try generation.engine.nearest(
          count,
          within: context.parameters.number(.maximumDistance) ?? .infinity,
          matching: filter,
          until: deadline
        )
        return .next(self.points(of: BatchAnswer(points, nearest)))
      }
      return begin.executor == .plans ? .next(begin) : try begin.run(deadline)
    }
  }

  private static func batchPoints(_ value: JSONValue?, count: Int) throws -> [Coordinate] {
    guard case .array(let points)? = value, !points.isEmpty else {
      throw Problem.invalidBody("points must be an array of objects with lat and lon")
    }
    guard points.count <= ServiceLimits.points else {
      throw Problem.invalidBody(
        "points has \(points.count) entries, at most \(ServiceLimits.points)"
      )
    }
    guard points.count * count <= ServiceLimits.features else {
      throw Problem.invalidBody(
        "count × points is \(points.count * count), at most \(ServiceLimits.features); "
          + "send fewer points or a smaller count"
      )
    }
    return try points.enumerated().map { index, point in
      guard case .object(let members) = point, members.count == 2,
        case .number(let north)? = point[name: "lat"],
        case .number(let east)? = point[name: "lon"],
        let latitude = DecimalText.number(north), let longitude = DecimalText.number(east),
        let coordinate = Coordinate(latitude: latitude, longitude: longitude)
      else {
        throw Problem.invalidBody(
          "points[\(index)] must have lat in -90...90 and lon in -180...180, and nothing else"
        )
      }
      return coordinate
    }
  }

  /// Answers some of the points; others have their turn before the next ones.
  private func points(of answer: BatchAnswer) -> Work {
    Work(startingOn: .longQueries) { _ in
      var answer = answer
      let start = ContinuousClock.now
      while start.duration(to: .now) < ServiceLimits.batchTurn {
        guard answer.addNext() else {
          return .body(Work.Body(bytes: answer.bytes, hits: answer.total))
        }
      }
      return .next(points(of: answer))
    }
  }
}

extension Parameters {
  /// The region of `lat`, `lon`, `count` and `max`.
  ///
  /// - Throws: `Problem` 400.
  func nearestRegion() throws -> Query.Region {
    .nearest(
      to: try point(),
      count: integer(.count),
      within: number(.maximumDistance) ?? .infinity
    )
  }
}

/// The answer to a batch as far as it is made.
private struct BatchAnswer: Sendable {
  private(set) var bytes = Array("{\"answers\":[".utf8)
  private(set) var total = 0
  private var next = 0
  private let points: [Coordinate]
  private let nearest: @Sendable (Coordinate) -> Page

  init(_ points: [Coordinate], _ nearest: @escaping @Sendable (Coordinate) -> Page) {
    self.points = points
    self.nearest = nearest
  }

  /// Adds the collection of the next point, or the end; false if there is no further point.
  mutating func addNext() -> Bool {
    guard next < points.count else {
      bytes += "\n]}\n".utf8
      return false
    }
    bytes += next == 0 ? [0x0A] : [0x2C, 0x0A]
    let page = nearest(points[next])
    // one collection for each point: the credits would be repeated in each
    let text = FeatureCollectionText(page, links: [], credits: .none)
    // without the newline; `dropLast` would copy byte by byte
    bytes += text.bytes[..<(text.bytes.count - 1)]
    total += page.count
    next += 1
    return true
  }
}
