import GeoIndex

/// Why a restaurant is in the answer to a query, or why it is not, and what would have it in.
///
/// ```swift
/// let why = try engine.explain("thai-star-d04b783c", in: query)
/// if let rank = why.rank { print("number \(rank) of \(why.total)") }
/// ```
public struct Explanation: Sendable {
  /// The restaurant.
  public let restaurant: Restaurant

  /// The query.
  public let query: Query

  /// Meters from the query's center along the WGS84 geodesic; nil if it has none.
  public let distance: Double?

  /// The number of restaurants that match the query, whatever its limit, offset and cursor.
  public let total: Int

  /// The restaurant's number among these in the query's order, the first is 1; nil if it is not one of them.
  public let rank: Int?

  /// Whether it is on the page: one of the results from the offset or cursor to the limit.
  public let isOnPage: Bool

  /// The parts of the query that keep it off the page: those of the filter, the region, the page; empty
  /// if it is there.
  public let failures: [Failure]

  /// The same query without the failing parts of the filter, and with the least larger box, radius, number of
  /// nearest and limit, so that the restaurant is on its page; nil if it is on that of the query.
  ///
  /// Each of these changes is needed.
  public let remedy: Query?

  /// Whether the restaurant matches the query, whatever its limit, offset and cursor.
  public var isIncluded: Bool { rank != nil }

  /// A part of a query that a restaurant fails.
  public enum Failure: Sendable, Hashable {
    /// It is none of these ids.
    case ids
    /// It is not a favorite.
    case favorites
    /// No word of it starts with these words, folded.
    case text(words: [String])
    /// It has none of the categories.
    case categories
    /// It is not open then, or that is not known.
    case open(Opening)
    /// It is this many meters outside the area.
    case area(outside: Double)
    /// What must be true is false or unknown.
    case condition(Requirement)
    /// It is this many meters beyond the radius or the maximum distance.
    case radius(beyond: Double)
    /// It is this many meters outside the box.
    case box(outside: Double)
    /// This many restaurants are nearer that match all else, or as near with a lesser id.
    case count(before: Int)
    /// The page ends before it or begins after it; this many come before it in the query's order.
    case page(before: Int)
  }

  /// What is known of a restaurant's opening hours at a time at which it is not open.
  public struct Opening: Sendable, Hashable {
    /// The time.
    public let time: LocalTime

    /// The state then; `unknown` also if the restaurant has no hours, or they are not understood.
    public let state: Timetable.State

    /// Whether the restaurant is closed for good.
    public let isClosedForGood: Bool

    /// When it opens next; nil if that is not known, or it does not within a year.
    public let next: LocalTime?
  }

  /// A part of an expression that must be true, and the values that it tests.
  public struct Requirement: Sendable, Hashable {
    /// The part.
    public let expression: FilterExpression

    /// The fields that it tests, each with the restaurant's value, null if it has none.
    public let values: [JSONMember]

    /// Meters to the geometry, if it tests nothing but the position; nil for other expressions.
    public let outside: Double?
  }
}

extension QueryEngine {
  /// Explains why a restaurant is in the answer to a query, or why it is not.
  ///
  /// - Parameters:
  ///   - id: The restaurant's id, compared as UTF-8 bytes.
  ///   - query: The query.
  /// - Returns: The explanation, which agrees with `page(_:)` for this query and for the remedy.
  /// - Throws: `UnknownRestaurant`; `QueryError` if the cursor belongs to another query or the order needs a
  ///   center; `QueryTimeout`; `SnapshotError` if the file is damaged.
  /// - Complexity: That of a page of the query, of its filter with each part on its own, and of a page of the
  ///   remedy; O(vertices) for the distance to an area.
  public func explain(_ id: String, in query: Query) throws -> Explanation {
    try query.check()
    let found = snapshot.lowerBound(ofID: id.utf8)
    guard found.isExact else {
      throw UnknownRestaurant(id: id, similar: snapshot.ids(similarTo: id))
    }
    var search = ExplanationSearch(
      engine: self,
      query: query,
      remedy: query,
      position: found.position,
      restaurant: try snapshot.records.restaurant(at: found.position)
    )
    return try search.explanation()
  }
}

// MARK: - JSON

extension Explanation {
  /// The document `geoq.why/1`.
  package var json: JSONValue {
    var members: [JSONMember] = []
    members.add("schema", "geoq.why/1")
    members.add("id", restaurant.id)
    members.add("name", restaurant.name)
    members.add("included", JSONValue.bool(isIncluded))
    members.add("rank", rank)
    members.add("total", total)
    members.add("onPage", JSONValue.bool(isOnPage))
    members.add("distance", distance)
    let fails = failures.map { JSONValue.object(self.members(of: $0)) }
    members.add("fails", fails.isEmpty ? nil : .array(fails))
    members.add("remedy", remedy.map(json))
    return .object(members)
  }

  private func members(of failure: Failure) -> [JSONMember] {
    var members: [JSONMember] = []
    members.add("part", name(of: failure))
    switch failure {
    case .ids, .favorites: break
    case .text(let words): members.add("words", words)
    case .categories:
      members.add("wanted", query.filter.categories)
      members.add("value", restaurant.category.map(JSONValue.string) ?? .null)
    case .open(let opening):
      members.add("at", opening.time.description)
      members.add("state", opening.state == .unknown ? "unknown" : "closed")
      members.add("closedForGood", opening.isClosedForGood ? .bool(true) : nil)
      members.add("opens", opening.next?.description)
    case .condition(let requirement):
      members.add("condition", requirement.expression.description)
      members.add("values", requirement.values)
      members.add("outside", requirement.outside)
    case .area(let meters), .box(let meters): members.add("outside", meters)
    case .radius(let meters): members.add("beyond", meters)
    case .count(let before), .page(let before): members.add("before", before)
    }
    return members
  }

  private func json(_ remedy: Query) -> JSONValue {
    var members: [JSONMember] = []
    switch (query.region, remedy.region) {
    case (.nearest(_, let count, let maximum), .nearest(_, let newCount, let newMaximum)):
      members.add("count", newCount == count ? nil : newCount)
      members.add("max", newMaximum == maximum ? nil : newMaximum)
    case (.radius(let radius, _), .radius(let newRadius, _)):
      members.add("radius", newRadius == radius ? nil : newRadius)
    case (.box(let box), .box(let newBox)) where newBox != box:
      let sides = [newBox.west, newBox.south, newBox.east, newBox.north]
      members.add("bbox", .array(sides.map { .number($0.description) }))
    default: break
    }
    members.add("limit", remedy.limit == query.limit ? nil : remedy.limit)
    members.add("offset", remedy.offset == query.offset ? nil : remedy.offset)
    members.add("openUnknown", addsUnknownHours ? .bool(true) : nil)
    var without = failures.filter(isDropped).map { failure in
      self.members(of: failure).filter { ["part", "words", "condition"].contains($0.name) }
    }
    if query.cursor != nil, remedy.cursor == nil {
      without.append([JSONMember(name: "part", value: .string("cursor"))])
    }
    members.add("without", without.isEmpty ? nil : .array(without.map(JSONValue.object)))
    return .object(members)
  }

  /// The name of a part in JSON.
  private func name(of failure: Failure) -> String {
    switch failure {
    case .ids: "ids"
    case .favorites: "favorite"
    case .text: "text"
    case .categories: "category"
    case .open: "open"
    case .area: "within"
    case .condition: "where"
    case .radius: if case .nearest = query.region { "max" } else { "radius" }
    case .box: "bbox"
    case .count: "count"
    case .page: "limit"
    }
  }

  /// Whether the remedy asks for restaurants with unknown hours as well.
  package var addsUnknownHours: Bool {
    remedy?.filter.open != nil && remedy?.filter.open != query.filter.open
  }

  /// Whether the remedy is without a part that fails.
  package func isDropped(_ failure: Failure) -> Bool {
    switch failure {
    case .ids, .favorites, .text, .categories, .area, .condition: true
    case .open: remedy?.filter.open == nil
    case .radius, .box, .count, .page: false
    }
  }
}

// MARK: - The search

private struct ExplanationSearch {
  let engine: QueryEngine
  let query: Query

  /// The query with what has been changed so far.
  var remedy: Query

  let position: Int
  let restaurant: Restaurant
  var failures: [Explanation.Failure] = []

  /// The tree's coordinate, which decides.
  var coordinate: Coordinate { engine.snapshot.tree[position] }
  var distance: Double? { query.center?.distance(to: coordinate) }

  mutating func explanation() throws -> Explanation {
    let place = try place(in: query)
    if place.rank == nil {
      try checkFilter()
      try checkRegion()
      // a cursor belongs to one query
      remedy.cursor = nil
    }
    let isOnPage = place.isOnPage
    if !isOnPage { try checkPage() }
    return Explanation(
      restaurant: restaurant,
      query: query,
      distance: distance,
      total: place.total,
      rank: place.rank,
      isOnPage: isOnPage,
      failures: failures,
      remedy: isOnPage ? nil : remedy
    )
  }

  /// The place of the restaurant in the answer to a query.
  private func place(in query: Query) throws -> (rank: Int?, total: Int, isOnPage: Bool) {
    let snapshot = engine.snapshot
    let cursor = try query.cursor.map { try Cursor($0, of: query.fingerprint) }
    let allowed = try engine.positions(matching: query.filter, until: query.deadline)
    let keys = query.effectiveOrder.map { OrderKeys($0, of: snapshot, center: query.center) }
    let ranking = try snapshot.tree.ranking(query, allowed, keys)
    try query.deadline?.check()
    let own = OrderPlace(
      keys: keys?.keys.map { $0(position) } ?? [],
      distance: distance ?? 0,
      position: position
    )
    let (index, total) = (ranking.rank(of: own), ranking.count)
    guard index < total, ranking.hits(index..<index + 1)[0].position == position else {
      return (nil, total, false)
    }
    let page = try engine.ranks(of: query, cursor, in: ranking, keys)
    return (index + 1, total, page.contains(index))
  }

  /// Whether the restaurant matches a filter.
  private func matches(_ filter: Filter) throws -> Bool {
    var filter = filter
    // so that no other record is read
    filter.ids = filter.ids ?? [restaurant.id]
    let found = try engine.search(filter, until: query.deadline)
    return found?.contains(position) ?? true
  }

  // MARK: - The filter

  private mutating func checkFilter() throws {
    let filter = query.filter
    if let ids = filter.ids, try !matches(Filter(ids: ids)) {
      failures.append(.ids)
      remedy.filter.ids = nil
    }
    if let ids = filter.favoriteIDs, try !matches(Filter(ids: ids)) {
      failures.append(.favorites)
      remedy.filter.favoriteIDs = nil
    }
    try checkText(filter.text)
    if !filter.categories.isEmpty, try !matches(Filter(categories: filter.categories)) {
      failures.append(.categories)
      remedy.filter.categories = []
    }
    if let open = filter.open { try check(open) }
    if let area = filter.area, !area.contains(coordinate) {
      failures.append(.area(outside: area.distance(from: coordinate)))
      remedy.filter.area = nil
    }
    guard let expression = filter.expression else { return }
    var others: [FilterExpression] = []
    for part in expression.conjuncts {
      if try matches(Filter(where: part)) {
        others.append(part)
      } else {
        failures.append(.condition(try requirement(part)))
      }
    }
    remedy.filter.expression = others.isEmpty ? nil : .all(of: others)
  }

  private mutating func checkText(_ text: String) throws {
    guard try !matches(Filter(text: text)) else { return }
    var seen: Set<UTF8Key> = []
    let words = FoldedWords(text).words.map { String(decoding: $0, as: UTF8.self) }
      .filter { seen.insert(UTF8Key($0)).inserted }
    let failing = try words.filter { try !matches(Filter(text: $0)) }
    // a text without letters and digits starts no word
    failures.append(.text(words: failing.isEmpty ? [text] : failing))
    let others =
      failing.isEmpty
      ? []
      : words.filter { word in
        !failing.contains { UTF8Key($0) == UTF8Key(word) }
      }
    remedy.filter.text = others.joined(separator: " ")
  }

  private mutating func check(_ open: OpenAt) throws {
    guard try !matches(Filter(open: open)) else { return }
    let timetable = restaurant.hours.flatMap { Timetable($0) }
    let state = restaurant.closed ? .closed : timetable?.state(at: open.time) ?? .unknown
    let canOpen = state == .closed && !restaurant.closed
    failures.append(
      .open(
        Explanation.Opening(
          time: open.time,
          state: state,
          isClosedForGood: restaurant.closed,
          next: canOpen ? timetable?.nextOpening(after: open.time) : nil
        )
      )
    )
    let lenient = OpenAt(open.time, includesUnknown: true)
    remedy.filter.open = try matches(Filter(open: lenient)) ? lenient : nil
  }

  private func requirement(_ part: FilterExpression) throws -> Explanation.Requirement {
    var values: [JSONMember] = []
    for (field, path) in part.subjects {
      let name = ([field.rawValue] + path).joined(separator: ".")
      if values.first(named: name) != nil { continue }
      let value =
        switch field {
        case .closed: JSONValue.bool(restaurant.closed)
        case .favorite:
          JSONValue.bool(try matches(Filter(conditions: [Condition(.favorite, .equal, "true")])))
        case .extra: Self.value(at: path[...], of: .object(restaurant.extra))
        default: RestaurantField(rawValue: field.rawValue).flatMap { restaurant[$0] }
        }
      values.append(JSONMember(name: name, value: value ?? .null))
    }
    let test: SpatialPredicate? = if case .spatial(let test) = part { test } else { nil }
    return Explanation.Requirement(
      expression: part,
      values: values,
      outside: test?.distance(from: coordinate)
    )
  }

  /// The member at a path of names; of lists, all that their elements have.
  private static func value(at path: ArraySlice<String>, of value: JSONValue) -> JSONValue? {
    guard let name = path.first else { return value }
    switch value {
    case .object: return value[name: name].flatMap { Self.value(at: path.dropFirst(), of: $0) }
    case .array(let elements):
      let found = elements.compactMap { Self.value(at: path, of: $0) }
      return found.isEmpty ? nil : .array(found)
    default: return nil
    }
  }

  // MARK: - Region and page

  private mutating func checkRegion() throws {
    switch query.region {
    case .everywhere: return
    case .box(let box):
      if box.contains(coordinate) { return }
      failures.append(.box(outside: box.distance(from: coordinate)))
      remedy.region = .box(box.extended(to: coordinate))
    case .radius(let radius, let center):
      let distance = center.distance(to: coordinate)
      if distance <= radius { return }
      failures.append(.radius(beyond: distance - radius))
      remedy.region = .radius(distance, of: center)
    case .nearest(let center, let count, let maximum):
      let distance = center.distance(to: coordinate)
      if distance > maximum { failures.append(.radius(beyond: distance - maximum)) }
      let reach = max(distance, maximum)
      let before = engine.snapshot.tree.rank(
        of: Neighbor(index: position, distance: distance),
        from: center,
        within: reach,
        where: try engine.positions(matching: remedy.filter, until: query.deadline)
      )
      if before >= count { failures.append(.count(before: before)) }
      remedy.region = .nearest(to: center, count: max(count, before + 1), within: reach)
    }
  }

  /// Changes offset, cursor and limit if the page does not have the restaurant.
  private mutating func checkPage() throws {
    let place = try place(in: remedy)
    guard let rank = place.rank, !place.isOnPage else { return }
    failures.append(.page(before: rank - 1))
    remedy.cursor = nil
    if remedy.offset >= rank { remedy.offset = 0 }
    if let limit = remedy.limit { remedy.limit = max(limit, rank - remedy.offset) }
  }
}

extension SpatialPredicate {
  /// The distance in meters from a position to the geometry; 0 on its boundary and inside.
  func distance(from position: Coordinate) -> Double {
    switch geometry {
    case .point(let point): point.distance(to: position)
    case .box(let box): box.distance(from: position)
    case .polygons(let areas): areas.map { $0.distance(from: position) }.min() ?? .infinity
    }
  }
}
