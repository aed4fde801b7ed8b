import GeoQuery
import GeoStore
import HTTPTypes

extension Asked {
  /// Reads the ids of the favorites that the answer depends on; a page whose list needs none does
  /// without them if they cannot be read.
  mutating func readFavorites() throws {
    do {
      favoriteIDs = try favorites?.favoriteIDs() ?? []
    } catch let error as StoreError {
      guard route.isPage, route != .favoritesPage else { throw error }
    }
  }

  /// `GET /favorites`: by id unless sorted, including those that have left their feed.
  func favoriteList() throws -> AnswerPlan {
    guard let favorites else { throw Problem.unknownPath }
    let order = parameters.order
    let limit = parameters.integer(.largeLimit)
    let cursor = parameters.text(.cursor)
    return AnswerPlan(at: .favoriteRead) { _ in
      let all = try favorites.favorites(after: nil, limit: .max)
      let page = try FavoriteList.page(
        of: all.matches,
        in: order,
        limit: limit,
        from: cursor
      )
      let others =
        page.startsOver ? [pageLink("next", at: nil)] : pageLinks(page.previous, page.next)
      var text = FeatureCollectionText(
        matched: page.total,
        returned: page.matches.count,
        links: [selfLink] + others
      )
      for match in page.matches {
        var json = JSONWriter()
        json.feature(match)
        text.add(json.bytes)
      }
      text.end()
      var body = AnswerPlan.Body(text, hits: page.matches.count)
      body.generation = all.generation
      return body
    }
  }

  /// `PUT` and `DELETE /favorites/{id}`: idempotent.
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
  /// The origin of a request, from its header fields; a field given twice matches nothing.
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
