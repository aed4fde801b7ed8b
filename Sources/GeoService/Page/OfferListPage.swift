import GeoQuery

/// The page of offers, by category and words, each with the number of places that have it.
struct OfferListPage: Sendable {
  /// The number of offers on a page.
  static let pageLength = 24

  let context: PageContext
  let page: OfferPage

  /// The number of offers before this page.
  let offset: Int

  /// The categories of all offers, with counts.
  let categories: [(name: String, count: Int)]

  private var view: PageView { context.view }

  /// The document.
  var bytes: [UInt8] {
    let main: HTML = """
      <h1>Offers</h1>
      \(PlanShell.tabs(context))
      \(categories.isEmpty && page.total == 0 && view.text.isEmpty ? none : list)
      """
    return PageShell.bytes(title: "Offers", context, main)
  }

  private var none: HTML {
    """
    <div class="empty">\(CategoryDrawing.cup.html)<h2>No offers yet</h2>
    <p>Import a list of offers with <code>geoq import</code>, and they show up here.</p></div>
    """
  }

  private var list: HTML {
    var rest = view
    rest.text = ""
    let items = page.hits.map { Self.row($0.offer, Self.whereabouts($0, context), context) }
    let shown = page.hits.isEmpty ? 0 : offset + page.hits.count
    let offers: HTML =
      items.isEmpty
      ? "<p class=\"empty\">No offer matches. Try fewer letters or another category.</p>"
      : "<ul class=\"offers\" id=\"offers\">\(items)</ul>"
    return """
      <form class="add" role="search" action="\(context.address(.offersPage))" method="get">\(PlanShell.fields(rest))
      <label><span>Search</span><input type="search" name="q" value="\(HTML.fieldValue(view.text))" maxlength="120" \
      placeholder="Name, description or category" autocomplete="off"></label><button>Show</button></form>
      \(chips)
      <p class="count" id="count">\(shown) of \(page.total)</p>
      \(offers)
      \(more)
      """
  }

  private var chips: HTML {
    var items: [HTML] = []
    for (category, count) in categories.prefix(30) {
      let isChosen = view.categories.contains { $0.isUTF8Equal(to: category) }
      var next = view.withoutChange
      next.cursor = ""
      if isChosen {
        next.categories.removeAll { $0.isUTF8Equal(to: category) }
      } else {
        next.categories.append(category)
      }
      let current: HTML = isChosen ? " aria-current=\"true\"" : ""
      items.append(
        """
        <li><a class="chip" href="\(context.address(next))"\(current)>\(HTML.text(category)) \
        <small>\(count)</small></a></li>
        """
      )
    }
    return items.isEmpty ? "" : "<ul class=\"chips wrap\" aria-label=\"Categories\">\(items)</ul>"
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
    let address = context.address(context.view.leading(to: .offer(offer.id)))
    let description: HTML =
      offer.description.map { text -> HTML in "<p class=\"quiet\">\(HTML.text(text))</p>" } ?? ""
    return """
      <li><div><p><a href="\(address)">\(HTML.text(offer.name))</a>\(worth(offer))</p>\(description)\(note)</div>\
      \(toggle(offer, context))</li>

      """
  }

  /// What an offer costs or saves; empty if its feed does not say.
  static func worth(_ offer: Offer) -> HTML {
    guard let amount = amount(offer) else { return "" }
    return " <span class=\"worth\">worth \(amount)</span>"
  }

  /// The amount of an offer with all its decimals; nil if its feed does not say.
  static func amount(_ offer: Offer) -> String? {
    guard let amount = offer.amount, amount > 0 else { return nil }
    let text = amount.description
    return text.utf8.suffix(2).elementsEqual(".0".utf8) ? String(text.dropLast(2)) : text
  }

  /// The number of places that have an offer, and the nearest of them.
  static func whereabouts(_ hit: OfferHit, _ context: PageContext) -> HTML {
    var words: HTML =
      hit.placeCount == 0 ? "no place has it" : "\(counted(hit.placeCount, "place"))"
    if let nearest = hit.nearest {
      words += """
         · nearest \(PlanShell.link(to: nearest.id, nearest.name, context)) \
        \(context.units.text(of: nearest.distance))
        """
    }
    return "<p class=\"quiet\">\(words)</p>"
  }

  /// The link that adds an offer to the wants, or removes it.
  static func toggle(_ offer: Offer, _ context: PageContext) -> HTML {
    guard let want = PlanView.want(ofOffer: offer.id) else { return "" }
    let plan = context.view.plan
    let isWanted = plan.isWanted(want)
    guard isWanted || plan.wants.count < CoverQuery.maximumWants else { return "" }
    var next = context.view.with(isWanted ? plan.removing(want: want) : plan.adding(want: want))
    next.cursor = context.view.cursor
    let words: HTML = isWanted ? "✓ On the list" : "Add"
    let rest: HTML = isWanted ? ", remove" : " to the list:"
    let state: HTML = isWanted ? " on" : ""
    return """
      <a class="button want\(state)" href="\(context.address(next))">\(words)\
      <span class="hidden">\(rest) \(HTML.text(offer.name))</span></a>
      """
  }
}

/// The page of one offer: everything that is known, and the places that have it.
struct OfferDetailPage: Sendable {
  /// The number of places listed.
  static let pageLength = 12

  let context: PageContext
  let offer: Offer

  /// The names of its chains.
  let chains: [String]

  /// The nearest places that have it; without a position, the first ones by id.
  let page: Page

  /// The document.
  ///
  /// - Throws: `SnapshotError` if the snapshot is damaged.
  func bytes() throws -> [UInt8] {
    let back = context.view.leading(to: .offers)
    let description: HTML =
      offer.description.map { text -> HTML in "<p>\(HTML.text(text))</p>" } ?? ""
    let main: HTML = """
      <p class="back"><a href="\(context.address(back))">‹ All offers</a></p>
      <article class="offer">
      <h1>\(HTML.text(offer.name))</h1>
      \(description)
      <dl>\(facts)</dl>
      <p class="actions">\(OfferListPage.toggle(offer, context))<a class="button" \
      href="\(context.address(context.view.leading(to: .wants)))">To the list of wants</a></p>
      <h2>Where to get it</h2>
      <p class="count" id="count">\(counted(page.total, "place"))</p>
      \(try places())
      </article>
      """
    return PageShell.bytes(title: offer.name, context, main)
  }

  private func places() throws -> HTML {
    let matches = try page.matches
    if matches.isEmpty { return "<p class=\"empty\">No place has it.</p>" }
    return RestaurantCard.list(matches, context)
  }

  private var facts: [HTML] {
    var rows: [(String, HTML)] = []
    if let amount = OfferListPage.amount(offer) { rows.append(("Worth", "\(amount)")) }
    if let terms = offer.terms { rows.append(("Terms", .text(terms))) }
    if let end = offer.expiration { rows.append(("Until", .text(end))) }
    if !offer.categories.isEmpty {
      rows.append(("Category", .text(offer.categories.joined(separator: ", "))))
    }
    if !chains.isEmpty { rows.append(("Chains", .text(chains.joined(separator: ", ")))) }
    for (title, address) in [("Link", offer.url), ("Picture", offer.largeURL)] {
      guard let address else { continue }
      let isLink = HTMLText.isWebAddress(address)
      rows.append(
        (
          title,
          isLink
            ? "<a href=\"\(address)\" target=\"_blank\" rel=\"noopener noreferrer nofollow\">\(HTML.text(address))</a>"
            : .text(address)
        )
      )
    }
    return rows.map { title, value -> HTML in "<dt>\(title)</dt><dd>\(value)</dd>" }
  }
}
