import GeoIndex
import GeoQuery
import GeoStore
import HTTPTypes

/// The favorites: for programs, and as a page that is searched, sorted and measured like the list of
/// restaurants.
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

  static let favoritesPage = Endpoint(
    "favoritesPage",
    "/app/favorites",
    for: .people,
    get: .work { $0.favoritesPage() },
    others: [
      Operation(
        method: .post,
        id: "favoriteForm",
        access: .owner,
        bodyLimit: ServiceLimits.formLength,
        handler: .work { try $0.favoriteForm() }
      )
    ]
  )
}

extension FavoriteKeeping {
  /// Adds or removes a favorite, and returns whether it is new.
  ///
  /// - Throws: `Problem` 404 if there is no such restaurant.
  fileprivate func change(_ id: String, adds: Bool) throws -> Bool {
    do {
      if adds { return try !addFavorites([id]).isEmpty }
      try removeFavorites([id])
      return false
    } catch is UnknownRestaurant {
      throw Problem(.notFound, "NotFound", "there is no restaurant \(quoted(id))")
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
      var text = FeatureCollectionText(
        matched: page.total,
        returned: page.matches.count,
        links: [selfLink] + others,
        credits: generation.credits
      )
      for match in page.matches {
        var json = JSONWriter()
        json.feature(match)
        text.add(json.bytes)
      }
      text.end()
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

// MARK: The page

extension RequestContext {
  /// `GET /app/favorites`.
  fileprivate func favoritesPage() -> Work {
    let view = view(.favorites)
    guard usesFavorites, let favorites else {
      return Work(on: .queries) { deadline in try deviceFavorites(view, until: deadline) }
    }
    // on the thread that waits for the database, so that no query has to wait
    return Work(on: .favoriteReads) { _ in
      let all = try favorites.favorites(after: nil, limit: .max).matches
      return try serviceFavorites(all, view)
    }
  }

  /// The favorites of the service, including those that have left their feed.
  private func serviceFavorites(_ all: [Match], _ view: PageView) throws -> Work.Body {
    var context = try page(view)
    let found = FavoriteList.matching(Filter(text: view.text), among: all)
    let matches = FavoriteList.matching(Filter(categories: view.categories), among: found)
    func list(from cursor: String?) throws(QueryError) -> FavoriteList {
      try FavoriteList.page(
        of: matches,
        in: context.order,
        center: context.place?.coordinate,
        limit: LunchPage.pageLength,
        from: cursor
      )
    }
    let page: FavoriteList
    do {
      page = try list(from: view.cursor.isEmpty ? nil : view.cursor)
    } catch {
      context.faults.append("The list has changed since; this is its beginning.")
      page = try list(from: nil)
    }
    let favorites = FavoritesPage(
      context: context,
      facets: FavoriteList.categories(of: found),
      choices: generation.pageChoices(),
      matches: page.matches,
      total: page.total,
      kept: all.count,
      missing: 0,
      next: page.next
    )
    return Work.Body(bytes: favorites.bytes, hits: page.matches.count)
  }

  /// The favorites of the browser, from the address; all of them on one page.
  private func deviceFavorites(
    _ view: PageView,
    until deadline: Deadline
  ) throws -> Work.Body {
    // links omit their ids, which the browser adds
    var shown = view
    shown.ids = []
    let context = try page(shown)
    let kept = try generation.engine.count(Query(.everywhere, matching: Filter(ids: view.ids)))
    var filter = Filter(categories: view.categories, text: view.text, ids: view.ids)
    let query = Query(
      context.list.region,
      matching: filter,
      in: context.order?.needsCenter == true ? nil : context.order,
      until: deadline
    )
    let matches = try generation.engine.page(query).matches
    filter.categories = []
    let others = Query(.everywhere, matching: filter, until: deadline)
    let favorites = FavoritesPage(
      context: context,
      facets: try generation.engine.facets(by: .category, of: others),
      choices: generation.pageChoices(),
      matches: matches,
      total: matches.count,
      kept: kept.total,
      missing: view.ids.count - kept.total,
      next: nil
    )
    return Work.Body(bytes: favorites.bytes, hits: matches.count)
  }

  /// The work for `POST /app/favorites`, which changes a favorite.
  ///
  /// - Throws: `Problem` 400 for another form.
  fileprivate func favoriteForm() throws -> Work {
    guard let favorites else { throw Problem.unknownPath }
    let fields = try form(["id", "change", "back"])
    guard let id = PercentCoding.decoded(fields[0]) else { throw Problem.brokenForm }
    let adds = fields[1].isUTF8Equal(to: "add")
    guard adds || fields[1].isUTF8Equal(to: "remove") else { throw Problem.brokenForm }
    // never redirects to another origin: only the address of a page of this service is accepted
    var view = PageView(target: fields[2]) ?? PageView(.favorites)
    view.change = adds ? .added(id) : .removed(id)
    let address = links.address(view.path, view.pairs)
    return Work(on: .favoriteWrites) { _ in
      _ = try favorites.change(id, adds: adds)
      return Work.Body(bytes: [], status: .seeOther, location: address)
    }
  }
}
