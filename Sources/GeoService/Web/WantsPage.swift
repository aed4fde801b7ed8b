import GeoIndex
import GeoQuery

/// The page of wants, which asks the same question as `/cover`.
extension Endpoint {
  static let wantsPage = page("wantsPage", "/app/wants") { $0.wantsPage() }
}

extension RequestContext {
  fileprivate func wantsPage() -> Work {
    let view = view
    return Work(on: view.plan.wants.isEmpty ? .queries : .plans) { deadline in
      let context = try PageContext(self, view)
      let places = try generation.offerPlaces()
      var page = WantsPage(
        context: context,
        lines: try wantLines(context, places, until: deadline),
        categories: try categories(until: deadline),
        offerCount: generation.book.offers.count { !$0.isExpired(on: context.day) }
      )
      let known = page.lines.filter { $0.state != .unknown }.map(\.text)
      guard let place = context.place, !known.isEmpty else {
        return Work.Body(bytes: page.bytes)
      }
      var query = CoverQuery(
        near: place.coordinate,
        wants: try known.map(PlanState.named),
        places: view.plan.places ?? CoverQuery.defaultPlaces,
        within: view.plan.maximumDistance,
        by: view.plan.cost ?? .farthest,
        until: deadline
      )
      let lookup = places.lookup(on: context.lastDay, until: deadline)
      // the ranking first, because the group uses up the time
      query.ranking = CoverQuery.Ranking(count: WantsPage.maximumAlone, onePerChain: true)
      page.alone = try CoverResult.alone(generation.engine.answer(query, offers: lookup))
      if page.alone.contains(where: { $0.stops[0].restaurant.chain != nil }) {
        page.branches = try branches(until: deadline)
      }
      query.ranking = nil
      let answer = try generation.engine.answer(query, offers: lookup)
      page.together = try CoverResult.together(answer, context.units)
      page.isCutShort = !answer.isOptimal
      try page.setOutcomes(of: answer)
      return Work.Body(bytes: page.bytes, hits: answer.places.count)
    }
  }

  /// The wants of the list, with the number of places that have each if no place is known.
  private func wantLines(
    _ context: PageContext,
    _ places: OfferPlaces,
    until deadline: Deadline
  ) throws -> [WantsPage.Line] {
    let center = context.place?.coordinate
    let lookup = places.lookup(on: context.lastDay, until: deadline)
    return try context.view.plan.wants.map { text in
      do {
        let named = try PlanState.named(text)
        let want = try named.resolved(by: lookup)
        var line = WantsPage.Line(text: text, title: want.title)
        if case .offer(let id) = named.places {
          line.offer = places.book.offer(id: id)
          line.isExpired = want.isExpired
          line.absent = (line.offer?.chains ?? []).filter { places.count(ofChain: $0) == 0 }
            .compactMap(places.book.chainName)
          line.retailers =
            try line.offer.map { try places.retailers(of: $0, near: center, until: deadline) } ?? []
        }
        // with a place, the answer has the counts
        if center == nil { line.places = try generation.engine.count(of: want, until: deadline) }
        return line
      } catch is QueryError {
        return WantsPage.Line(text: text, title: text, state: .unknown)
      }
    }
  }

  /// The number of places of each chain.
  private func branches(until deadline: Deadline) throws -> [UTF8Key: Int] {
    let facets = try generation.engine.facets(by: .chain, of: Query(.everywhere, until: deadline))
    return Dictionary(facets.map { (UTF8Key($0.value ?? ""), $0.count) }) { first, _ in first }
  }

  private func categories(until deadline: Deadline) throws -> [(name: String, count: Int)] {
    let query = Query(.everywhere, until: deadline)
    let facets = try generation.engine.facets(by: .category, of: query)
    return Array(generation.pageChoices().categories(facets).prefix(Self.maximumCategories))
  }

  /// The maximum number of categories offered as wants.
  private static let maximumCategories = 80
}

/// The checklist: the wants, and the places that have them.
struct WantsPage: Sendable {
  /// A want on the list.
  struct Line: Sendable {
    /// What is known of a want.
    enum State: Sendable, Equatable {
      case met
      case missing
      /// There is no place to search from.
      case open
      /// There is no such offer.
      case unknown
    }

    /// The want as in the address.
    let text: String

    let title: String

    /// The offer that it is, whether that has ended, and the names of those that have it.
    var offer: Offer?
    var isExpired = false
    var retailers: [String] = []

    /// Its chains that have no place.
    var absent: [String] = []

    var state = State.open

    /// The number of places that have it, and the nearest of them.
    var places = 0
    var nearest: OfferHit.Nearest?
  }

  let context: PageContext
  var lines: [Line]

  /// The categories with their counts, the most frequent first.
  let categories: [(name: String, count: Int)]

  let offerCount: Int

  /// The group of places.
  var together: CoverResult?

  /// Whether the time limit ended the search.
  var isCutShort = false

  /// Single places, the best first, one of each chain.
  var alone: [CoverResult] = []

  /// The number of places of each chain.
  var branches: [UTF8Key: Int] = [:]

  /// The number of single places that are shown.
  static let maximumAlone = 6

  /// The number of categories that are shown at once.
  private static let chipCount = 10

  private var view: PageState { context.view }
  private var plan: PlanState { context.view.plan }

  /// Notes what an answer says about the known wants.
  ///
  /// - Throws: `SnapshotError` if the snapshot is damaged.
  mutating func setOutcomes(of answer: CoverAnswer) throws {
    guard case .group(let cover) = answer.result else { return }
    for (index, outcome) in zip(lines.indices.filter { lines[$0].state != .unknown }, cover.wants) {
      lines[index].state = outcome.by == nil ? .missing : .met
      lines[index].places = outcome.places
      lines[index].nearest = try outcome.nearest.map { nearest in
        let restaurant = try answer.snapshot.restaurant(at: nearest.index)
        return OfferHit.Nearest(
          id: restaurant.id,
          name: restaurant.name,
          distance: nearest.distance
        )
      }
    }
  }

  var bytes: [UInt8] {
    let main: HTML = """
      <h1>Wants</h1>
      \(PlanLayout.tabs(context))
      <div class="plan">
      <section aria-labelledby="list-title"><h2 id="list-title">What do you all want?</h2>
      \(list)\(adding)</section>
      <section aria-labelledby="answer-title"><h2 id="answer-title">Where is it?</h2>
      \(options)\(answer)</section>
      </div>
      """
    return PageLayout.bytes(title: "Wants", context, main)
  }

  // MARK: the list

  private var list: HTML {
    if lines.isEmpty {
      let names = Self.suggestion(categories.map(\.name))
      let plan = names.compactMap(PlanState.want(ofCategory:)).reduce(plan) { $0.adding(want: $1) }
      let suggestion: HTML =
        names.isEmpty
        ? ""
        : """
        <p><a class="button" id="try" href="\(context.address(view.with(plan)))"><span>Try: \
        \(HTML.text(names.joined(separator: ", ")))</span></a></p>
        """
      return """
        <div class="empty small">\(CategoryDrawing.plate.html)<p>Nothing is on the list yet. Add what each of you \
        wants, and see which places have it all.</p>\(suggestion)</div>
        """
    }
    let items = lines.map(item)
    return """
      <ul class="wants" id="wants">\(items)</ul>
      \(jumpLink)<p><a href="\(context.address { $0.plan.wants = [] })">Clear the list</a></p>
      """
  }

  /// The link to the answer, which is far below on a phone.
  private var jumpLink: HTML {
    let words = together.map { "\($0.total(context.units)): see where" } ?? "Say where you are"
    return "<p class=\"below\"><a class=\"button\" href=\"#answer-title\">\(words)</a></p>\n"
  }

  private func item(_ line: Line) -> HTML {
    let mark: HTML =
      switch line.state {
      case .met: "<span class=\"mark met\" role=\"img\" aria-label=\"met\">✓</span>"
      case .missing, .unknown:
        "<span class=\"mark missing\" role=\"img\" aria-label=\"missing\">–</span>"
      case .open: "<span class=\"mark\" aria-hidden=\"true\">·</span>"
      }
    var words: HTML =
      "\(line.retailers.isEmpty ? counted(line.places, "place") : placesInData(line.places))"
    if line.state == .unknown { words = "There is no such offer any more." }
    if let names = OfferListPage.names(line.retailers) { words = "\(HTML.text(names)) · \(words)" }
    if line.isExpired { words = "Ended \(HTML.text(line.offer?.expires?.title ?? ""))" }
    let title = line.offer.map { offer -> HTML in
      "<a href=\"\(context.link(to: .offerPage, id: offer.id))\">\(HTML.text(line.title))</a>"
    }
    let picture = line.offer.map { offer -> HTML in
      let art = CategoryArt(of: offer)
      let cover = Pictures.cover(context.imageAddresses(of: offer), "")
      return "<span class=\"thumb cover \(art.name)\">\(art.html)\(cover)</span>"
    }
    let without = context.address(view.with(plan.removing(want: line.text)))
    return """
      <li>\(mark)\(picture)<div><p>\(title ?? HTML.text(line.title))</p><p class="quiet">\(words)\
      \(PageLayout.nearest(line.nearest, context))</p></div>\(PageLayout.removal(of: line.title, without))</li>
      """
  }

  /// Suggestions for the first wants: those for the sample feed if it is loaded, otherwise the most
  /// frequent categories.
  static func suggestion(_ categories: [String]) -> [String] {
    let usual = ["Wing Joint", "Thai", "Mexican"]
    let known = Set(categories.map { UTF8Key($0) })
    return usual.allSatisfy { known.contains(UTF8Key($0)) } ? usual : Array(categories.prefix(3))
  }

  // MARK: adding

  /// Addresses have a maximum length, and links must fit into it.
  private var isFull: Bool {
    plan.wants.count >= CoverQuery.maximumWants
      || view.target.utf8.count > RequestTarget.maximumLength - 4 * Want.maximumLength
  }

  private var adding: HTML {
    if isFull { return "<p class=\"notice\">The list is as long as a link can carry.</p>" }
    return """
      <form class="add" action="\(context.address(.wantsPage))" method="get">\(PageLayout.fields(view))
      <label><span>Anything else</span><input name="words" maxlength="200" autocomplete="off" required \
      placeholder="craft beer, ★ 4, or $$"></label><button>Add</button></form>
      \(chips)\(offers)
      """
  }

  private var offers: HTML {
    if offerCount == 0 { return "" }
    return """
      <p class="offering"><a class="button" id="from-offers" \
      href="\(context.link(to: .offersPage))">Add from \(counted(offerCount, "offer"))</a></p>
      """
  }

  private var chips: HTML {
    let items = categories.compactMap { name, count -> HTML? in
      guard let want = PlanState.want(ofCategory: name), !plan.isWanted(want) else { return nil }
      let address = context.address(view.with(plan.adding(want: want)))
      let words: HTML = "\(PageLayout.plus) \(HTML.text(name)) <small>\(count)</small>"
      return PageLayout.chip(address, words)
    }
    let chips = PageLayout.chips(items, label: "Categories", first: Self.chipCount)
    return
      items.isEmpty
      ? "" : "<h3>From a category</h3><div id=\"categories\">\(chips)</div>"
  }

  // MARK: the answer

  private var options: HTML {
    // the other `by` is that of a meeting
    let rest = view.with { $0.plan.cost = nil }
    let places = (1...CoverQuery.maximumPlaces).map { count in
      PageLayout.option(
        "\(count)",
        count == 1 ? "1 place" : "at most \(count)",
        isChosen: count == plan.places ?? CoverQuery.defaultPlaces
      )
    }
    let costs = CoverQuery.Cost.allCases.map {
      PageLayout.option($0.rawValue, $0.title, isChosen: $0 == plan.cost ?? .farthest)
    }
    return """
      <form class="options" action="\(context.address(.wantsPage))" method="get">\(PageLayout.fields(rest, without: ["at", "places", "max"]))
      <label class="wide"><span>From where</span><input name="at" value="\(HTML.fieldValue(view.at))" list="places" maxlength="120" \
      placeholder="32.95,-96.82" autocomplete="off"></label>\(PageLayout.placeList(context))
      <label><span>Places</span><select name="places">\(places)</select></label>
      <label><span>Shortest way</span><select name="by">\(costs)</select></label>
      <label><span>Within</span><select name="max">\(distances)</select></label>
      <span class="buttons"><button>Show</button> <button type="button" class="locate" hidden>Near me</button></span>
      </form>
      """
  }

  private var distances: [HTML] {
    var values =
      context.units == .miles
      ? ["0.5mi", "1mi", "2mi", "5mi", "20mi"] : ["500m", "1km", "2km", "5km", "20km"]
    if !plan.maximum.isEmpty, !values.contains(where: { $0.isUTF8Equal(to: plan.maximum) }) {
      values.append(plan.maximum)
    }
    let any = PageLayout.option("", "any distance", isChosen: plan.maximum.isEmpty)
    return [any]
      + values.map { value in
        let title = context.units.text(of: Parameter.maximumDistance.number(value) ?? 0)
        return PageLayout.option(value, title, isChosen: value.isUTF8Equal(to: plan.maximum))
      }
  }

  private var answer: HTML {
    if lines.isEmpty {
      return "<p class=\"quiet\">The places show up here as soon as something is on the list.</p>"
    }
    guard context.place != nil else {
      let links = context.places.map { place -> HTML in
        PageLayout.chip(context.address { $0.at = place.name }, .text(place.name))
      }
      let list: HTML = links.isEmpty ? "" : "<ul class=\"chips wrap\">\(links)</ul>"
      return
        "<p class=\"notice\">Say where you are: the places are looked for from there.</p>\(list)"
    }
    guard let together else { return "" }
    let cut: HTML =
      isCutShort
      ? "<p class=\"notice\">The search was cut short; this is the best that was found. A smaller distance helps.</p>"
      : ""
    let several = alone.filter { $0.met.count > 1 }
    let receipts = several.map { $0.small(branches: branches, context) }
    let ranking: HTML =
      receipts.isEmpty
      ? "" : "<h3>Each place alone</h3><ol class=\"receipts\" id=\"alone\">\(receipts)</ol>"
    var named: Set<UTF8Key> = []
    let absent = lines.flatMap(\.absent).filter { named.insert(UTF8Key($0)).inserted }
    let none: HTML? =
      absent.isEmpty
      ? nil
      : "<p class=\"quiet\">No branch in the data: \(HTML.text(absent.joined(separator: ", ")))</p>"
    return """
      <div id="together">\(cut)\(together.html(title: title(together), actions: actions(together), context))\
      \(map(together))</div>\(ranking)\(none)
      """
  }

  /// The places on a map, in their order; empty without the map library.
  private func map(_ result: CoverResult) -> HTML {
    if result.stops.isEmpty { return "" }
    let addresses = result.ids.map { context.address(.item, id: $0) + "?f=json" }
    return MapFrame(
      source: .features(addresses),
      label: "The places of the answer",
      isWalk: plan.cost == .walk,
      from: context.place,
      isSmall: true
    )
    .html(context)
  }

  private func title(_ result: CoverResult) -> HTML {
    switch result.stops.count {
    case 0: "No place has any of it"
    case 1: "One place"
    default: "\(result.stops.count) places together"
    }
  }

  private func actions(_ result: CoverResult) -> HTML {
    if result.stops.isEmpty { return "" }
    var put: HTML = ""
    var picked: PlanState? = plan
    for id in result.ids where picked?.isPicked(id) == false { picked = picked?.picking(id) }
    if let picked, picked.picks.count > plan.picks.count {
      put = """
        <a class="button" href="\(context.address(view.with(picked)))">Put on the short list</a>
        """
    }
    return "<p class=\"actions\">\(put)\(PageLayout.share)</p>"
  }
}

extension CoverQuery.Cost {
  var title: String {
    switch self {
    case .farthest: "to the farthest"
    case .walk: "walk through all"
    case .spread: "between them"
    }
  }
}
