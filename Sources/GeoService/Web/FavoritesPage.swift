import GeoIndex
import GeoQuery
import GeoStore
import HTTPTypes

/// The page of favorites, which are searched, sorted and measured like the list of restaurants.
extension Endpoint {
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

extension RequestContext {
  fileprivate func favoritesPage() -> Work {
    let view = view
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
  private func serviceFavorites(_ all: [Match], _ view: PageState) throws -> Work.Body {
    var context = try PageContext(self, view)
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
    _ view: PageState,
    until deadline: Deadline
  ) throws -> Work.Body {
    // links omit their ids, which the browser adds
    var shown = view
    shown.ids = []
    let context = try PageContext(self, shown)
    let kept = try generation.engine.count(Query(.everywhere, matching: Filter(ids: view.ids)))
    var filter = Filter(categories: view.categories, text: view.text, ids: view.ids)
    let query = Query(
      context.list.region,
      matching: filter,
      in: context.listOrder,
      until: deadline
    )
    let matches = try generation.engine.page(query).matches
    filter.categories = []
    let others = Query(.everywhere, matching: filter, until: deadline)
    let favorites = FavoritesPage(
      context: context,
      facets: try generation.engine.facets(by: .category, of: others),
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
    var view = PageState(target: fields[2]) ?? PageState(.favoritesPage)
    view.change = PageState.Change(id: id, isAdded: adds)
    let address = links.address(view.path, view.pairs)
    return Work(on: .favoriteWrites) { _ in
      _ = try favorites.change(id, adds: adds)
      return Work.Body(bytes: [], status: .seeOther, location: address)
    }
  }
}

/// The page of favorites: those kept by the service, or those kept by the browser.
struct FavoritesPage: Sendable {
  let context: PageContext
  let facets: [Facet]

  /// The restaurants to list, in order.
  let matches: [Match]

  let total: Int

  /// The number of favorites, whatever is searched for.
  let kept: Int

  /// The number of favorites kept by the browser that are missing from the data.
  let missing: Int

  /// The cursor of the next page; nil if none follows.
  let next: String?

  private var search: PageSearch {
    PageSearch(context: context, facets: facets, isHidden: kept == 0)
  }

  var bytes: [UInt8] {
    let main: HTML = """
      <h1>Favorites</h1>
      \(keeping)
      \(search.form)
      <div id="results" class="favorites" data-live>
      \(kept == 0 ? none : list)
      </div>
      \(signOut)
      """
    return PageLayout.bytes(title: "Favorites", context, main)
  }

  /// Says where the favorites are kept, and how to change that.
  private var keeping: HTML {
    guard case .device(let canSignIn) = context.keeping else { return "" }
    let token: HTML = """
      <form class="token" method="post" action="\(context.address(.pageSession))">
      <label><span>Token of the service</span><input type="password" name="token" required \
      autocomplete="current-password"></label><button>Use it</button></form>
      """
    return """
      <details class="device"><summary>Favorites are kept on this device</summary>
      <p>This browser may not change the favorites of the service\(canSignIn ? ". With the token it may:" : ".")</p>
      \(canSignIn ? token : "")</details>
      <noscript><p class="notice">Keeping favorites on this device needs JavaScript.</p></noscript>
      """
  }

  /// The form that ends the session.
  private var signOut: HTML {
    guard context.isKeptByService else { return "" }
    return """
      <form class="out" method="post" action="\(context.address(.pageSessionEnd))">\
      <button class="button">Sign out</button></form>
      """
  }

  private var list: HTML {
    var count: HTML = "\(matches.count) of \(total)"
    if total < kept { count += " · \(kept) favorites in all" }
    if let place = context.place { count += " · from \(HTML.text(place.name))" }
    if missing > 0 { count += " · \(missing) not in the data any more" }
    return """
      \(search.chips)
      <p class="count" id="count">\(count)</p>
      \(matches.isEmpty ? noMatch : RestaurantCard.list(matches, context) + hint)\(PageLayout.more(from: next, context))
      """
  }

  private var hint: HTML {
    "<p class=\"quiet hint\" hidden>To remove one, press its heart, swipe its card to the left, or press Delete on it.</p>"
  }

  private var noMatch: HTML {
    PageLayout.empty(
      .plate,
      "None of your favorites",
      "No favorite matches. Try fewer letters or another category.",
      button: (context.link(to: .favoritesPage), "Show all favorites")
    )
  }

  private var none: HTML {
    let missing: HTML =
      missing == 0 ? "" : "<p>\(missing) kept here are not in the data any more.</p>"
    return """
      <div class="empty">\(CategoryDrawing.ice.html)<h2>No favorites yet</h2>\(missing)
      <p>Press the heart of a restaurant to keep it here.</p>
      <p><a class="button" href="\(context.link(to: .lunch))">Find some</a></p></div>
      """
  }
}
