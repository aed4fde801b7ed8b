import GeoIndex
import GeoQuery

/// The pages of offers, which ask the same questions as `/offers`.
extension Endpoint {
  static let offersPage = page("offersPage", "/app/offers") { $0.offersPage() }
  static let offerPage = page("offerPage", "/app/offers/{id}", [.offerID]) { try $0.offerPage() }
}

extension RequestContext {
  fileprivate func offersPage() -> Work {
    let view = view
    return Work(on: longExecutor) { deadline in
      let context = try PageContext(self, view)
      let center = context.place?.coordinate
      var query = OfferQuery()
      query.text = view.text
      query.categories = view.categories
      query.on = context.day
      query.expired = view.expired
      query.center = center
      query.offset = max(0, DecimalText.integer(view.cursor) ?? 0)
      query.limit = OfferListPage.pageLength
      query.deadline = deadline
      let places = try generation.offerPlaces()
      let found = try places.page(query)
      let page = OfferListPage(
        context: context,
        page: found,
        retailers: try found.hits.map {
          try places.retailers(of: $0.offer, near: center, until: deadline)
        },
        offset: query.offset,
        book: generation.book
      )
      return Work.Body(bytes: page.bytes, hits: page.page.hits.count)
    }
  }

  fileprivate func offerPage() throws -> Work {
    let offer = try namedOffer()
    return Work(on: .queries) { deadline in
      let context = try PageContext(self, view)
      let places = try generation.offerPlaces()
      let offset = min(max(0, DecimalText.integer(view.cursor) ?? 0), snapshot.count)
      var named: Set<UTF8Key> = []
      let page = OfferDetailPage(
        context: context,
        offer: offer,
        chains: offer.chains.filter { named.insert(UTF8Key($0)).inserted }.compactMap { reference in
          places.book.chainName(of: reference).map { ($0, places.count(ofChain: reference)) }
        },
        page: try places.places(
          of: offer,
          near: context.place?.coordinate,
          limit: offset + (offset == 0 ? OfferDetailPage.firstLength : OfferDetailPage.pageLength),
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

  /// The names of those that have each offer of the page.
  let retailers: [[String]]

  /// The number of offers before this page.
  let offset: Int

  let book: OfferBook

  private var view: PageState { context.view }

  var bytes: [UInt8] {
    let main: HTML = """
      <h1>Offers</h1>
      \(PlanLayout.tabs(context))
      \(book.offers.isEmpty ? none : list)
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
    let items = zip(page.hits, retailers).map(card)
    let shown = page.hits.isEmpty ? 0 : offset + page.hits.count
    let offers: HTML =
      items.isEmpty
      ? "<p class=\"empty\">No offer matches. Try fewer letters or another category.</p>"
      : "<ul class=\"cards deals\" id=\"cards\">\(items)</ul>"
    return """
      <form class="add" role="search" action="\(context.address(.offersPage))" method="get">\(PageLayout.fields(view, without: ["q"]))
      <label><span>Search</span><input type="search" name="q" value="\(HTML.fieldValue(view.text))" maxlength="120" \
      placeholder="Name, description or category" autocomplete="off"></label><button>Show</button></form>
      \(chips)
      <p class="count" id="count">\(shown) of \(page.total)\(ended)</p>
      \(offers)
      \(PageLayout.more(from: next, context))
      """
  }

  private var chips: HTML {
    let chips = book.categories(on: context.lastDay).map { category, count in
      PageLayout.chip(
        context.address(view.toggling(category: category)),
        current: view.categories.contains { $0.isUTF8Equal(to: category) } ? "true" : nil,
        "\(HTML.text(category)) <small>\(count)</small>"
      )
    }
    return PageLayout.chips(chips, label: "Categories", first: 8)
  }

  /// The link that shows offers that have ended, or hides them; nil if there are none.
  private var ended: HTML? {
    let count = book.offers.count { $0.isExpired(on: context.day) }
    if count == 0 { return nil }
    let other = view.fromBeginning.with { $0.expired.toggle() }
    let words = view.expired ? "hide ended offers" : "show \(counted(count, "ended offer")) too"
    return " · <a href=\"\(context.address(other))\">\(words)</a>"
  }

  /// The cursor of the next page; nil if none follows.
  private var next: String? {
    let end = offset + page.hits.count
    return !page.hits.isEmpty && end < page.total ? "\(end)" : nil
  }

  /// A card with picture, value, those that have the offer, and the link that adds it to the wants.
  private func card(_ hit: OfferHit, _ retailers: [String]) -> HTML {
    let offer = hit.offer
    let art = CategoryArt(of: offer)
    let category = offer.categories.first.map { text -> HTML in "<p>\(HTML.text(text))</p>" }
    let pictures = context.imageAddresses(of: offer)
    let about = offer.description.map { text -> HTML in "<p class=\"about\">\(HTML.text(text))</p>"
    }
    let ended: HTML = hit.isExpired ? " ended" : ""
    return """
      <li class="card\(ended)" id="\(Self.anchor(of: offer))"><a class="cover \(art.name)" \
      href="\(context.link(to: .offerPage, id: offer.id))">\(art.html)\
      \(Pictures.cover(pictures, category == nil ? "" : offer.name))<h2>\(HTML.text(offer.name))</h2>\(category)</a>\
      <div class="facts">\(Self.worth(offer))\(about)\(Self.end(of: offer, context))\(location(hit, retailers))\
      \(Self.toggle(offer, context))</div></li>

      """
  }

  /// Those that have an offer, the number of places, and the nearest of them.
  private func location(_ hit: OfferHit, _ retailers: [String]) -> HTML {
    let words = [Self.names(retailers), placesInData(hit.placeCount)].compactMap(\.self)
      .joined(separator: " · ")
    return "<p class=\"quiet\">\(HTML.text(words))\(PageLayout.nearest(hit.nearest, context))</p>"
  }

  // MARK: an offer in lists

  /// An offer with its name, its value, and the link that adds it to the wants.
  static func row(_ offer: Offer, _ context: PageContext) -> HTML {
    let address = context.link(to: .offerPage, id: offer.id)
    let description = offer.description.map { text -> HTML in
      "<p class=\"quiet\">\(HTML.text(text))</p>"
    }
    return """
      <li id="\(anchor(of: offer))"><div>\(worth(offer))<p><a href="\(address)">\(HTML.text(offer.name))</a></p>\
      \(description)\(end(of: offer, context))</div>\(toggle(offer, context))</li>

      """
  }

  /// The id of an offer's element, to which the page returns.
  private static func anchor(of offer: Offer) -> HTML {
    "offer-\(PercentCoding.encoded(offer.id))"
  }

  /// The first two of several names: `Target, Walmart + 2`; nil without any.
  static func names(_ names: [String]) -> String? {
    if names.isEmpty { return nil }
    let others = names.count - 2
    return names.prefix(2).joined(separator: ", ") + (others > 0 ? " + \(others)" : "")
  }

  /// The last day of an offer, or the words of its feed if they are not a date; nil without an end.
  static func end(of offer: Offer, _ context: PageContext) -> HTML? {
    guard let end = offer.expiration else { return nil }
    let words = offer.isExpired(on: context.day) ? "Ended" : "Until"
    return "<p class=\"end\">\(words) \(HTML.text(offer.expires?.title ?? end))</p>"
  }

  /// The amount of an offer with all its decimals, and its currency if its feed says it; nil without one.
  static func worth(_ offer: Offer) -> HTML? {
    guard let amount = offer.amount, amount > 0 else { return nil }
    var text = amount.description
    let decimals = text.utf8.reversed().prefix { $0 != UInt8(ascii: ".") }.count
    if text.hasSuffix(".0") { text.removeLast(2) } else if decimals == 1 { text += "0" }
    let currency = offer.extra.first { member in
      ["currency", "currencyCode", "currency_code"].contains { $0.isUTF8Equal(to: member.name) }
    }
    guard case .string(let code)? = currency?.value, (1...3).contains(code.utf8.count) else {
      return "<p class=\"worth\">worth <strong>\(text)</strong></p>"
    }
    let isSign = !code.unicodeScalars.contains { $0.properties.isAlphabetic }
    let sign = signs[code] ?? (isSign ? code : nil)
    return
      "<p class=\"worth\"><strong>\(HTML.text(sign.map { $0 + text } ?? "\(text) \(code)"))</strong></p>"
  }

  /// The signs of currencies that stand before the amount.
  private static let signs = ["USD": "$", "EUR": "€", "GBP": "£", "JPY": "¥"]

  /// The link that adds an offer to the wants, or removes it, and returns to it; nil for one that cannot
  /// be added.
  static func toggle(_ offer: Offer, _ context: PageContext) -> HTML? {
    guard let want = PlanState.want(ofOffer: offer.id) else { return nil }
    let plan = context.view.plan
    let isWanted = plan.isWanted(want)
    let isFull = plan.wants.count >= CoverQuery.maximumWants
    guard isWanted || !isFull && !offer.isExpired(on: context.day) else { return nil }
    let next = context.view.with(isWanted ? plan.removing(want: want) : plan.adding(want: want))
    let (state, words, rest) =
      isWanted ? (" on", "✓ On the list", ", remove") : ("", "Add", " to the list:")
    let list: HTML =
      isWanted
      ? " <a class=\"listed\" href=\"\(context.link(to: .wantsPage))\">See the list</a>" : ""
    // the page of the offer has no card of it
    let place: HTML = context.view.endpoint == .offerPage ? "" : "#\(anchor(of: offer))"
    return """
      <p class="adds"><a class="button want\(state)" href="\(context.address(next))\(place)">\(words)\
      <span class="hidden">\(rest) \(HTML.text(offer.name))</span></a>\(list)</p>
      """
  }
}

/// The page of one offer: everything that is known, and the places that have it.
struct OfferDetailPage: Sendable {
  /// The number of places that are shown at first, and how many more follow each time.
  static let firstLength = 12
  static let pageLength = 60

  let context: PageContext
  let offer: Offer

  /// The names of its chains, with the number of places of each.
  let chains: [(name: String, places: Int)]

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
    let categories = offer.categories.joined(separator: ", ")
    let next = page.count > offset && page.count < page.total ? "\(page.count)" : nil
    let head = Pictures.head(
      offer.name,
      categories.isEmpty ? nil : categories,
      CategoryArt(of: offer),
      pictures.last.map { [$0] } ?? []
    )
    let ended: HTML = offer.isExpired(on: context.day) ? " ended" : ""
    let main: HTML = """
      <p class="back"><a href="\(context.link(to: .offersPage))">‹ All offers</a></p>
      <article class="detail offer\(ended)">
      \(head)
      <div class="facts">\(OfferListPage.worth(offer))\(description)\(OfferListPage.end(of: offer, context))\
      \(OfferListPage.toggle(offer, context))
      <dl>\(facts)</dl>
      \(terms)</div>
      </article>
      <section class="where"><h2>Where to get it</h2>
      <p class="count" id="count">\(shown) of \(counted(page.total, "place"))</p>
      \(places)\(PageLayout.more(from: next, context))
      </section>
      """
    return PageLayout.bytes(title: offer.name, context, main)
  }

  private var pictures: [String] { context.imageAddresses(of: offer) }

  /// The terms, which may be long.
  private var terms: HTML? {
    offer.terms.map { text -> HTML in
      let open: HTML = text.utf8.count < 200 ? " open" : ""
      return
        "<details class=\"others\"\(open)><summary>Terms</summary><p>\(HTML.text(text))</p></details>"
    }
  }

  private var facts: [HTML] {
    let chains = chains.map { "\($0.name) (\(placesInData($0.places)))" }
    var rows: [(String, HTML?)] = [
      ("Chains", chains.isEmpty ? nil : .text(chains.joined(separator: ", ")))
    ]
    for (title, address) in [("Link", offer.url), ("Picture", offer.largeURL)] {
      rows.append((title, pictures.isEmpty ? address.map { .webLink($0, HTML.outside) } : nil))
    }
    return rows.compactMap { title, value -> HTML? in
      value.map { "<dt>\(title)</dt><dd>\($0)</dd>" }
    }
  }
}
