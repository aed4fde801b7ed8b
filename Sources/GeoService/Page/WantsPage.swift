import GeoQuery

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

    /// The name that people read.
    let title: String

    var state = State.open

    /// The number of places that have it.
    var places = 0

    /// The nearest of them.
    var nearest: OfferHit.Nearest?
  }

  /// What an answer says about a want.
  struct Outcome: Sendable {
    let isMet: Bool
    let places: Int
    let nearest: OfferHit.Nearest?
  }

  let context: PageContext
  var lines: [Line]

  /// The categories with their counts, the most frequent first.
  let categories: [(name: String, count: Int)]

  /// The number of offers.
  let offerCount: Int

  /// The group of places.
  var together: Receipt?

  /// Whether the time limit ended the search.
  var isCutShort = false

  /// Single places, the best first.
  var alone: [Receipt] = []

  /// The number of categories shown before any is searched for.
  private static let chipCount = 10

  private var view: PageView { context.view }
  private var plan: PlanView { context.view.plan }

  /// The page with the outcomes of the known wants, in their order.
  func with(_ outcomes: [Outcome]) -> WantsPage {
    var page = self
    let known = page.lines.indices.filter { page.lines[$0].state != .unknown }
    for (index, outcome) in zip(known, outcomes) {
      page.lines[index].state = outcome.isMet ? .met : .missing
      page.lines[index].places = outcome.places
      page.lines[index].nearest = outcome.nearest
    }
    return page
  }

  /// The document.
  var bytes: [UInt8] {
    let main: HTML = """
      <h1>Wants</h1>
      \(PlanShell.tabs(context))
      <div class="plan">
      <section aria-labelledby="list-title"><h2 id="list-title">What do you all want?</h2>
      \(list)\(adding)</section>
      <section aria-labelledby="answer-title"><h2 id="answer-title">Where is it?</h2>
      \(options)\(answer)</section>
      </div>
      """
    return PageShell.bytes(title: "Wants", context, main)
  }

  // MARK: the list

  private var list: HTML {
    if lines.isEmpty {
      let names = Self.suggestion(categories.map(\.name))
      var plan = plan
      for name in names {
        if let want = PlanView.want(ofCategory: name) { try? plan.add(want: want) }
      }
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
    var none = plan
    none.wants = []
    return """
      <ul class="wants" id="wants">\(items)</ul>
      \(wayDown)<p><a href="\(context.address(view.with(none)))">Clear the list</a></p>
      """
  }

  /// On a phone the answer is far below; says what it is, and leads there.
  private var wayDown: HTML {
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
    var words: HTML = "\(counted(line.places, "place"))"
    if line.state == .unknown { words = "There is no such offer any more." }
    if let nearest = line.nearest {
      words += """
         · nearest \(PlanShell.link(to: nearest.id, nearest.name, context)) \
        \(context.units.text(of: nearest.distance))
        """
    }
    let without = context.address(view.with(plan.removing(want: line.text)))
    return """
      <li>\(mark)<div><p>\(HTML.text(line.title))</p><p class="quiet">\(words)</p></div>\
      <a class="remove" href="\(without)"><span aria-hidden="true">×</span>\
      <span class="hidden">Remove \(HTML.text(line.title))</span></a></li>
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
      <form class="add" action="\(context.address(.wantsPage))" method="get">\(PlanShell.fields(view))
      <label><span>Words, or a condition</span><input name="words" maxlength="200" autocomplete="off" required \
      placeholder="craft beer, or rating &gt;= 4"></label><button>Add</button></form>
      \(chips)\(offers)
      """
  }

  private var offers: HTML {
    if offerCount == 0 { return "" }
    return """
      <p class="offering"><a class="button" id="from-offers" \
      href="\(context.address(view.leading(to: .offers)))">Add from \(counted(offerCount, "offer"))</a></p>
      """
  }

  private var chips: HTML {
    var items: [HTML] = []
    for (name, count) in categories {
      guard let want = PlanView.want(ofCategory: name), !plan.isWanted(want) else { continue }
      let address = context.address(view.with(plan.adding(want: want)))
      items.append(
        """
        <li><a class="chip" href="\(address)"><span aria-hidden="true">+</span> \(HTML.text(name)) \
        <small>\(count)</small></a></li>
        """
      )
    }
    let first = Array(items.prefix(Self.chipCount))
    let rest = Array(items.dropFirst(Self.chipCount))
    let others: HTML =
      rest.isEmpty
      ? ""
      : """
      <details class="others"><summary>More categories (\(rest.count))</summary><ul class="chips wrap">\(rest)</ul></details>
      """
    return
      "<h3>From a category</h3><ul class=\"chips\" id=\"categories\">\(first)</ul>\(others)"
  }

  // MARK: the answer

  private var options: HTML {
    var rest = view
    rest.at = ""
    rest.plan.places = nil
    rest.plan.cost = nil
    rest.plan.maximum = ""
    let places = (1...CoverQuery.maximumPlaces).map { count in
      option(
        "\(count)",
        count == 1 ? "1 place" : "at most \(count)",
        isChosen: count == plan.places ?? CoverQuery.defaultPlaces
      )
    }
    let costs = CoverQuery.Cost.allCases.map {
      option($0.rawValue, $0.title, isChosen: $0 == plan.cost ?? .farthest)
    }
    return """
      <form class="options" action="\(context.address(.wantsPage))" method="get">\(PlanShell.fields(rest))
      <label class="wide"><span>From where</span><input name="at" value="\(HTML.fieldValue(view.at))" list="places" maxlength="120" \
      placeholder="32.95,-96.82" autocomplete="off"></label>\(PlanShell.placeList(context))
      <label><span>Places</span><select name="places">\(places)</select></label>
      <label><span>Shortest way</span><select name="by">\(costs)</select></label>
      <label><span>Within</span><select name="max">\(distances)</select></label>
      <span class="buttons"><button>Show</button> <button type="button" class="locate" hidden>Near me</button></span>
      </form>
      """
  }

  private func option(_ value: String, _ title: String, isChosen: Bool) -> HTML {
    let selected: HTML = isChosen ? " selected" : ""
    return "<option value=\"\(value)\"\(selected)>\(title)</option>"
  }

  private var distances: [HTML] {
    var values =
      context.units == .miles
      ? ["0.5mi", "1mi", "2mi", "5mi", "20mi"] : ["500m", "1km", "2km", "5km", "20km"]
    if !plan.maximum.isEmpty, !values.contains(where: { $0.isUTF8Equal(to: plan.maximum) }) {
      values.append(plan.maximum)
    }
    return [option("", "any distance", isChosen: plan.maximum.isEmpty)]
      + values.map { value in
        let meters = Parameter.maximumDistance.number(value) ?? 0
        return option(
          value,
          context.units.text(of: meters),
          isChosen: value.isUTF8Equal(to: plan.maximum)
        )
      }
  }

  private var answer: HTML {
    if lines.isEmpty {
      return "<p class=\"quiet\">The places show up here as soon as something is on the list.</p>"
    }
    guard context.place != nil else {
      let links = context.places.map { place -> HTML in
        var here = view.withoutChange
        here.at = place.name
        return
          "<li><a class=\"chip\" href=\"\(context.address(here))\">\(HTML.text(place.name))</a></li>"
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
    let receipts = alone.map { $0.small(context) }
    let ranking: HTML =
      receipts.isEmpty
      ? "" : "<h3>Each place alone</h3><ol class=\"receipts\" id=\"alone\">\(receipts)</ol>"
    return """
      <div id="together">\(cut)\(together.html(title: title(together), actions: actions(together), context))\
      \(map(together))</div>\(ranking)
      """
  }

  /// The places on a map, in their order; empty without the map library.
  private func map(_ receipt: Receipt) -> HTML {
    guard let place = context.place, !receipt.stops.isEmpty else { return "" }
    let addresses = receipt.ids.map { context.address(.item, id: $0) + "?f=json" }
    var frame = MapFrame(.features(addresses), label: "The places of the answer")
    frame.from = place.coordinate
    frame.isWalk = plan.cost == .walk
    frame.isSmall = true
    return frame.html(context)
  }

  private func title(_ receipt: Receipt) -> HTML {
    switch receipt.stops.count {
    case 0: "No place has any of it"
    case 1: "One place"
    default: "\(receipt.stops.count) places together"
    }
  }

  private func actions(_ receipt: Receipt) -> HTML {
    if receipt.stops.isEmpty { return "" }
    var links: [HTML] = []
    var picked: PlanView? = plan
    for id in receipt.ids where picked?.isPicked(id) == false { picked = picked?.picking(id) }
    if let picked, picked.picks.count > plan.picks.count {
      links.append(
        "<a class=\"button\" href=\"\(context.address(view.with(picked)))\">Put on the short list</a>"
      )
    }
    links.append("<button type=\"button\" class=\"button\" id=\"share\" hidden>Copy link</button>")
    return "<p class=\"actions\">\(links)</p>"
  }
}

extension CoverQuery.Cost {
  /// The name that people read.
  var title: String {
    switch self {
    case .farthest: "to the farthest"
    case .walk: "walk through all"
    case .spread: "between them"
    }
  }
}
