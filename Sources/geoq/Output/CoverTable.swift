import GeoIndex
import GeoQuery

/// What a few places have of the wants, as a receipt for people.
///
/// It has the total, each place with what it has, and what is missing.
struct CoverTable {
  let answer: CoverAnswer
  let text: PlanWriter

  /// The lines.
  func lines(width: Int, style: Style) -> [String] {
    guard case .group(let cover) = answer.result else { return places(width, style) }
    return total(cover).map(style.bold) + (cover.places.isEmpty ? [] : places(width, style))
      + missing(cover, width, style)
  }

  private func total(_ cover: Cover) -> [String] {
    var parts = ["\(cover.met) of \(cover.of)"]
    if answer.query.preference == .value { parts.append("worth \(number(cover.value))") }
    if !cover.places.isEmpty {
      parts.append("\(formatDistance(cover.cost)) by \(answer.query.cost.rawValue)")
    }
    guard let bounds = cover.bounds else { return [parts.joined(separator: ", ")] }
    let most =
      answer.query.preference == .count
      ? "\(Int(bounds.met)) of \(cover.of)" : "worth \(number(bounds.met))"
    return [
      parts.joined(separator: ", "),
      "cut short: no group has more than \(most), as much with fewer than \(bounds.places) "
        + "place\(bounds.places == 1 ? "" : "s"), or costs less than \(formatDistance(bounds.cost))",
    ]
  }

  private func places(_ width: Int, _ style: Style) -> [String] {
    AnswerTable(
      matches: text.matches,
      summary: text.summary,
      fields: fields,
      leadingNames: ["meets"],
      leadingValues: answer.places.map { place in
        [place.meets.map { answer.query.wants[$0].title }.joined(separator: ", ")]
      },
      leadingMinimumWidth: 16
    ).lines(width: width, style: style)
  }

  /// The keys to show; nil shows the usual ones.
  var fields: [RestaurantField]?

  private func missing(_ cover: Cover, _ width: Int, _ style: Style) -> [String] {
    let rows = zip(answer.query.wants, cover.wants).compactMap { asked, want in
      want.unmet.map { reason in
        [
          asked.title, text(of: reason), want.nearest == nil ? "" : grouped(want.places),
          want.nearest.map { formatDistance($0.distance) } ?? "",
          want.nearest.map { answer.id(at: $0.index) } ?? "",
        ]
      }
    }
    if rows.isEmpty { return [] }
    let columns = [
      TableColumn(title: "missing", minimumWidth: 12, priority: 5),
      TableColumn(title: "why", priority: 4),
      TableColumn(title: "places", alignment: .right, priority: 1),
      TableColumn(title: "distance", alignment: .right, priority: 3),
      TableColumn(title: "nearest", minimumWidth: 12, priority: 2),
    ]
    return [""] + TableWriter(columns: columns, style: style).lines(for: rows, width: width)
  }

  private func text(of reason: Cover.Outcome.Reason) -> String {
    switch reason {
    case .nowhere: "nowhere"
    case .beyond: "beyond \(formatDistance(min(answer.query.maximumDistance, 1e9)))"
    case .places: "not in the best group"
    }
  }

  private func number(_ value: Double) -> String {
    let text = value.description
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
  }
}

/// Places to meet as a table for people.
struct MeetTable {
  let meeting: Meeting
  let text: PlanWriter
  let filter: Filter

  /// The keys to show; nil shows the usual ones.
  var fields: [RestaurantField]?

  /// The lines.
  func lines(width: Int, style: Style) -> [String] {
    AnswerTable(
      matches: text.matches,
      summary: text.summary,
      fields: fields,
      subjects: Query(.everywhere, matching: filter).subjects,
      leadingNames: ["cost", "distances"],
      leadingValues: meeting.items.map { item in
        [formatDistance(item.cost), item.distances.map(formatDistance).joined(separator: ", ")]
      },
      leadingMinimumWidth: 24
    ).lines(width: width, style: style)
  }
}
