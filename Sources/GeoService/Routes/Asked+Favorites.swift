import GeoIndex
import GeoQuery
import HTTPTypes

extension Asked {
  /// `GET /favorites`: by id, those that have left their feed included.
  func favoriteList() throws -> AnswerPlan {
    guard let favorites else { throw Problem.unknownPath }
    let limit = parameters.integer(.largeLimit)
    let fingerprint = StableHash.text(of: ["favorites"])
    let cursor = try PageCursor(parameters, of: fingerprint)
    return AnswerPlan(at: .favoriteRead) { _ in
      let page = try favorites.favorites(after: cursor?.id, limit: limit + 1)
      let matches = page.matches.prefix(limit)
      let last = page.matches.count > limit ? matches.last : nil
      let next = last.map {
        PageCursor(
          .after,
          id: $0.restaurant.id,
          value: nil,
          of: fingerprint,
          generation: page.generation ?? data.generation
        )
      }
      var text = FeatureCollectionText(
        matched: page.total,
        returned: matches.count,
        links: [selfLink] + pageLinks(nil, next)
      )
      for match in matches { text.add(PreparedFeature.bytes(of: match)) }
      text.end()
      var body = AnswerPlan.Body(text, hits: matches.count)
      body.generation = page.generation
      return body
    }
  }

  /// `PUT` and `DELETE /favorites/{id}`: twice is the same as once.
  func favoriteChange() throws -> AnswerPlan {
    guard let favorites, let id else { throw Problem.unknownPath }
    if !request.body.isEmpty {
      guard case .object(let members)? = try? JSONValue(parsing: request.body), members.isEmpty
      else { throw Problem.unwantedBody }
    }
    let isAdded = request.method == .put
    return AnswerPlan(at: .favoriteWrite) { _ in
      var isNew = false
      do {
        if isAdded {
          isNew = try !favorites.addFavorites([id]).isEmpty
        } else {
          try favorites.removeFavorites([id])
        }
      } catch is UnknownRestaurant {
        throw Problem(.notFound, "NotFound", "there is no restaurant \(quoted(id))")
      }
      return AnswerPlan.Body(bytes: [], status: isNew ? .created : .noContent)
    }
  }
}

extension AccessRule.Evidence {
  /// What a request says of itself; of fields given twice all, which then fit nothing.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - host: The host as the client sees it, checked already.
  init(of request: ServiceRequest, host: String) {
    self.init(
      authorization: request.fields[.authorization],
      cookies: request.fields[values: .cookie],
      origin: request.fields[.origin],
      fetchSite: request.fields[.fetchSite],
      host: host,
      port: request.port
    )
  }
}
