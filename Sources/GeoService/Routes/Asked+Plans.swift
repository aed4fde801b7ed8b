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

  /// `POST /cover`: the same question as a body.
  func coverOfBody() -> AnswerPlan {
    AnswerPlan(at: .planPool) { deadline in
      // read here, not where other connections wait
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
    // between opposite sides of the globe bounds rule out little
    let isShort =
      points.count * count <= Self.shortMeeting
      && points.allSatisfy { points[0].distance(to: $0) <= Self.shortWay }
    return AnswerPlan(at: isShort ? .pool : .planPool) { [filter] deadline in
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

  /// Up to how many distances an answer of `/meet` is short.
  private static let shortMeeting = 1_000

  /// Up to how far from the first point the others may be for that, meters.
  private static let shortWay = 2_000_000.0

  /// The representation that was asked for; a page for people is made of the GeoJSON, whose places
  /// link to their own pages.
  private func bytes(of text: PlanText) throws -> [UInt8] {
    text.bytes(in: representation == .json ? .json : .geojson)
  }
}
