import GeoIndex
import GeoQuery

extension Asked {
  /// `GET /cover`.
  func cover() throws -> AnswerPlan {
    let question = try parameters.coverQuestion()
    return AnswerPlan(at: .planPool) { deadline in
      try answer(to: question, ownLinks, until: deadline)
    }
  }

  /// `POST /cover`: the same question in a body.
  func coverOfBody() -> AnswerPlan {
    AnswerPlan(at: .planPool) { deadline in
      // parsed here, not on the event loop
      let question = try CoverBody(request.body).parameters.coverQuestion()
      return try answer(to: question, [], until: deadline)
    }
  }

  private func answer(
    to question: CoverQuestion,
    _ links: [Link],
    until deadline: Deadline
  ) throws -> AnswerPlan.Body {
    let answer = try generation.engine.answer(
      question,
      offers: { try generation.offerPlaces().lookup(until: deadline)($0) },
      until: deadline
    )
    return AnswerPlan.Body(
      bytes: try bytes(of: answer.text),
      hits: answer.places.count,
      links: links,
      isRepeatable: answer.isOptimal
    )
  }

  /// `GET /meet`.
  func meet() throws -> AnswerPlan {
    let points = try parameters.meetingPoints()
    let cost = parameters.text(.meetBy).flatMap { GroupCost(rawValue: $0) } ?? .sum
    let count = parameters.integer(.count)
    var filter = try parameters.filter()
    filter.favoriteIDs = isOfFavorites ? favoriteIDs ?? [] : nil
    // for points on opposite sides of the globe, the bounds exclude few restaurants
    let isShort =
      points.count * count <= Self.shortMeeting
      && points.allSatisfy { points[0].distance(to: $0) <= Self.shortWay }
    return AnswerPlan(at: isShort ? place(for: filter) : .planPool) { [filter] deadline in
      let meeting = try generation.engine.meet(
        points,
        by: cost,
        count: count,
        matching: filter,
        until: deadline
      )
      return AnswerPlan.Body(
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
    text.bytes(in: representation == .json ? .json : .geojson)
  }
}
