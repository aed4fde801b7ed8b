import GeoQuery
import HTTPTypes

/// What surrounds the contents of every page: head, tabs, notices, foot.
enum PageLayout {
  private static let tabs = [
    (Endpoint.lunch, "Lunch", "plate-tab"), (.favoritesPage, "Favorites", "heart-tab"),
    (.wantsPage, "Wants", "list-tab"),
  ]

  /// A whole page.
  static func bytes(title: String, _ context: PageContext, _ main: HTML) -> [UInt8] {
    let endpoint = context.view.endpoint
    // the list and the map share one tab, and so do the pages of a plan
    let tab =
      endpoint == .map ? .lunch : PlanLayout.pages.contains(endpoint) ? .wantsPage : endpoint
    let site =
      context.settings.webHome == nil ? [] : [(Endpoint.internets, "Internets", "globe-tab")]
    let tabs = (Self.tabs + site).map { target, title, icon in
      Self.tab(context.link(to: target), title, icon, isCurrent: target == tab)
    }
    let keeping = if case .device = context.keeping { "device" } else { "service" }
    let body: HTML = """
      <a class="skip" href="#main">Skip to the content</a>
      <header class="top"><a class="brand" href="\(context.link(to: .lunch))">geoq</a>
      <nav aria-label="Pages">\(tabs)</nav>\(help(tab, context))<div id="state" role="status"></div></header>
      <main id="main">
      <div id="notices" role="status">\(notices(context))</div>
      \(ShortListPage.strip(context))
      \(main)
      </main>
      \(foot(context))
      """
    return HTML.document(
      title: title,
      style: context.address(.pageStyle, .style),
      head: """
        <link rel="icon" href="\(context.address(.icon))">
        <script type="module" src="\(context.address(.pageScript, .script))"></script>

        """,
      attributes: """
         data-keeping="\(keeping)" data-favorites="\(context.address(.favoritesPage))" \
        data-health="\(context.address(.health))" data-generation="\(context.snapshot.generation)"
        """,
      body
    )
  }

  /// A link to a page; phones show its drawing above its title.
  private static func tab(
    _ address: String,
    _ title: String,
    _ icon: String,
    isCurrent: Bool
  ) -> HTML {
    let current: HTML = isCurrent ? " aria-current=\"page\"" : ""
    return "<a class=\"\(icon)\" href=\"\(address)\"\(current)>\(title)</a>"
  }

  /// A few sentences about a tab, which “?” opens; on phones “More”, with further pages.
  private static func help(_ tab: Endpoint, _ context: PageContext) -> HTML {
    let words: HTML =
      switch tab {
      case .favoritesPage:
        """
        <p>The heart of a restaurant keeps it here, and takes it out again. The order is that of Lunch.</p>
        <p>There is one list, of this service or of this browser, and none for each person.</p>
        """
      case .wantsPage:
        """
        <p>List what each of you wants: kinds of food, words, ★ 4 for well rated, $$ for not too dear, offers. The answer \
        names a few places near the start that have it all together.</p>
        <p>Offers are added from their own pages; several can be added there. Meet finds a place with a \
        short way for everyone. The short list travels in the link, and picks one for you.</p>
        """
      case .internets:
        "<p>A site inside this page. If it refuses to be shown here, open it in a new tab.</p>"
      default:
        """
        <p>Search by name, kind of food, street or city. “From where” takes a restaurant, an address, a city, a postal \
        code, or a position; the nearest come first.</p>
        <p>★ is the rating with the number of reviews, $ to $$$$ the price. Minutes to walk are an estimate: 1.3 times the \
        straight line, at 4.8 km/h (3 mph). The heart keeps a restaurant under Favorites. Pictures are shown \
        if the operator lets this service fetch them.</p>
        """
      }
    let others = PlanLayout.tabs.dropFirst().map { endpoint, title -> HTML in
      "<a href=\"\(context.link(to: endpoint))\">\(title)</a>"
    }
    return """
      <details class="help"><summary><span class="wide"><b aria-hidden="true">?</b><span class="hidden">Help</span></span>\
      <span class="narrow more-tab">More</span></summary>\
      <div><nav class="narrow" aria-label="More pages">\(others)</nav>\(words)</div></details>
      """
  }

  /// A page for an error; it needs nothing of the service, and its links are relative to `path`.
  static func failure(_ problem: Problem, at path: Substring) -> [UInt8] {
    let home = home(from: path)
    let start = Endpoint.lunch.path
    let tabs = Self.tabs.map { target, title, icon in
      tab(home + String(target.path.dropFirst(start.count)), title, icon, isCurrent: false)
    }
    return HTML.document(
      title: problem.status.reasonPhrase,
      style: home + "style.css",
      """
      <header class="top"><a class="brand" href="\(home)">geoq</a>
      <nav aria-label="Pages">\(tabs)</nav></header>
      <main id="main" class="empty"><h1>That did not work</h1>
      <p>\(HTML.text(sentence(problem.detail)))</p>
      <p><a class="button" href="\(home)">To the list of restaurants</a></p></main>
      """
    )
  }

  /// A detail of a problem as a sentence for people.
  private static func sentence(_ detail: String) -> String {
    if detail.isUTF8Equal(to: Problem.unknownPath.detail) { return "There is no such page." }
    let end = detail.utf8.last.map { ".!?".utf8.contains($0) } ?? true ? "" : "."
    return detail.prefix(1).uppercased() + detail.dropFirst() + end
  }

  /// The relative link from a page to the list, which also works under a proxy's path prefix.
  static func home(from path: Substring) -> String {
    let depth = path.utf8.count { $0 == UInt8(ascii: "/") }
    return depth < 2 ? "app/" : depth == 2 ? "./" : String(repeating: "../", count: depth - 2)
  }

  /// Faults of the address, and the button that undoes a change of the favorites.
  private static func notices(_ context: PageContext) -> HTML {
    let faults = context.faults.map { fault -> HTML in
      "<p class=\"notice fault\">\(HTML.text(fault))</p>"
    }
    let choices = context.choices.map { chip(context.address($0.view), HTML.text($0.name)) }
    return "\(faults)\(chips(choices, label: "Which one?"))\(changeNotice(context))"
  }

  private static func changeNotice(_ context: PageContext) -> HTML? {
    // an old link may report a change that has been undone since
    guard context.isKeptByService, let change = context.view.change,
      context.favorites.contains(UTF8Key(change.id)) == change.isAdded
    else { return nil }
    guard let restaurant = try? context.snapshot.restaurant(id: change.id) else {
      return change.isAdded ? nil : goneForGood
    }
    return """
      <form class="notice" method="post" action="\(context.address(.favoritesPage))"><span>\
      \(HTML.text(restaurant.name)) is \(change.isAdded ? "a favorite now" : "no longer a favorite").</span>
      \(Heart.fields(id: change.id, adds: !change.isAdded, context))<button>Undo</button></form>
      """
  }

  private static let goneForGood: HTML = """
    <p class="notice">It is no longer a favorite. It is not in the data any more, so it cannot be added again.</p>
    """

  private static func foot(_ context: PageContext) -> HTML {
    let count = context.snapshot.count
    let switched = context.address { $0.units = context.units.other }
    let date = context.credits.dates.values.max().map { date -> HTML in ", as of \(date.day)" }
    return """
      <footer>\(HTML.credit(context.credits))<p>Distances in \(context.units.title) · \
      <a href="\(switched)">show \(context.units.other.title)</a></p>
      <p>\(grouped(count)) \(count == 1 ? "restaurant" : "restaurants")\(date) · \
      <a href="\(context.address(.apiPage))">API</a> · \
      <a href="\(context.address(.licenses))">Licenses</a></p></footer>
      """
  }

  // MARK: Parts of pages

  /// What a page shows in place of an empty list.
  static func empty(
    _ drawing: CategoryDrawing,
    _ title: HTML,
    _ advice: HTML,
    button: (address: String, words: HTML)? = nil
  ) -> HTML {
    let button = button.map { button -> HTML in
      "\n<p><a class=\"button\" href=\"\(button.address)\">\(button.words)</a></p>"
    }
    return """
      <div class="empty">\(drawing.html)<h2>\(title)</h2>
      <p>\(advice)</p>\(button)</div>
      """
  }

  /// A link in a list of chips; `current` is the value of `aria-current`.
  static func chip(_ address: String, current: HTML? = nil, _ words: HTML) -> HTML {
    let current = current.map { value -> HTML in " aria-current=\"\(value)\"" }
    return "<li><a class=\"chip\" href=\"\(address)\"\(current)>\(words)</a></li>"
  }

  /// A list of chips that may take several lines, and those after the first `count` under “More”;
  /// empty without any.
  static func chips(_ chips: [HTML], label: HTML, first count: Int = .max) -> HTML {
    if chips.isEmpty { return "" }
    // a last one alone is shown rather than announced
    let count = chips.count - 1 <= count ? chips.count : count
    let rest = Array(chips.dropFirst(count))
    let more: HTML =
      rest.isEmpty
      ? ""
      : """
      <details class="others"><summary>More (\(rest.count))</summary>\
      <ul class="chips wrap" aria-label="More \(label)">\(rest)</ul></details>
      """
    return """
      <div class="chiprow"><ul class="chips wrap" aria-label="\(label)">\(Array(chips.prefix(count)))</ul>\(more)</div>
      """
  }

  /// The link to the next page of a list, which the script adds to this one.
  static func more(_ address: String) -> HTML {
    "<a class=\"button\" id=\"more\" href=\"\(address)\">Show more</a>"
  }

  /// The same at the end of a list, by the cursor of the next page; empty without one.
  static func more(from cursor: String?, _ context: PageContext) -> HTML {
    guard let cursor else { return "" }
    return "<p class=\"more\">\(more(context.address { $0.cursor = cursor }))</p>"
  }

  /// The sign of a chip that adds something.
  static let plus: HTML = "<span aria-hidden=\"true\">+</span>"

  /// The link that removes an entry from a list.
  static func removal(of name: String, _ address: String) -> HTML {
    """
    <a class="remove" href="\(address)"><span aria-hidden="true">×</span>\
    <span class="hidden">Remove \(HTML.text(name))</span></a>
    """
  }

  /// The button that copies the address of the page, which the script shows.
  static let share: HTML =
    "<button type=\"button\" class=\"button\" data-copy=\"\" hidden>Copy link</button>"

  /// An entry of a `select`.
  static func option(_ value: String, _ title: String, isChosen: Bool) -> HTML {
    let selected: HTML = isChosen ? " selected" : ""
    return "<option value=\"\(value)\"\(selected)>\(title)</option>"
  }

  /// Hidden fields with the rest of a state, so that a form keeps it: all but the items that have fields
  /// of their own.
  static func fields(_ view: PageState, without own: [String] = []) -> HTML {
    let rest = view.fromBeginning.pairs.filter { !own.contains($0.name) && $0.name != "ids" }
    let fields = rest.map { name, value -> HTML in
      "<input type=\"hidden\" name=\"\(name)\" value=\"\(HTML.fieldValue(value))\">"
    }
    return "\(fields)"
  }

  /// The names of the operator's places, suggested by the fields for a place.
  static func placeList(_ context: PageContext) -> HTML {
    let options = context.places.map { place -> HTML in
      "<option value=\"\(place.name)\"></option>"
    }
    return "<datalist id=\"places\">\(options)</datalist>"
  }

  /// The link to a restaurant's page.
  static func link(to id: String, _ name: String, _ context: PageContext) -> HTML {
    "<a href=\"\(context.link(to: .restaurantPage, id: id))\">\(HTML.text(name))</a>"
  }

  /// The nearest restaurant with its distance, after the number of places; nil if there is none.
  static func nearest(_ nearest: OfferHit.Nearest?, _ context: PageContext) -> HTML? {
    nearest.map { nearest in
      """
       · nearest \(link(to: nearest.id, nearest.name, context)) \
      \(context.units.text(of: nearest.distance))
      """
    }
  }
}

/// What the pages of a plan have in common: wants, offers, meeting and short list.
enum PlanLayout {
  /// The pages of a plan.
  static let pages = [
    Endpoint.wantsPage, .offersPage, .offerPage, .meetPage, .shortListPage,
  ]

  /// Those with a link on each of them.
  static let tabs = [
    (Endpoint.wantsPage, "The list"), (.offersPage, "Offers"), (.meetPage, "Meet"),
    (.shortListPage, "Short list"),
  ]

  /// The links between these pages.
  static func tabs(_ context: PageContext) -> HTML {
    let plan = context.view.plan
    let items = tabs.map { endpoint, title in
      let count =
        endpoint == .wantsPage
        ? plan.wants.count : endpoint == .shortListPage ? plan.picks.count : 0
      let number: HTML = count == 0 ? "" : " <small>\(count)</small>"
      return PageLayout.chip(
        context.link(to: endpoint),
        current: endpoint == context.view.endpoint ? "page" : nil,
        "\(title)\(number)"
      )
    }
    return "<nav aria-label=\"Plan\"><ul class=\"chips\">\(items)</ul></nav>"
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
    let contents: HTML = """
      <svg viewBox="0 0 24 24" aria-hidden="true"><path d="M12 20.5C5 15 2.5 11.6 2.5 8.3 2.5 5.5 4.7 3.5 7.2 3.5c2 0 3.7 1.1 4.8 3 1.1-1.9 2.8-3 4.8-3 2.5 0 4.7 2 4.7 4.8 0 3.3-2.5 6.7-9.5 12.2z"/></svg>\
      <span class="hidden">Favorite: \(HTML.text(restaurant.name))</span>
      """
    let id = PercentCoding.encoded(restaurant.id)
    guard context.isKeptByService else {
      // hidden until the script shows it, because the script keeps these favorites
      return """
        <button type="button" class="heart" data-id="\(id)" aria-pressed="false" hidden>\(contents)</button>
        """
    }
    let isFavorite = match.favorite != nil || context.favorites.contains(UTF8Key(restaurant.id))
    // it could not be added again
    let gone: HTML = match.favorite?.isGone == true ? " data-gone" : ""
    let address = context.address(.favorite, id: restaurant.id)
    return """
      <form class="keep" method="post" action="\(context.address(.favoritesPage))" data-change="\(address)">\
      \(fields(id: restaurant.id, adds: !isFavorite, context))\
      <button class="heart" data-id="\(id)" aria-pressed="\(isFavorite ? "true" : "false")"\(gone)>\
      \(contents)</button></form>
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
