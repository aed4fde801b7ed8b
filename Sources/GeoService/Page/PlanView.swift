import GeoIndex
import GeoQuery

/// The plan of a group in the address of every page: wants, people, short list.
///
/// The parameters of `/cover` and `/meet` have the same names and values here; `with`, `pick` and
/// `seed` exist only on pages.
struct PlanView: Sendable {
  /// The wants, as `Want(parsing:)` reads them.
  var wants: [String] = []

  /// The maximum number of places in a group; nil for the default.
  var places: Int?

  /// The cost of a group of places; nil for the default.
  var cost: CoverQuery.Cost?

  /// The maximum distance, such as `5km`; empty for no limit.
  var maximum = ""

  /// The places of the other people, each as `PageView.at`.
  var others: [String] = []

  /// The cost of a place to meet; nil for the default.
  var meetCost: GroupCost?

  /// The ids on the short list.
  var picks: [String] = []

  /// The seed that picks one of the short list.
  var seed: UInt32?

  /// The maximum number of restaurants on the short list.
  static let maximumPicks = 5

  /// The maximum number of people in addition to the visitor.
  static let maximumOthers = Meeting.maximumPoints - 1
}

extension PlanView {
  /// A parameter of the address, and how it is read.
  struct Reader: Sendable {
    let name: String
    /// Reads a value; throws a sentence about what is wrong.
    let read: @Sendable (inout PlanView, String) throws(PageFault) -> Void
  }

  /// The parameters.
  static let readers: [Reader] = [
    Reader(name: "want") { plan, value throws(PageFault) in try plan.add(want: value) },
    // typed words are a text want unless they have the form of another want
    Reader(name: "words") { plan, value throws(PageFault) in
      try plan.add(want: try want(ofWords: value))
    },
    Reader(name: "places") { plan, value throws(PageFault) in
      guard let places = DecimalText.integer(value), (1...CoverQuery.maximumPlaces).contains(places)
      else { throw PageFault("A group has 1 to \(CoverQuery.maximumPlaces) places.") }
      plan.places = places == CoverQuery.defaultPlaces ? nil : places
    },
    // `/cover` and `/meet` have different values under the same name
    Reader(name: "by") { plan, value throws(PageFault) in
      if let cost = CoverQuery.Cost(rawValue: value) {
        plan.cost = cost == .farthest ? nil : cost
      } else if let cost = GroupCost(rawValue: value) {
        plan.meetCost = cost == .sum ? nil : cost
      } else {
        throw PageFault("The value of by is unknown.")
      }
    },
    Reader(name: "max") { plan, value throws(PageFault) in
      do {
        try Parameter.maximumDistance.check(value)
      } catch {
        throw PageFault("\(quoted(value)) is not a distance. Write 500m, 2km or 1.5mi.")
      }
      plan.maximum = value
    },
    Reader(name: "with") { plan, value throws(PageFault) in
      guard plan.others.count < maximumOthers else {
        throw PageFault("At most \(Meeting.maximumPoints) people can meet.")
      }
      plan.others.append(value)
    },
    Reader(name: "pick") { plan, value throws(PageFault) in
      guard !plan.isPicked(value) else { return }
      guard plan.picks.count < maximumPicks else {
        throw PageFault("A short list has at most \(maximumPicks) restaurants.")
      }
      plan.picks.append(value)
    },
    Reader(name: "seed") { plan, value throws(PageFault) in
      guard let number = DecimalText.integer(value), let seed = UInt32(exactly: number) else {
        throw PageFault("The seed must be a number up to 4294967295.")
      }
      plan.seed = seed
    },
  ]

  /// The parameters, in a fixed order.
  var pairs: [(name: String, value: String)] {
    var pairs = wants.map { (name: "want", value: $0) }
    if let places { pairs.append(("places", "\(places)")) }
    if let cost { pairs.append(("by", cost.rawValue)) }
    if !maximum.isEmpty { pairs.append(("max", maximum)) }
    pairs += others.map { (name: "with", value: $0) }
    if let meetCost { pairs.append(("by", meetCost.rawValue)) }
    pairs += picks.map { (name: "pick", value: $0) }
    if let seed { pairs.append(("seed", "\(seed)")) }
    return pairs
  }

  /// The greatest distance in meters.
  var maximumDistance: Double { Parameter.maximumDistance.number(maximum) ?? .infinity }
}

// MARK: changes

extension PlanView {
  /// Whether a want is on the list.
  func isWanted(_ want: String) -> Bool { wants.contains { $0.isUTF8Equal(to: want) } }

  /// Adds a want unless it is already there.
  ///
  /// - Throws: `PageFault` if it is not a want, or the list is full.
  mutating func add(want text: String) throws(PageFault) {
    let want: Want
    do throws(QueryError) {
      want = try Want(parsing: text)
    } catch {
      throw PageFault("\(quoted(text)) is not a want: \(error.reason).")
    }
    if isWanted(want.label) { return }
    guard wants.count < CoverQuery.maximumWants else {
      throw PageFault("A list has at most \(CoverQuery.maximumWants) wants.")
    }
    wants.append(want.label)
  }

  /// The plan with one more want; unchanged if it cannot be added.
  func adding(want: String) -> PlanView {
    var plan = self
    try? plan.add(want: want)
    return plan
  }

  /// The plan without this want.
  func removing(want: String) -> PlanView {
    var plan = self
    plan.wants.removeAll { $0.isUTF8Equal(to: want) }
    return plan
  }

  /// The want for words as people type them: a text want, unless they are a condition or have a
  /// prefix.
  private static func want(ofWords text: String) throws(PageFault) -> String {
    guard let want = try? Want(parsing: text), let name = want.category,
      name.isUTF8Equal(to: want.label)
    else { return text }
    return "text:" + name
  }

  /// The want for a category: its name, unless that would be read as another want.
  static func want(ofCategory name: String) -> String? {
    for text in [name, "category:" + name] {
      if let want = try? Want(parsing: text), want.category?.isUTF8Equal(to: name) == true {
        return want.label
      }
    }
    return nil
  }

  /// The want for an offer; nil if its id cannot be written as one.
  static func want(ofOffer id: String) -> String? {
    guard let want = try? Want(parsing: "offer:" + id), case .offer(let found) = want.places,
      found.isUTF8Equal(to: id)
    else { return nil }
    return want.label
  }

  /// Whether a restaurant is on the short list.
  func isPicked(_ id: String) -> Bool { picks.contains { $0.isUTF8Equal(to: id) } }

  /// The plan with this restaurant added to the short list, or removed from it; nil if the list is
  /// full.
  ///
  /// Another list means another pick, so the seed is dropped.
  func picking(_ id: String) -> PlanView? {
    var plan = self
    plan.seed = nil
    if isPicked(id) {
      plan.picks.removeAll { $0.isUTF8Equal(to: id) }
    } else if picks.count < Self.maximumPicks {
      plan.picks.append(id)
    } else {
      return nil
    }
    return plan
  }

  /// The restaurant of the short list that the seed picks; nil without a seed or a list.
  ///
  /// The pick depends on the set of restaurants, not on their order, and stays when others are
  /// removed.
  var chosen: String? {
    guard let seed else { return nil }
    let lots = picks.map { (id: $0, lot: SHA256.hexDigest(of: Array("\(seed)\n\($0)".utf8))) }
    return lots.min { $0.lot < $1.lot }?.id
  }
}

/// What the pages of a plan have in common: wants, offers, meeting and short list.
enum PlanShell {
  /// The links between these pages.
  static func tabs(_ context: PageContext) -> HTML {
    let plan = context.view.plan
    var items: [HTML] = []
    for (screen, title, count) in [
      (PageView.Screen.wants, "The list", plan.wants.count), (.offers, "Offers", 0),
      (.meet, "Meet in the middle", 0), (.shortList, "Short list", plan.picks.count),
    ] {
      let view = context.view.leading(to: screen)
      let current: HTML = view.path == context.view.path ? " aria-current=\"page\"" : ""
      let number: HTML = count == 0 ? "" : " <small>\(count)</small>"
      items.append(
        "<li><a class=\"chip\" href=\"\(context.address(view))\"\(current)>\(title)\(number)</a></li>"
      )
    }
    return "<nav aria-label=\"Plan\"><ul class=\"chips\">\(items)</ul></nav>"
  }

  /// Hidden fields with the rest of a view, so that a form keeps it.
  static func fields(_ rest: PageView) -> HTML {
    var view = rest.fromBeginning
    view.ids = []
    let fields = view.pairs.map { name, value -> HTML in
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
    let address = context.address(context.view.leading(to: .restaurant(id)))
    return "<a href=\"\(address)\">\(HTML.text(name))</a>"
  }
}

/// A count with its noun: `1 place`, `3 places`.
func counted(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }
