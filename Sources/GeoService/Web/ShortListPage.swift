import GeoQuery

extension Endpoint {
  static let shortListPage = page("shortListPage", "/app/shortlist") { $0.shortListPage() }
}

extension RequestContext {
  fileprivate func shortListPage() -> Work {
    Work(on: .queries) { _ in
      let view = view
      var context = try PageContext(self, view)
      let found = try view.plan.picks.map { try snapshot.restaurant(id: $0) }
      if found.contains(where: { $0 == nil }) {
        context.faults.append("A restaurant of the short list is not there any more.")
      }
      let page = ShortListPage(
        context: context,
        restaurants: found.compactMap(\.self),
        nextSeed: .random(in: 1...999_999)
      )
      return Work.Body(bytes: page.bytes, hits: page.restaurants.count)
    }
  }
}

/// The short list: up to five restaurants, kept in the address.
struct ShortListPage: Sendable {
  let context: PageContext

  let restaurants: [Restaurant]

  /// The seed of the next pick, new each time the page is made.
  let nextSeed: UInt32

  private var view: PageState { context.view }

  var bytes: [UInt8] {
    let main: HTML = """
      <h1>Short list</h1>
      \(PlanLayout.tabs(context))
      \(restaurants.isEmpty ? empty : list)
      """
    return PageLayout.bytes(title: "Short list", context, main)
  }

  private var list: HTML {
    let again = context.address { $0.plan.seed = nextSeed }
    let words: HTML = chosen == nil ? "Pick one for us" : "Pick again"
    let none = context.address { ($0.plan.picks, $0.plan.seed) = ([], nil) }
    return """
      <p class="quiet">\(restaurants.count) of \(PlanState.maximumPicks). Everyone who opens the address of this page sees \
      this list.</p>
      \(pick)
      <p class="actions"><a class="button" id="pick-one" href="\(again)">\(words)</a>\
      \(PageLayout.share)\
      <a class="button" href="\(none)">Clear</a></p>
      \(RestaurantCard.list(restaurants.map { Match(restaurant: $0) }, context))
      """
  }

  private var chosen: Restaurant? {
    var plan = view.plan
    plan.picks = restaurants.map(\.id)
    return plan.chosen.flatMap { id in restaurants.first { $0.id.isUTF8Equal(to: id) } }
  }

  private var pick: HTML {
    guard let chosen else { return "" }
    return """
      <p class="chosen" id="chosen">\(CategoryArt(of: chosen).html)<span>Today it is \
      \(PageLayout.link(to: chosen.id, chosen.name, context)).</span></p>
      """
  }

  private var empty: HTML {
    PageLayout.empty(
      .taco,
      "Nothing on the short list",
      """
      Press “+ short list” at up to five restaurants. The list travels in the link: send it to the others.
      """,
      button: (context.link(to: .lunch), "Find some")
    )
  }

  // MARK: On other pages

  /// The link that adds a restaurant to the list, or removes it; empty if the list is full.
  static func toggle(_ restaurant: Restaurant, _ context: PageContext) -> HTML {
    let plan = context.view.plan
    guard let next = plan.picking(restaurant.id) else { return "" }
    let isPicked = plan.isPicked(restaurant.id)
    let words: HTML =
      isPicked
      ? "<span aria-hidden=\"true\">✓</span> on the short list<span class=\"hidden\">, remove"
      : "<span aria-hidden=\"true\">+</span> short list<span class=\"hidden\">, add"
    let state: HTML = isPicked ? " pick-on" : ""
    return """
      <p><a class="pick\(state)" href="\(context.address(context.view.with(next)))">\(words) \(HTML.text(restaurant.name))</span></a></p>
      """
  }

  /// The same link for a restaurant's own page.
  static func button(_ restaurant: Restaurant, _ context: PageContext) -> HTML? {
    let plan = context.view.plan
    guard let next = plan.picking(restaurant.id) else { return nil }
    let words: HTML =
      plan.isPicked(restaurant.id) ? "Off the short list" : "Put on the short list"
    let address = context.address(context.view.with(next))
    return "<a class=\"button pick-button\" href=\"\(address)\">\(words)</a>"
  }

  /// The short list as shown on every page but its own.
  static func strip(_ context: PageContext) -> HTML {
    if context.view.endpoint == .shortListPage { return "" }
    let picks = context.view.plan.picks
    if picks.isEmpty { return "" }
    let names = picks.compactMap { try? context.snapshot.restaurant(id: $0)?.name }
    return """
      <p class="picks"><a href="\(context.link(to: .shortListPage))">Short list (\(picks.count) of \(PlanState.maximumPicks))</a> \
      <span class="quiet">\(HTML.text(names.joined(separator: " · ")))</span></p>
      """
  }
}
