import GeoQuery

extension Asked {
  /// The number of restaurants up to which a plain answer is made on the event loop.
  private static let lightCount = 100

  /// `GET /nearest`.
  func nearest() throws -> AnswerPlan {
    let query = try query()
    // with a filter, the matches may be far away, and a page may begin anywhere
    let isLight =
      parameters.integer(.count) <= Self.lightCount && query.filter.takesAll && query.order == nil
      && query.offset == 0 && query.cursor == nil
    return AnswerPlan(at: isLight ? .loop : place(for: query.filter)) { deadline in
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
