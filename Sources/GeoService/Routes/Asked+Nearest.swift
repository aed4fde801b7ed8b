import GeoQuery

extension Asked {
  /// The number of restaurants from which an answer is made on a thread for queries.
  private static let lightCount = 100

  /// `GET /nearest`.
  func nearest() throws -> AnswerPlan {
    let query = try query()
    let isHeavy =
      parameters.integer(.count) > Self.lightCount || !generation.engine.remembers(query.filter)
    return AnswerPlan(at: isHeavy ? .pool : .loop) { deadline in
      try collection(of: query, [selfLink], until: deadline)
    }
  }

  /// The link to the request itself.
  var selfLink: Link {
    Link(relation: "self", address: selfAddress, type: Representation.geojson.plainType)
  }

  /// The address of the request.
  ///
  /// Its query is unchanged printable ASCII, except for characters that addresses must not contain
  /// and those that would end it in a header field.
  private var selfAddress: String {
    guard let mark = request.target.utf8.firstIndex(of: UInt8(ascii: "?")) else {
      return links.base + route.path
    }
    return links.base + route.path + PercentCoding.plain(request.target[mark...])
  }
}
