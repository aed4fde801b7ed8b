import GeoIndex
import GeoQuery

/// A hint for people whose query found nothing, or only restaurants far away.
struct AnswerHint {
  private let engine: QueryEngine
  private let query: Query

  /// Beyond this distance, a wrong sign is more likely than a long way to lunch.
  private static let farAway = 500_000.0

  init(_ engine: QueryEngine, _ query: Query) {
    self.engine = engine
    self.query = query
  }

  /// A hint after an empty answer; nil if there is none.
  func forNothing() throws -> String? {
    if engine.snapshot.count == 0 { return "the database is empty; geoq import FEED fills it" }
    if query.cursor != nil || query.limit == 0 { return nil }
    if let hint = try unknownCategory() ?? unknownValue() ?? unknownWord() { return hint }
    switch query.region {
    case .nearest(_, 0, _), .everywhere: return nil
    case .nearest(let center, _, let radius), .radius(let radius, let center):
      return try nothing(within: radius, of: center)
    case .box(let box): return try nothing(in: box)
    }
  }

  /// A question after an answer whose first restaurant is very far away; nil if it is near.
  func forDistantAnswer() throws -> String? {
    guard let center = query.center, query.cursor == nil,
      let distance = try nearest(to: center), distance > Self.farAway,
      let question = try signQuestion(center)
    else { return nil }
    return "the nearest is \(Self.text(distance)) away: \(question)"
  }

  // MARK: - Filters

  private func unknownCategory() throws -> String? {
    guard !query.filter.categories.isEmpty else { return nil }
    let unknown = try query.filter.categories.first { name in
      try engine.count(Query(.everywhere, matching: Filter(categories: [name]))).total == 0
    }
    guard let unknown else { return nil }
    let known = try values(of: .category)
    let suggestion = closest(to: unknown, among: known).map { "; did you mean \"\($0)\"?" }
    return "no category \"\(unknown)\"\(suggestion ?? "; geoq list --facets category lists them")"
  }

  private func unknownValue() throws -> String? {
    for condition in query.filter.conditions
    where condition.comparison == .equal && condition.alternatives.isEmpty {
      guard case .text(let wanted) = condition.operand, Facet.fields.contains(condition.field)
      else { continue }
      let isKnown = Query(.everywhere, matching: Filter(conditions: [condition]))
      if try engine.count(isKnown).total > 0 { continue }
      let known = try values(of: condition.field)
      let name = condition.field.rawValue
      let suggestion = closest(to: wanted, among: known).map { "did you mean \"\($0)\"?" }
      return "no restaurant has the \(name) \"\(wanted)\"; "
        + (suggestion ?? "geoq list --facets \(name) lists what there is")
    }
    return nil
  }

  private func unknownWord() throws -> String? {
    let words = query.filter.text.split { $0 == " " }.map(String.init)
    for word in words {
      let found = try engine.count(Query(.everywhere, matching: Filter(text: word))).total
      if found == 0 { return "no restaurant has a word that begins with \"\(word)\"" }
    }
    guard words.count > 1 else { return nil }
    let together = Query(.everywhere, matching: Filter(text: query.filter.text))
    guard try engine.count(together).total == 0 else { return nil }
    return "there are restaurants with each of these words, but none with all of them"
  }

  private func values(of field: Condition.Field) throws -> [String] {
    try engine.facets(by: field, of: Query(.everywhere)).compactMap(\.value)
  }

  // MARK: - Places

  private func nothing(within radius: Double, of center: Coordinate) throws -> String? {
    let isFiltered = query.filter != .all
    guard let distance = try nearest(to: center) else {
      return isFiltered ? "no restaurant matches the filter, at any distance" : nil
    }
    let there = try engine.count(Query(.radius(radius, of: center))).total
    let start =
      isFiltered && there > 0
      ? "of the \(restaurants(there)) within \(Self.text(radius)) none matches the filter; the nearest that does"
      : "nothing within \(Self.text(radius)); the nearest"
    let question = distance > Self.farAway ? try signQuestion(center) : nil
    return "\(start) is \(Self.text(distance)) away\(question.map { ": " + $0 } ?? "")"
  }

  private func nothing(in box: BoundingBox) throws -> String? {
    let there = try engine.count(Query(.box(box))).total
    if there > 0 { return "of the \(restaurants(there)) in the box none matches the filter" }
    let turned = BoundingBox(
      west: box.south,
      south: box.west,
      east: box.north,
      north: box.east
    )
    if let turned, try engine.count(Query(.box(turned), matching: query.filter)).total > 0 {
      return "nothing in the box; a box is W,S,E,N: did you mean "
        + "--bbox \(box.south),\(box.west),\(box.north),\(box.east)?"
    }
    let width = box.east - box.west + (box.west > box.east ? 360 : 0)
    let middle = Coordinate(
      latitude: (box.south + box.north) / 2,
      longitude: (box.west + width / 2).remainder(dividingBy: 360)
    )
    guard let middle, let distance = try nearest(to: middle) else { return nil }
    return "nothing in the box; the nearest is \(Self.text(distance)) from its middle"
  }

  /// The distance to the nearest restaurant that matches the filter; nil if there is none.
  private func nearest(to center: Coordinate) throws -> Double? {
    try engine.nearest(to: center, count: 1, matching: query.filter).first?.distance
  }

  /// A question about the signs of a point; nil if no other signs give a near restaurant.
  private func signQuestion(_ center: Coordinate) throws -> String? {
    let (latitude, longitude) = (center.latitude, center.longitude)
    let readings = [
      (latitude, -longitude, "is a minus sign missing, or one too many?"),
      (-latitude, longitude, "is a minus sign missing, or one too many?"),
      (-latitude, -longitude, "are minus signs missing, or too many?"),
      (longitude, latitude, "are latitude and longitude swapped?"),
    ]
    for (north, east, question) in readings {
      guard let other = Coordinate(latitude: north, longitude: east),
        let distance = try nearest(to: other), distance < Self.farAway / 5
      else { continue }
      return "\(question) --at \(north),\(east) has one \(Self.text(distance)) away"
    }
    return nil
  }

  private static func text(_ meters: Double) -> String {
    meters < 1e9 ? formatDistance(meters).replacing(".0 km", with: " km") : "any distance"
  }
}
