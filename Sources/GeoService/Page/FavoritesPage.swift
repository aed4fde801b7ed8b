import GeoQuery

/// The page of favorites: those kept by the service, or those kept by the browser.
struct FavoritesPage: Sendable {
  let context: PageContext
  let facets: [Facet]
  let choices: PageChoices

  /// The restaurants to list, in order.
  let matches: [Match]

  /// How many match.
  let total: Int

  /// The number of favorites, whatever is searched for.
  let kept: Int

  /// The number of favorites kept by the browser that are missing from the data.
  let missing: Int

  /// The cursor of the next page; nil if none follows.
  let next: String?

  private var view: PageView { context.view }

  private var search: PageSearch {
    PageSearch(context: context, facets: facets, choices: choices, isHidden: kept == 0)
  }

  /// The document.
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
    return PageShell.bytes(title: "Favorites", context, main)
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
    if let place = context.place { count += " · from \(HTML.text(place.label))" }
    if missing > 0 { count += " · \(missing) not in the data any more" }
    return """
      \(search.chips)
      <p class="count" id="count">\(count)</p>
      \(matches.isEmpty ? noMatch : RestaurantCard.list(matches, context))\(more)
      <p class="quiet hint" hidden>To remove one, press its heart, swipe its card to the left, or press Delete on it.</p>
      """
  }

  private var more: HTML {
    guard let next else { return "" }
    var following = view.withoutChange
    following.cursor = next
    return
      "<p class=\"more\"><a class=\"button\" id=\"more\" href=\"\(context.address(following))\">Show more</a></p>"
  }

  private var noMatch: HTML {
    """
    <div class="empty">\(CategoryDrawing.plate.html)<h2>None of your favorites</h2>
    <p>No favorite matches. Try fewer letters or another category.</p>
    <p><a class="button" href="\(context.address(view.leading(to: .favorites)))">Show all favorites</a></p></div>
    """
  }

  private var none: HTML {
    let missing: HTML =
      missing == 0 ? "" : "<p>\(missing) kept here are not in the data any more.</p>"
    return """
      <div class="empty">\(CategoryDrawing.ice.html)<h2>No favorites yet</h2>\(missing)
      <p>Press the heart of a restaurant to keep it here.</p>
      <p><a class="button" href="\(context.address(view.leading(to: .lunch)))">Find some</a></p></div>
      """
  }
}
