import GeoQuery
import HTTPTypes

/// The frame of every page: head, tabs, notices, foot.
enum PageShell {
  /// A whole page.
  static func bytes(title: String, _ context: PageContext, _ main: HTML) -> [UInt8] {
    var tabs: [HTML] = []
    for (screen, title) in [
      (PageView.Screen.lunch, "Lunch"), (.favorites, "Favorites"), (.wants, "Wants"),
      (.internets, "Internets"),
    ] {
      let view = context.view.leading(to: screen)
      let isHere =
        view.path == context.view.path || (view.path, context.view.path) == Self.sameTab
        || (title == "Wants" && context.view.screen.isPlan)
      let current: HTML = isHere ? " aria-current=\"page\"" : ""
      tabs.append("<a href=\"\(context.address(view))\"\(current)>\(title)</a>")
    }
    let keeping = if case .device = context.keeping { "device" } else { "service" }
    let style = context.address(.pageStyle, [("v", PageAsset.style.tag)])
    let script = context.address(.pageScript, [("v", PageAsset.script.tag)])
    let body: HTML = """
      <a class="skip" href="#main">Skip to the content</a>
      \(CategoryDrawing.sprite)
      <header class="top"><a class="brand" href="\(context.address(context.view.leading(to: .lunch)))">geoq</a>
      <nav aria-label="Pages">\(tabs)</nav><div id="state" role="status"></div></header>
      <main id="main">
      <div id="notices" role="status">\(notices(context))</div>
      \(ShortList.strip(context))
      \(main)
      </main>
      \(foot(context))
      """
    return HTML.document(
      title: title,
      style: style,
      head: """
        <link rel="icon" href="\(context.address(.icon))">
        <script type="module" src="\(script)"></script>

        """,
      attributes: """
         data-keeping="\(keeping)" data-favorites="\(context.address(.favoritesPage))" \
        data-health="\(context.address(.health))" data-generation="\(context.snapshot.generation)"
        """,
      body
    )
  }

  /// The list and the map share one tab.
  private static let sameTab = (Endpoint.lunch.path, Endpoint.map.path)

  /// A page for an error; it needs nothing of the service, and links to the list.
  ///
  /// - Parameters:
  ///   - problem: What went wrong.
  ///   - path: The path of the page, whose links are relative to it.
  /// - Returns: The document.
  static func failure(_ problem: Problem, at path: Substring) -> [UInt8] {
    let home = PageShell.home(from: path)
    return HTML.document(
      title: problem.status.reasonPhrase,
      style: home + "style.css",
      """
      <main id="main" class="empty"><h1>That did not work</h1>
      <p>\(HTML.text(problem.detail))</p>
      <p><a class="button" href="\(home)">To the list of restaurants</a></p></main>
      """
    )
  }

  /// The relative link from a page to the list, which also works under a proxy's path prefix.
  static func home(from path: Substring) -> String {
    let depth = path.utf8.count { $0 == UInt8(ascii: "/") }
    return depth < 2 ? "app/" : depth == 2 ? "./" : String(repeating: "../", count: depth - 2)
  }

  /// Faults of the address, and the button that undoes a change of the favorites.
  private static func notices(_ context: PageContext) -> HTML {
    var html: HTML = ""
    for fault in context.faults { html += "<p class=\"notice fault\">\(HTML.text(fault))</p>" }
    guard context.isKeptByService, let change = context.view.change else { return html }
    let (id, wasAdded) =
      switch change {
      case .added(let id): (id, true)
      case .removed(let id): (id, false)
      }
    // an old link may report a change that has been undone since
    guard context.favorites.contains(UTF8Key(id)) == wasAdded else { return html }
    guard let restaurant = try? context.snapshot.restaurant(id: id) else {
      if !wasAdded { html += Self.goneForGood }
      return html
    }
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

  private static let goneForGood: HTML = """
    <p class="notice">It is no longer a favorite. It is not in the data any more, so it cannot be added again.</p>
    """

  private static func foot(_ context: PageContext) -> HTML {
    var view = context.view
    let count = context.snapshot.count
    let restaurants = count == 1 ? "1 restaurant" : "\(grouped(count)) restaurants"
    view.units = context.units.other
    view.change = nil
    return """
      <footer>\(HTML.credit(context.credits))<p>Distances in \(context.units.title) · \
      <a href="\(context.address(view))">show \(context.units.other.title)</a></p>
      <p>\(restaurants) · <a href="\(context.address(.apiPage))">API</a> · \
      <a href="\(context.address(.licenses))">Licenses</a></p></footer>
      """
  }
}

/// The heart of a restaurant.
///
/// Its id is percent-encoded, because attributes escape some characters, which would change it.
enum Heart {
  /// A button that adds or removes a favorite; a form if the service keeps favorites, and nothing
  /// if they cannot be read.
  static func html(of match: Match, _ context: PageContext) -> HTML {
    if case .unavailable = context.keeping { return "" }
    let restaurant = match.restaurant
    let shape: HTML =
      "<svg viewBox=\"0 0 24 24\" aria-hidden=\"true\"><use href=\"#d-heart\"/></svg>"
    let label: HTML = "<span class=\"hidden\">Favorite: \(HTML.text(restaurant.name))</span>"
    guard context.isKeptByService else {
      // hidden until the script shows it, because the script keeps these favorites
      return """
        <button type="button" class="heart" data-id="\(PercentCoding.encoded(restaurant.id))" aria-pressed="false" hidden>\
        \(shape)\(label)</button>
        """
    }
    let isFavorite = match.favorite != nil || context.favorites.contains(UTF8Key(restaurant.id))
    // it could not be added again
    let gone: HTML = match.favorite?.isGone == true ? " data-gone" : ""
    let address = context.address(.favorite, id: restaurant.id)
    return """
      <form class="keep" method="post" action="\(context.address(.favoritesPage))" data-change="\(address)">\
      \(fields(id: restaurant.id, adds: !isFavorite, context))\
      <button class="heart" data-id="\(PercentCoding.encoded(restaurant.id))" aria-pressed="\(isFavorite ? "true" : "false")"\(gone)>\
      \(shape)\(label)</button></form>
      """
  }

  /// The fields of a form that changes a favorite and returns to the page.
  static func fields(id: String, adds: Bool, _ context: PageContext) -> HTML {
    """
    <input type="hidden" name="id" value="\(PercentCoding.encoded(id))">\
    <input type="hidden" name="change" value="\(adds ? "add" : "remove")">\
    <input type="hidden" name="back" value="\(context.view.withoutChange.target)">
    """
  }
}
