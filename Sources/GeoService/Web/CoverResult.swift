import GeoIndex
import GeoQuery

/// What one or several places have of the wants: the total, what is met, what is missing.
struct CoverResult: Sendable {
  /// A place, and the wants that it meets.
  struct Stop: Sendable {
    let match: Match
    /// The titles of the wants.
    let meets: [String]

    var restaurant: Restaurant { match.restaurant }
    /// The distance from the center, in meters.
    var distance: Double { match.distance ?? 0 }
  }

  /// A want with a remark.
  struct Line: Sendable {
    let title: String
    /// Where it is met, or why not; may be empty.
    let note: String
  }

  let of: Int

  /// The cost of the places, in meters.
  let meters: Double

  /// The places: in the order of the walk if that is the cost, otherwise nearest first.
  let stops: [Stop]

  /// The wants that the places meet.
  let met: [Line]

  /// The wants that they do not meet.
  let missing: [Line]

  /// A sentence about the cost; empty for a single place.
  var remark = ""

  /// The total: `3 of 4 · 7.3 km`.
  func total(_ units: PageUnits) -> String {
    let share = "\(met.count) of \(of)"
    return stops.isEmpty ? share : "\(share) · \(units.text(of: meters))"
  }

  var ids: [String] { stops.map(\.match.id) }
}

extension CoverResult {
  /// The group of places; nil if the answer is a ranking.
  ///
  /// - Throws: `SnapshotError` if the snapshot is damaged.
  static func together(_ answer: CoverAnswer, _ units: PageUnits) throws -> CoverResult? {
    guard case .group(let cover) = answer.result else { return nil }
    var (met, missing): ([Line], [Line]) = ([], [])
    for (want, outcome) in zip(answer.query.wants, cover.wants) {
      if let by = outcome.by {
        met.append(Line(title: want.title, note: try answer.snapshot.restaurant(at: by).name))
      } else {
        missing.append(Line(title: want.title, note: try note(on: outcome, answer, units)))
      }
    }
    return CoverResult(
      of: cover.of,
      meters: cover.cost,
      stops: try stops(answer),
      met: met,
      missing: missing,
      remark: remark(answer.query.cost, places: cover.places.count)
    )
  }

  /// The single places, the best first.
  ///
  /// - Throws: `SnapshotError` if the snapshot is damaged.
  static func alone(_ answer: CoverAnswer) throws -> [CoverResult] {
    let wants = answer.query.wants
    func lines(_ indices: [Int]) -> [Line] {
      indices.map { Line(title: wants[$0].title, note: "") }
    }
    return try zip(answer.places, stops(answer)).map { place, stop in
      CoverResult(
        of: wants.count,
        meters: place.distance,
        stops: [stop],
        met: lines(place.meets),
        missing: lines(wants.indices.filter { !place.meets.contains($0) })
      )
    }
  }

  private static func stops(_ answer: CoverAnswer) throws -> [Stop] {
    let wants = answer.query.wants
    return zip(answer.places, try answer.text.matches).map { place, match in
      Stop(match: match, meets: place.meets.map { wants[$0].title })
    }
  }

  private static func remark(_ cost: CoverQuery.Cost, places: Int) -> String {
    guard places > 1 else { return "" }
    return switch cost {
    case .farthest: "The distance is that of the farthest place."
    case .walk: "The distance is that of the walk through all places, in this order."
    case .spread: "The distance is the largest one between two of the places."
    }
  }

  private static func note(
    on outcome: Cover.Outcome,
    _ answer: CoverAnswer,
    _ units: PageUnits
  ) throws -> String {
    if outcome.unmet == .expired { return "It has ended." }
    guard let nearest = outcome.nearest, let reason = outcome.unmet, reason != .nowhere else {
      return "No place has it."
    }
    let name = try answer.snapshot.restaurant(at: nearest.index).name
    return (reason == .beyond ? "Too far." : "None of these has it.")
      + " The nearest is \(name), \(units.text(of: nearest.distance))."
  }
}

// MARK: HTML

extension CoverResult {
  /// The result of a group.
  func html(title: HTML, actions: HTML, _ context: PageContext) -> HTML {
    let items = stops.map { stop -> HTML in
      let category = stop.restaurant.category.map { text -> HTML in "\(HTML.text(text)) · " }
      let meets = stop.meets.map { title -> HTML in "<li>\(HTML.text(title))</li>" }
      return """
        <li>\(PageLayout.link(to: stop.match.id, stop.restaurant.name, context)) <span class="quiet">\(category)\
        \(context.units.text(of: stop.distance))</span><ul class="tags">\(meets)</ul></li>
        """
    }
    let list: HTML = stops.isEmpty ? "" : "<ol class=\"stops\">\(items)</ol>"
    let remark: HTML = remark.isEmpty ? "" : "<p class=\"quiet\">\(remark)</p>"
    return """
      <article class="receipt">\(head(title, total(context.units)))<div class="body">\(list)\(remark)\(actions)</div>
      \(sections(isOpen: true))</article>

      """
  }

  /// The result of a single place, with the number of places of its chain.
  func small(branches: [UTF8Key: Int], _ context: PageContext) -> HTML {
    guard let stop = stops.first else { return "" }
    let (id, chain) = (stop.match.id, stop.restaurant.chain)
    let count = chain.flatMap { branches[UTF8Key($0)] } ?? 1
    let distance = context.units.text(of: stop.distance)
    let others: HTML =
      count > 1
      ? "<span class=\"quiet\">, nearest \(distance), \(grouped(count)) places</span>" : ""
    let title: HTML = "\(PageLayout.link(to: id, chain ?? stop.restaurant.name, context))\(others)"
    let total = count > 1 ? "\(met.count) of \(of)" : total(context.units)
    return """
      <li><article class="receipt">\(head(title, total))\(sections(isOpen: false))</article></li>
      """
  }

  private func head(_ title: HTML, _ total: String) -> HTML {
    "<header><h3>\(title)</h3><p class=\"total\">\(total)</p></header>"
  }

  private func sections(isOpen: Bool) -> HTML {
    let sections = [("Met", "✓", met), ("Missing", "–", missing)].filter { !$0.2.isEmpty }
    let html = sections.map { title, mark, lines -> HTML in
      let items = lines.map { line -> HTML in
        let note: HTML =
          line.note.isEmpty ? "" : " <span class=\"quiet\">\(HTML.text(line.note))</span>"
        return """
          <li><span class="mark" aria-hidden="true">\(mark)</span><span>\(HTML.text(line.title))\(note)</span></li>
          """
      }
      // those of the plan itself stay as the visitor left them
      let state: HTML = isOpen ? " open data-section=\"\(title)\"" : ""
      return """
        <details\(state)><summary>\(title) (\(lines.count))</summary><ul class="lines">\(items)</ul></details>
        """
    }
    return "\(html)"
  }
}
