import GeoIndex
import GeoQuery
import HTTPTypes

/// The pages of offers, which ask the same questions as `/offers`.
extension Endpoint {
  static let offersPage = page("offersPage", "/app/offers") { $0.offersPage() }
  static let offerPage = page("offerPage", "/app/offers/{id}", [.offerID]) { try $0.offerPage() }
}

extension RequestContext {
  /// `GET /app/offers`.
  fileprivate func offersPage() -> Work {
    let view = view
    return Work(on: longExecutor) { deadline in
      let context = try PageContext(self, view)
      var query = OfferQuery()
      query.text = view.text
      query.categories = view.categories
      query.center = context.place?.coordinate
      query.offset = max(0, DecimalText.integer(view.cursor) ?? 0)
      query.limit = OfferListPage.pageLength
      query.deadline = deadline
      let page = OfferListPage(
        context: context,
        page: try generation.offerPlaces().page(query),
        offset: query.offset,
        categories: generation.book.categories()
      )
      return Work.Body(bytes: page.bytes, hits: page.page.hits.count)
    }
  }

  /// `GET /app/offers/{id}`.
  fileprivate func offerPage() throws -> Work {
    let id = path("id")
    guard let offer = try generation.offers().offer(id: id) else {
      throw Problem.notFound("there is no offer \(quoted(id))")
    }
    return Work(on: .queries) { deadline in
      let context = try PageContext(self, view)
      let places = try generation.offerPlaces()
      let offset = min(max(0, DecimalText.integer(view.cursor) ?? 0), snapshot.count)
      let page = OfferDetailPage(
        context: context,
        offer: offer,
        chains: offer.chains.compactMap(places.book.chainName),
        page: try places.places(
          of: offer,
          near: context.place?.coordinate,
          limit: offset + OfferDetailPage.pageLength,
          until: deadline
        ),
        offset: offset
      )
      return Work.Body(bytes: try page.bytes(), hits: page.page.count)
    }
  }
}

/// The page of offers, by category and words, each with the number of places that have it.
struct OfferListPage: Sendable {
  static let pageLength = 24

  let context: PageContext
  let page: OfferPage

  /// The number of offers before this page.
  let offset: Int

  /// The categories of all offers, with counts.
  let categories: [(name: String, count: Int)]

  private var view: PageState { context.view }

  var bytes: [UInt8] {
    let main: HTML = """
      <h1>Offers</h1>
      \(PlanLayout.tabs(context))
      \(categories.isEmpty && page.total == 0 && view.text.isEmpty ? none : list)
      """
    return PageLayout.bytes(title: "Offers", context, main)
  }

  private var none: HTML {
    PageLayout.empty(
      .cup,
      "No offers yet",
      "Import a list of offers with <code>geoq import</code>, and they show up here."
    )
  }

  private var list: HTML {
    var rest = view
    rest.text = ""
    let items = page.hits.map { Self.row($0.offer, Self.location($0, context), context) }
    let shown = page.hits.isEmpty ? 0 : offset + page.hits.count
    let offers: HTML =
      items.isEmpty
      ? "<p class=\"empty\">No offer matches. Try fewer letters or another category.</p>"
      : "<ul class=\"offers grid\" id=\"offers\">\(items)</ul>"
    return """
      <form class="add" role="search" action="\(context.address(.offersPage))" method="get">\(PageLayout.fields(rest))
      <label><span>Search</span><input type="search" name="q" value="\(HTML.fieldValue(view.text))" maxlength="120" \
      placeholder="Name, description or category" autocomplete="off"></label><button>Show</button></form>
      \(chips)
      <p class="count" id="count">\(shown) of \(page.total)</p>
      \(offers)
      \(more)
      """
  }

  private var chips: HTML {
    let chips = categories.map { category, count in
      PageLayout.chip(
        context.address(view.toggling(category: category)),
        current: view.categories.contains { $0.isUTF8Equal(to: category) } ? "true" : nil,
        "\(HTML.text(category)) <small>\(count)</small>"
      )
    }
    return PageLayout.chips(chips, label: "Categories", first: 10)
  }

  private var more: HTML {
    guard !page.hits.isEmpty, offset + page.hits.count < page.total else { return "" }
    var next = view.withoutChange
    next.cursor = "\(offset + page.hits.count)"
    return
      "<p class=\"more\"><a class=\"button\" href=\"\(context.address(next))\">Next offers</a></p>"
  }

  // MARK: an offer in a list

  /// An offer with its name, its saving or price, and the link that adds it to the wants.
  static func row(_ offer: Offer, _ note: HTML, _ context: PageContext) -> HTML {
    let address = context.link(to: .offerPage, id: offer.id)
    let description = offer.description.map { text -> HTML in
      "<p class=\"quiet\">\(HTML.text(text))</p>"
    }
    return """
      <li><div>\(worth(offer))<p><a href="\(address)">\(HTML.text(offer.name))</a></p>\(description)\(note)</div>\
      \(toggle(offer, context))</li>

      """
  }

  /// The amount of an offer with all its decimals, and its currency if its feed says it; nil without one.
  static func worth(_ offer: Offer) -> HTML? {
    guard let amount = offer.amount, amount > 0 else { return nil }
    var text = amount.description
    let decimals = text.utf8.reversed().prefix { $0 != UInt8(ascii: ".") }.count
    if text.hasSuffix(".0") { text.removeLast(2) } else if decimals == 1 { text += "0" }
    let currency = offer.extra.first { $0.name.isUTF8Equal(to: "currency") }
    if case .string(let code)? = currency?.value, code.utf8.count <= 3 { text += " " + code }
    return "<p class=\"worth\">worth <strong>\(text)</strong></p>"
  }

  /// The number of places that have an offer, and the nearest of them.
  static func location(_ hit: OfferHit, _ context: PageContext) -> HTML {
    let count = hit.placeCount == 0 ? "no place has it" : counted(hit.placeCount, "place")
    return "<p class=\"quiet\">\(count)\(PageLayout.nearest(hit.nearest, context))</p>"
  }

  /// The link that adds an offer to the wants, or removes it.
  static func toggle(_ offer: Offer, _ context: PageContext) -> HTML {
    guard let want = PlanState.want(ofOffer: offer.id) else { return "" }
    let plan = context.view.plan
    let isWanted = plan.isWanted(want)
    guard isWanted || plan.wants.count < CoverQuery.maximumWants else { return "" }
    var next = context.view.with(isWanted ? plan.removing(want: want) : plan.adding(want: want))
    next.cursor = context.view.cursor
    let (state, words, rest) =
      isWanted ? (" on", "✓ On the list", ", remove") : ("", "Add", " to the list:")
    return """
      <a class="button want\(state)" href="\(context.address(next))">\(words)\
      <span class="hidden">\(rest) \(HTML.text(offer.name))</span></a>
      """
  }
}

/// The page of one offer: everything that is known, and the places that have it.
struct OfferDetailPage: Sendable {
  static let pageLength = 12

  let context: PageContext
  let offer: Offer

  let chains: [String]

  /// The nearest places that have it, up to the end of this page; without a position, the first ones
  /// by id.
  let page: Page

  /// The number of places before this page.
  let offset: Int

  /// - Throws: `SnapshotError` if the snapshot is damaged.
  func bytes() throws -> [UInt8] {
    let matches = Array(try page.matches.dropFirst(offset))
    let description = offer.description.map { text -> HTML in "<p>\(HTML.text(text))</p>" }
    let places: HTML =
      matches.isEmpty
      ? "<p class=\"empty\">No place has it.</p>" : RestaurantCard.list(matches, context)
    let shown: HTML = offset > 0 ? "\(matches.count) more" : "\(matches.count)"
    let main: HTML = """
      <p class="back"><a href="\(context.link(to: .offersPage))">‹ All offers</a></p>
      <article class="offer">
      <h1>\(HTML.text(offer.name))</h1>
      \(OfferListPage.worth(offer))\(description)
      <dl>\(facts)</dl>
      \(terms)
      <p class="actions">\(OfferListPage.toggle(offer, context))<a class="button" \
      href="\(context.link(to: .wantsPage))">To the list of wants</a></p>
      <h2>Where to get it</h2>
      <p class="count" id="count">\(shown) of \(counted(page.total, "place"))</p>
      \(places)\(more)
      </article>
      """
    return PageLayout.bytes(title: offer.name, context, main)
  }

  private var more: HTML {
    guard page.count > offset, page.count < page.total else { return "" }
    var next = context.view.withoutChange
    next.cursor = "\(page.count)"
    return """
      <p class="more"><a class="button" id="more" href="\(context.address(next))">Show more</a></p>
      """
  }

  /// The terms, which may be long.
  private var terms: HTML? {
    offer.terms.map { text -> HTML in
      let open: HTML = text.utf8.count < 200 ? " open" : ""
      return
        "<details class=\"others\"\(open)><summary>Terms</summary><p>\(HTML.text(text))</p></details>"
    }
  }

  private var facts: [HTML] {
    var rows: [(String, HTML?)] = [
      ("Until", offer.expiration.map(HTML.text))
    ]
    for (title, names) in [("Category", offer.categories), ("Chains", chains)] {
      rows.append((title, names.isEmpty ? nil : .text(names.joined(separator: ", "))))
    }
    for (title, address) in [("Link", offer.url), ("Picture", offer.largeURL)] {
      rows.append((title, address.map { .webLink($0, HTML.outside) }))
    }
    return rows.compactMap { title, value -> HTML? in
      value.map { "<dt>\(title)</dt><dd>\($0)</dd>" }
    }
  }
}
