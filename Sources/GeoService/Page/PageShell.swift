import GeoQuery
import HTTPTypes

/// What is around every page: head, tabs, notices, foot.
enum PageShell {
  /// A whole page.
  static func bytes(title: String, _ context: PageContext, _ main: HTML) -> [UInt8] {
    var tabs: [HTML] = []
    for (screen, title) in [
      (PageView.Screen.lunch, "Lunch"), (.favorites, "Favorites"), (.internets, "Internets"),
    ] {
      let view = context.view.leading(to: screen)
      let isHere = view.path == context.view.path
      let current: HTML = isHere ? " aria-current=\"page\"" : ""
      tabs.append("<a href=\"\(context.address(view))\"\(current)>\(title)</a>")
    }
    let keeping = context.isKeptByService ? "service" : "device"
    let style = context.address(.pageStyle, [("v", PageAsset.style.tag)])
    let script = context.address(.pageScript, [("v", PageAsset.script.tag)])
    let page: HTML = """
      <!DOCTYPE html>
      <html lang="en">
      <head><meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta name="color-scheme" content="light dark">
      <title>\(title)</title>
      <link rel="stylesheet" href="\(style)">
      <link rel="icon" href="\(context.address(.icon))">
      <script type="module" src="\(script)"></script>
      </head>
      <body data-keeping="\(keeping)" data-favorites="\(context.address(.favoritesPage))">
      <a class="skip" href="#main">Skip to the content</a>
      \(CategoryDrawing.sprite)
      <header class="top"><a class="brand" href="\(context.address(context.view.leading(to: .lunch)))">geoq</a>
      <nav aria-label="Pages">\(tabs)</nav></header>
      <main id="main">
      <div id="notices" role="status">\(notices(context))</div>
      \(main)
      </main>
      \(foot(context))
      </body>
      </html>

      """
    return Array(page.source.utf8)
  }

  /// A page that says what went wrong; it knows nothing of the service but the way to the list.
  static func failure(_ problem: Problem, on route: Route) -> [UInt8] {
    let home = route == .restaurantPage ? "../" : "./"
    let page: HTML = """
      <!DOCTYPE html>
      <html lang="en">
      <head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
      <title>\(problem.status.reasonPhrase)</title><link rel="stylesheet" href="\(home)style.css"></head>
      <body><main id="main" class="empty"><h1>That did not work</h1>
      <p>\(HTML.text(problem.detail))</p>
      <p><a class="button" href="\(home)">To the list of restaurants</a></p></main></body>
      </html>

      """
    return Array(page.source.utf8)
  }

  /// What was wrong with the address, and the way back from a change of the favorites.
  private static func notices(_ context: PageContext) -> HTML {
    var html: HTML = ""
    for fault in context.faults { html += "<p class=\"notice fault\">\(HTML.text(fault))</p>" }
    guard context.isKeptByService, let change = context.view.change else { return html }
    let (id, wasAdded) =
      switch change {
      case .added(let id): (id, true)
      case .removed(let id): (id, false)
      }
    // an old link tells of a change that no longer holds
    guard context.favorites.contains(ByteKey(id)) == wasAdded,
      let restaurant = try? context.snapshot.restaurant(id: id)
    else { return html }
    let sentence: HTML =
      wasAdded
      ? "\(HTML.text(restaurant.name)) is a favorite now."
      : "\(HTML.text(restaurant.name)) is no longer a favorite."
    html += """
      <form class="notice" method="post" action="\(context.address(.favoritesPage))"><span>\(sentence)</span>
      \(Heart.fields(id: id, adds: !wasAdded, context))<button>Undo</button></form>
      """
    return html
  }

  private static func foot(_ context: PageContext) -> HTML {
    var view = context.view
    view.units = context.units.other
    view.change = nil
    return """
      <footer><p>Distances in \(context.units.title) · \
      <a href="\(context.address(view))">show \(context.units.other.title)</a></p>
      <p>\(context.snapshot.count) restaurants · <a href="\(context.address(.apiPage))">API</a></p></footer>
      """
  }
}

/// The heart of a restaurant.
///
/// Its id is percent-encoded: attributes show tricky characters, and would change it.
enum Heart {
  /// A button that makes a restaurant a favorite or ends that; a form, if the service keeps favorites.
  static func html(of restaurant: Restaurant, _ context: PageContext) -> HTML {
    let shape: HTML =
      "<svg viewBox=\"0 0 24 24\" aria-hidden=\"true\"><use href=\"#d-heart\"/></svg>"
    let label: HTML = "<span class=\"hidden\">Favorite: \(HTML.text(restaurant.name))</span>"
    guard context.isKeptByService else {
      // the script shows it, and keeps the hearts
      return """
        <button type="button" class="heart" data-id="\(PercentCoding.encoded(restaurant.id))" aria-pressed="false" hidden>\
        \(shape)\(label)</button>
        """
    }
    let isFavorite = context.favorites.contains(ByteKey(restaurant.id))
    let address = context.address(.favorite, id: restaurant.id)
    return """
      <form class="keep" method="post" action="\(context.address(.favoritesPage))" data-change="\(address)">\
      \(fields(id: restaurant.id, adds: !isFavorite, context))\
      <button class="heart" data-id="\(PercentCoding.encoded(restaurant.id))" aria-pressed="\(isFavorite ? "true" : "false")">\
      \(shape)\(label)</button></form>
      """
  }

  /// The fields of a form that changes a favorite and comes back to the page.
  static func fields(id: String, adds: Bool, _ context: PageContext) -> HTML {
    """
    <input type="hidden" name="id" value="\(PercentCoding.encoded(id))">\
    <input type="hidden" name="change" value="\(adds ? "add" : "remove")">\
    <input type="hidden" name="back" value="\(context.view.withoutChange.target)">
    """
  }
}
