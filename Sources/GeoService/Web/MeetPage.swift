import GeoIndex
import GeoQuery

/// The page of a meeting, which asks the same question as `/meet`.
extension Endpoint {
  static let meetPage = page("meetPage", "/app/meet") { $0.meetPage() }
}

extension RequestContext {
  fileprivate func meetPage() -> Work {
    Work(on: .plans) { deadline in
      let view = view
      var context = try PageContext(self, view)
      var people: [MeetPage.Person] = []
      if let place = context.place { people.append(MeetPage.Person(text: nil, place: place)) }
      for text in view.plan.others {
        do {
          let place = try NamedPlace.find(text, self)
          people.append(MeetPage.Person(text: text, place: place))
        } catch let fault as PageFault {
          context.note(fault) { chosen, id in
            chosen.plan.others = chosen.plan.others.map { $0.isUTF8Equal(to: text) ? id : $0 }
          }
        }
      }
      let meeting: Meeting? =
        people.count < 2
        ? nil
        : try generation.engine.meet(
          people.map(\.place.coordinate),
          by: view.plan.meetCost ?? .sum,
          count: MeetPage.count,
          matching: Filter(categories: view.categories, text: view.text),
          until: deadline
        )
      let page = MeetPage(context: context, people: people, meeting: meeting)
      return Work.Body(bytes: try page.bytes(), hits: meeting?.items.count)
    }
  }
}

/// The page that finds a place where several people meet with a short way for all.
struct MeetPage: Sendable {
  /// One of the people who meet.
  struct Person: Sendable {
    /// The place as the address says it; nil for the visitor.
    let text: String?

    let place: NamedPlace
  }

  let context: PageContext

  /// The people who meet: first the visitor, if a place is known.
  let people: [Person]

  /// The places to meet, the best first; nil if there are fewer than two people.
  let meeting: Meeting?

  static let count = 12

  private var view: PageState { context.view }

  /// - Throws: `SnapshotError` if the snapshot is damaged.
  func bytes() throws -> [UInt8] {
    let main: HTML = """
      <h1>Meet in the middle</h1>
      \(PlanLayout.tabs(context))
      \(form)
      \(try answer())
      """
    return PageLayout.bytes(title: "Meet in the middle", context, main)
  }

  /// The link on a restaurant's page for meeting a person who is there.
  static func button(_ restaurant: Restaurant, _ context: PageContext) -> HTML? {
    guard context.view.plan.others.count < PlanState.maximumOthers else { return nil }
    let view = context.view.leading(to: .meetPage).with { $0.plan.others.append(restaurant.id) }
    return "<a class=\"button\" href=\"\(context.address(view))\">Meet from here</a>"
  }

  // MARK: who meets

  private var form: HTML {
    let mayAdd = view.plan.others.count < PlanState.maximumOthers
    let other: HTML =
      mayAdd
      ? """
      <label class="wide"><span>Another person is at</span><input name="with" list="places" maxlength="120" \
      placeholder="32.99,-96.85" autocomplete="off"></label>
      """ : ""
    return """
      <form class="options meet" action="\(context.address(.meetPage))" method="get">\(PageLayout.fields(view, without: ["at", "q"]))
      <label class="wide"><span>You are at</span><input name="at" value="\(HTML.fieldValue(view.at))" list="places" maxlength="120" \
      placeholder="32.95,-96.82" autocomplete="off"></label>
      \(other)\(PageLayout.placeList(context))
      <label class="wide"><span>What</span><input name="q" value="\(HTML.fieldValue(view.text))" maxlength="120" \
      placeholder="anything, or thai" autocomplete="off"></label>
      <span class="buttons"><button>Add and show</button> \
      <button type="button" class="locate" hidden>Near me</button></span>
      </form>
      \(quickPlaces)\(list)
      """
  }

  /// The operator's places that are not in the list.
  private var quickPlaces: HTML {
    var links: [HTML] = []
    for place in context.places
    where !people.contains(where: { $0.place.name.isUTF8Equal(to: place.name) }) {
      var next = view.withoutChange
      if context.place == nil {
        next.at = place.name
      } else if view.plan.others.count < PlanState.maximumOthers {
        next.plan.others.append(place.name)
      } else {
        continue
      }
      let words: HTML = "\(PageLayout.plus) \(HTML.text(place.name))"
      links.append(PageLayout.chip(context.address(next), words))
    }
    return PageLayout.chips(links, label: "Places")
  }

  private var list: HTML {
    if people.isEmpty { return "" }
    let items = people.map { person -> HTML in
      var without = view.withoutChange
      if let text = person.text {
        if let index = without.plan.others.firstIndex(where: { $0.isUTF8Equal(to: text) }) {
          without.plan.others.remove(at: index)
        }
      } else {
        without.at = ""
        without.near = ""
      }
      let (who, label) = (person.text == nil ? "You: " : "", person.place.name)
      let removal = PageLayout.removal(of: label, context.address(without))
      return "<li><p>\(who)\(HTML.text(label))</p>\(removal)</li>"
    }
    return "<ul class=\"wants people\" id=\"people\">\(items)</ul>"
  }

  // MARK: where

  private func answer() throws -> HTML {
    guard let meeting else {
      return
        "<p class=\"notice\">Say where two or more of you are: typed, or one of the places.</p>"
    }
    let chips = GroupCost.allCases.map { cost -> HTML in
      PageLayout.chip(
        context.address { $0.plan.meetCost = cost == .sum ? nil : cost },
        current: cost == view.plan.meetCost ?? .sum ? "true" : nil,
        "\(cost.title)"
      )
    }
    let head = PageLayout.chips(chips, label: "Order")
    if meeting.items.isEmpty {
      let advice: HTML = "No restaurant matches. Try other words."
      return head + PageLayout.empty(.plate, "Nothing on this plate", advice)
    }
    // the notes have the distances
    let matches = try meeting.page.matches.map { Match(restaurant: $0.restaurant) }
    let notes = meeting.items.map(note)
    return "\(head)\(RestaurantCard.list(matches, notes: notes, context))"
  }

  private func note(_ item: Meeting.Item) -> HTML {
    let cost = view.plan.meetCost ?? .sum
    let total = context.units.text(of: item.cost)
    let parts = zip(people, item.distances).map { person, distance -> HTML in
      let who: HTML = person.text == nil ? "you" : HTML.text(person.place.name)
      return "<li>\(who) \(context.units.text(of: distance))</li>"
    }
    return """
      <p class="total"><strong>\(total)</strong> \(cost == .sum ? "in all" : "at most")</p>\
      <ul class="tags">\(parts)</ul>
      """
  }
}

extension GroupCost {
  var title: String {
    switch self {
    case .sum: "Shortest in all"
    case .max: "Short for everyone"
    }
  }
}
