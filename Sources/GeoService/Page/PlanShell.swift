import GeoQuery

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
