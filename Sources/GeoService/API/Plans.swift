import GeoIndex
import GeoQuery
import HTTPTypes

/// A few places that together meet all wants, and fair places for several people to meet.
extension Endpoint {
  static let cover = Endpoint(
    "cover",
    "/cover",
    summary:
      "A few places that together meet the most wants; with rank or frontier, single places.",
    parameters: [.latitude, .longitude, .want, .places, .coverBy, .maximumDistance, .prefer]
      + [.rank, .frontier, .on, .expired] + Parameter.filters + [.planFormat],
    as: [.json, .geojson, .html],
    schema: "cover",
    dependsOn: [.offers],
    announcement: Announcement(
      title: "A few places that together meet all wants",
      order: 7,
      isDescription: true
    ),
    get: .work { try $0.cover() },
    others: [
      Operation(
        method: .post,
        id: "coverOfBody",
        summary: "Same as GET, for many or long wants.",
        bodyLimit: ServiceLimits.bodyLength,
        body: "coverQuestion",
        successes: [Operation.Success(status: 200, meaning: "The answer.", schema: "cover")],
        help: coverHelp,
        handler: .work { $0.coverOfBody() }
      )
    ]
  )

  private static let coverHelp: HTML = """
    The same with the parameters as members of a body, <code>want</code> an array: \
    <code>{&quot;lat&quot;:32.95,&quot;lon&quot;:-96.82,&quot;want&quot;:[&quot;Thai&quot;,\
    &quot;rating &gt;= 4&quot;]}</code>. A body has at most \(ServiceLimits.bodyLength >> 10) KiB of \
    <code>application/json</code>.
    """

  static let meet = Endpoint(
    "meet",
    "/meet",
    summary: "The places closest to several people together, sorted by (cost, id).",
    parameters: [.at, .meetBy, .count] + Parameter.filters + [.planFormat],
    as: [.json, .geojson, .html],
    schema: "meeting",
    announcement: Announcement(
      title: "Fair places for several people to meet",
      order: 8,
      isDescription: true
    ),
    get: .work { try $0.meet() }
  )
}

/// The parameters of `/cover` and `/meet`.
extension Parameter {
  static let want = Parameter("want", .want, isRequired: true, times: CoverQuery.maximumWants) {
    "What is wanted: a category (Thai, category:Thai), words (text:craft beer), a condition "
      + "(rating >= 4) or an offer (offer:7533), of at most \(Want.maximumLength) bytes of UTF-8; "
      + "repeat it for each want, at most \(CoverQuery.maximumWants) times."
  }

  static let places = Parameter(
    "places",
    .integer(1...CoverQuery.maximumPlaces, clamps: false),
    default: "\(CoverQuery.defaultPlaces)"
  ) {
    "The greatest number of places of a group."
  }

  static let coverBy = Parameter("by", .word(CoverQuery.Cost.allCases.map(\.rawValue))) {
    "What a group costs, in meters: the largest distance from the point; the shortest walk from it "
      + "through all places; or the spread, the largest distance between two places, which "
      + "are within 50 km of the point unless max is given. Without it: farthest."
  }

  static let prefer = Parameter("prefer", .word(CoverQuery.Preference.allCases.map(\.rawValue))) {
    "Maximize the wants met (count), or the sum of their offers' amounts (value)."
  }

  static let rank = Parameter("rank", .integer(1...ServiceLimits.count, clamps: false)) {
    "Lists up to this many single places instead of a group; those that meet the most wants come first."
  }

  static let frontier = Parameter("frontier", .word(["true"])) {
    "Lists single places, only the nearest for each number of wants met."
  }

  static let at = Parameter("at", .point, isRequired: true, times: Meeting.maximumPoints) {
    "The position of one person: latitude,longitude in degrees; repeat it for each, "
      + "2 to \(Meeting.maximumPoints) times."
  }

  static let meetBy = Parameter("by", .word(GroupCost.allCases.map(\.rawValue))) {
    "What to minimize: the sum of the distances, or the largest of them. Without it: sum."
  }
}

extension RequestContext {
  fileprivate func cover() throws -> Work {
    let query = try coverQuery()
    return Work(on: .plans) { deadline in
      try answer(query, ownLinks, until: deadline)
    }
  }

  /// `POST /cover`: the same query in a body.
  fileprivate func coverOfBody() -> Work {
    Work(on: .plans) { deadline in
      // parsed here, not on the event loop
      let body = try readingBody(expecting: "the members lat, lon and want")
      return try body.context.answer(body.context.coverQuery(), [], until: deadline)
    }
  }

  private func coverQuery() throws -> CoverQuery {
    var query = try parameters.coverQuery()
    query.filter = try filter()
    return query
  }

  private func answer(
    _ query: CoverQuery,
    _ links: [Link],
    until deadline: Deadline
  ) throws -> Work.Body {
    var query = query
    query.deadline = deadline
    let day = parameters.text(.expired) == nil ? day : nil
    let answer = try generation.engine.answer(
      query,
      offers: { try generation.offerPlaces().lookup(on: day, until: deadline)($0) }
    )
    return Work.Body(
      bytes: try bytes(of: answer.text),
      hits: answer.places.count,
      links: links,
      isRepeatable: answer.isOptimal
    )
  }

  fileprivate func meet() throws -> Work {
    let points = try parameters.meetingPoints()
    let cost = parameters.text(.meetBy).flatMap { GroupCost(rawValue: $0) } ?? .sum
    let count = parameters.integer(.count)
    let filter = try filter()
    // for points on opposite sides of the globe, the bounds exclude few restaurants
    let isShort =
      points.count * count <= Self.shortMeeting
      && points.allSatisfy { points[0].distance(to: $0) <= Self.shortWay }
    return Work(on: isShort ? executor(for: filter) : .plans) { deadline in
      let meeting = try generation.engine.meet(
        points,
        by: cost,
        count: count,
        matching: filter,
        until: deadline
      )
      return Work.Body(
        bytes: try bytes(of: meeting.text(by: cost)),
        hits: meeting.items.count,
        links: ownLinks
      )
    }
  }

  /// The maximum number of distances for which `/meet` counts as short.
  private static let shortMeeting = 1_000

  /// The maximum distance of the other points from the first for which `/meet` counts as short, in
  /// meters.
  private static let shortWay = 2_000_000.0

  /// The requested representation.
  ///
  /// The page for people is made from the GeoJSON, whose places link to their own pages.
  private func bytes(of text: PlanWriter) throws -> [UInt8] {
    text.bytes(in: representation == .json ? .json : .geojson, credits: generation.credits)
  }
}

extension Parameters {
  /// The query of `/cover`.
  ///
  /// - Throws: `Problem` 400, or `QueryError`.
  func coverQuery() throws -> CoverQuery {
    var query = CoverQuery(
      near: try point(),
      wants: try Want.list(texts(ofRepeated: .want)),
      places: integer(.places),
      within: number(.maximumDistance) ?? .infinity,
      by: text(.coverBy).flatMap { CoverQuery.Cost(rawValue: $0) } ?? .farthest,
      preferring: text(.prefer).flatMap { CoverQuery.Preference(rawValue: $0) } ?? .count
    )
    let isFrontier = text(.frontier) != nil
    guard text(.rank) != nil || isFrontier else { return query }
    guard text(.places) == nil, text(.coverBy) == nil else {
      throw Problem.invalid(
        isFrontier ? "frontier" : "rank",
        "cannot be combined with places or by, which apply to a group of places"
      )
    }
    let count = number(.rank).map { Int($0) } ?? ServiceLimits.count
    query.ranking = CoverQuery.Ranking(count: count, onlyNearest: isFrontier)
    return query
  }

  /// The points of `/meet`.
  ///
  /// - Throws: `QueryError` if there are too few or too many.
  func meetingPoints() throws -> [Coordinate] {
    let points = texts(ofRepeated: .at).compactMap(Parameter.point)
    try Meeting.checkCount(ofPoints: points.count)
    return points
  }
}
