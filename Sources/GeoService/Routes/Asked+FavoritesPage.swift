import GeoIndex
import GeoQuery
import GeoStore

/// The page of favorites: searched, sorted and measured like the list of restaurants.
extension Asked {
  /// `GET /app/favorites`.
  func favoritesPage() -> AnswerPlan {
    let view = view(.favorites)
    guard usesFavorites, let favorites else {
      return AnswerPlan(at: .pool) { deadline in try deviceFavorites(view, until: deadline) }
    }
    // on the thread that waits for the database, so that no query has to wait
    return AnswerPlan(at: .favoriteRead) { _ in
      let all = try favorites.favorites(after: nil, limit: .max).matches
      return try serviceFavorites(all, view)
    }
  }

  /// The favorites of the service, including those that have left their feed.
  private func serviceFavorites(_ all: [Match], _ view: PageView) throws -> AnswerPlan.Body {
    var context = try context(view)
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
    return AnswerPlan.Body(bytes: favorites.bytes, hits: page.matches.count)
  }

  /// The favorites of the browser, from the address; all of them on one page.
  private func deviceFavorites(
    _ view: PageView,
    until deadline: Deadline
  ) throws -> AnswerPlan.Body {
    // links omit their ids, which the browser adds
    var shown = view
    shown.ids = []
    let context = try context(shown)
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
    return AnswerPlan.Body(bytes: favorites.bytes, hits: matches.count)
  }
}
