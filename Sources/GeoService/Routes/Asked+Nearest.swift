import GeoQuery

extension Asked {
  /// The number of restaurants up to which a plain answer is made on the event loop.
  private static let lightCount = 100

  /// The maximum number of parts of the index that a search on the event loop looks into.
  ///
  /// Far from all restaurants a search takes 3 ms at a million (`Tests/cost/search.py`).
  private static let lightSteps = 100

  /// `GET /nearest`.
  func nearest() throws -> AnswerPlan {
    let query = try query()
    let whole = AnswerPlan(at: place(for: query.filter)) { deadline in
      try collection(of: query, [selfLink], until: deadline)
    }
    // with a filter, the matches may be far away, and a page may begin anywhere
    let isLight =
      parameters.integer(.count) <= Self.lightCount && query.filter.takesAll && query.order == nil
      && query.offset == 0 && query.cursor == nil
    guard isLight else { return whole }
    return AnswerPlan(
      at: .loop,
      outcome: { deadline in
        var light = query
        light.maximumSteps = Self.lightSteps
        do {
          return .body(try collection(of: light, [selfLink], until: deadline))
        } catch is QueryTimeout {
          return .next(whole)
        }
      }
    )
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
