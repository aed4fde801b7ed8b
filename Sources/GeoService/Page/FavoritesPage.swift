import GeoQuery

/// The favorites: those of the service, or those that the browser keeps.
struct FavoritesPage: Sendable {
  let context: PageContext

  /// The restaurants to list, in order.
  let matches: [Match]

  /// How many there are; nil if the browser has not said yet.
  let total: Int?

  /// The cursor of the next page; nil if none follows.
  let next: String?

  /// The orders to choose from.
  let orders: [Order]

  private var view: PageView { context.view }

  /// The document.
  var bytes: [UInt8] {
    let main: HTML = """
      <h1>Favorites</h1>
      \(keeping)
      <div id="results">
      \(matches.isEmpty ? empty : list)
      </div>
      """
    return PageShell.bytes(title: "Favorites", context, main)
  }

  /// Where they are kept, and how to change that.
  private var keeping: HTML {
    guard case .device(let canSignIn) = context.keeping else { return "" }
    let token: HTML = """
      <form class="token" method="post" action="\(context.address(.pageSession))">
      <label><span>Token of the service</span><input type="password" name="token" required \
      autocomplete="current-password"></label><button>Use it</button></form>
      """
    return """
      <details class="device"><summary>Favorites are kept on this device</summary>
      <p>This browser may not change the favorites of the service\(canSignIn ? ". With its token it may:" : ".")</p>
      \(canSignIn ? token : "")</details>
      <noscript><p class="notice">Keeping favorites on this device needs JavaScript.</p></noscript>
      """
  }

  private var list: HTML {
    var links: [HTML] = []
    for order in [nil] + orders.map(Optional.some) {
      var other = view.withoutChange
      other.order = order
      other.cursor = ""
      let current: HTML = order == view.order ? " aria-current=\"true\"" : ""
      links.append(
        "<li><a class=\"chip\" href=\"\(context.address(other))\"\(current)>\(order?.title ?? "Unsorted")</a></li>"
      )
    }
    var more: HTML = ""
    if let next {
      var following = view.withoutChange
      following.cursor = next
      more =
        "<p class=\"more\"><a class=\"button\" id=\"more\" href=\"\(context.address(following))\">Show more</a></p>"
    }
    return """
      <ul class="chips" aria-label="Order">\(links)</ul>
      <p class="count" id="count">\(matches.count) of \(total ?? matches.count)</p>
      \(RestaurantCard.list(matches, context))\(more)
      """
  }

  private var empty: HTML {
    """
    <div class="empty">\(CategoryDrawing.ice.html)<h2>No favorites yet</h2>
    <p>Press the heart of a restaurant to keep it here.</p>
    <p><a class="button" href="\(context.address(view.leading(to: .lunch)))">Find some</a></p></div>
    """
  }
}
