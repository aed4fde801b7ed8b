import GeoIndex
import GeoQuery
import GeoStore
import HTTPTypes

/// The favorites for programs.
extension Endpoint {
  static let favorites = Endpoint(
    "favorites",
    "/favorites",
    summary:
      "The favorites, sorted by id unless sortby is given; those that have left their feed are marked.",
    parameters: [.sortBy, .largeLimit, .cursor, .tableFormat],
    as: [.geojson, .csv],
    schema: "featureCollection",
    caching: .never,
    needs: .favorites,
    access: .readers,
    get: .work { try $0.favoriteList() }
  )

  static let favorite = Endpoint(
    "favorite",
    "/favorites/{id}",
    summary: "Adds (PUT) or removes (DELETE) a favorite.",
    path: [.restaurantID],
    caching: .never,
    needs: .favorites,
    others: [
      Operation(
        method: .put,
        id: "addFavorite",
        summary: "Makes a restaurant a favorite; twice is the same as once.",
        access: .owner,
        negotiates: false,
        successes: [
          Operation.Success(status: 201, meaning: "It is a favorite now."),
          Operation.Success(status: 204, meaning: "It was a favorite."),
        ],
        handler: .work { try $0.favoriteChange() }
      ),
      Operation(
        method: .delete,
        id: "removeFavorite",
        summary: "Removes a favorite; an id that is not a favorite is accepted.",
        access: .owner,
        negotiates: false,
        successes: [Operation.Success(status: 204, meaning: "Done.")],
        handler: .work { try $0.favoriteChange() }
      ),
    ]
  )
}

extension FavoriteKeeping {
  /// Adds or removes a favorite, and returns whether it is new.
  ///
  /// - Throws: `Problem` 404 if there is no such restaurant.
  func change(_ id: String, adds: Bool) throws -> Bool {
    do {
      if adds { return try !addFavorites([id]).isEmpty }
      try removeFavorites([id])
      return false
    } catch is UnknownRestaurant {
      throw Problem.noRestaurant(id)
    }
  }
}

extension RequestContext {
  /// `GET /favorites`: by id unless sorted, including those that have left their feed.
  fileprivate func favoriteList() throws -> Work {
    guard let favorites else { throw Problem.unknownPath }
    let order = parameters.order
    let limit = parameters.integer(.largeLimit)
    let cursor = parameters.text(.cursor)
    return Work(on: .favoriteReads) { _ in
      let all = try favorites.favorites(after: nil, limit: .max)
      let page = try FavoriteList.page(
        of: all.matches,
        in: order,
        limit: limit,
        from: cursor
      )
      let others =
        page.startsOver ? [pageLink("next", at: nil)] : pageLinks(page.previous, page.next)
      if representation == .csv {
        var body = Work.Body(
          csv: page.matches,
          hasDistance: false,
          areFavorites: true,
          links: others
        )
        body.generation = all.generation
        return body
      }
      let text = FeatureCollectionText(
        page.matches.count,
        matched: page.total,
        links: [selfLink] + others,
        credits: generation.credits
      ) { $0.feature(page.matches[$1]) }
      var body = Work.Body(text, hits: page.matches.count)
      body.generation = all.generation
      return body
    }
  }

  /// `PUT` and `DELETE /favorites/{id}`: idempotent.
  fileprivate func favoriteChange() throws -> Work {
    guard let favorites else { throw Problem.unknownPath }
    if !request.body.isEmpty {
      guard case .object(let members)? = try? JSONValue(parsing: request.body), members.isEmpty
      else { throw Problem.unwantedBody }
    }
    let id = path("id")
    let isAdded = request.method == .put
    return Work(on: .favoriteWrites) { _ in
      let isNew = try favorites.change(id, adds: isAdded)
      return Work.Body(bytes: [], status: isNew ? .created : .noContent)
    }
  }
}
