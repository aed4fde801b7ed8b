import GeoIndex

extension Asked {
  /// From how many restaurants an answer counts as heavy.
  private static let lightCount = 100

  /// `GET /nearest`.
  func nearest() throws -> AnswerPlan {
    guard let center = parameters.point else { throw Problem.invalid("lat", "is missing") }
    let question = NearestQuestion(
      count: parameters.integer(.count),
      radius: parameters.number(.maximumDistance) ?? .infinity,
      choice: parameters.choice
    )
    let isHeavy = question.count > Self.lightCount || !generation.remembers(question.choice)
    return AnswerPlan(at: isHeavy ? .pool : .loop) { deadline in
      let allowed = try generation.positions(of: question.choice, until: deadline)
      let hits = question.hits(near: center, in: data.tree, where: allowed)
      let text = Self.collection(of: hits[...], matched: hits.count, [selfLink], from: data)
      return AnswerPlan.Body(text, hits: hits.count)
    }
  }

  /// The address of the request itself: its query as it was sent, which is printable ASCII, but for
  /// what no address may hold and what would end it in a header field.
  var selfAddress: String {
    guard let mark = request.target.utf8.firstIndex(of: UInt8(ascii: "?")) else {
      return links.base + route.path
    }
    return links.base + route.path + PercentCoding.plain(request.target[mark...])
  }

  /// A FeatureCollection of neighbours.
  static func collection(
    of hits: ArraySlice<Neighbor>,
    matched: Int,
    _ links: [Link],
    from data: some ServedData
  ) -> FeatureCollectionText {
    var text = FeatureCollectionText(matched: matched, returned: hits.count, links: links)
    text.add(hits, from: data)
    text.end()
    return text
  }
}

/// How many of the nearest, how far at most, and which.
struct NearestQuestion: Sendable {
  /// How many.
  var count: Int

  /// Metres; infinite without a limit.
  var radius: Double

  /// Which restaurants count.
  var choice: Choice

  /// The answer for a point, in order of (distance, id).
  func hits(near center: Coordinate, in tree: KDTree, where allowed: PositionSet?) -> [Neighbor] {
    tree.nearest(to: center, count: count, within: radius, where: allowed)
  }
}
