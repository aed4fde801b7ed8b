package import GeoIndex

/// Restaurants with values in addition to their keys, in every format: the answers of `cover` and
/// `meet`.
package struct PlanWriter: Sendable {
  /// The restaurants, in order.
  package let matches: [Match]

  /// The additional values: the same names in the same order for each restaurant.
  package let notes: [[JSONMember]]

  /// The document around them.
  let frame: JSONMatchWriter.Frame

  /// The names of the notes, for a header line.
  let noteNames: [String]

  /// Whether the restaurants have a distance.
  var hasDistance = false

  /// The notes that `json` omits, because its other members say the same.
  var leftOut: [String] = []

  /// The summary of the answer, before its first restaurant.
  package var summary: AnswerSummary {
    AnswerSummary(
      count: matches.count,
      total: matches.count,
      extent: BoundingBox(enclosing: matches.map(\.restaurant.coordinate)),
      hasDistance: hasDistance
    )
  }

  /// The answer in a format.
  ///
  /// - Parameters:
  ///   - format: The format.
  ///   - fields: The keys of the restaurants in `json`, `jsonl`, `csv` and `tsv`; nil for all.
  ///   - terminator: The text after each of `ids`.
  ///   - isRaw: Whether texts of `csv` that look like formulas get no apostrophe.
  /// - Returns: UTF-8.
  package func bytes(
    in format: AnswerFormat,
    fields: [RestaurantField]? = nil,
    terminator: String = "\n",
    isRaw: Bool = false
  ) -> [UInt8] {
    switch format {
    case .ids: return matches.flatMap { Array(($0.restaurant.id + terminator).utf8) }
    case .csv, .tsv:
      var writer = DelimitedWriter(format == .csv ? .csv : .tsv, fields: fields, isRaw: isRaw)
      writer.leadingNames = noteNames
      writer.begin(summary)
      for (match, notes) in zip(matches, notes) {
        writer.leadingValues = notes.map(Self.cell)
        writer.write(match)
      }
      return writer.takeBytes()
    case .json, .jsonl, .geojson, .geojsonseq:
      let omitted = format == .json || format == .jsonl ? leftOut : []
      var writer = JSONMatchWriter(format, fields: fields, frame: frame)
      writer.begin(summary)
      for (match, notes) in zip(matches, notes) {
        writer.notes = notes.filter { !omitted.contains($0.name) }
        writer.write(match)
      }
      writer.end()
      return writer.takeBytes()
    }
  }

  /// A list in one cell, in the form that the writer uses for restaurants.
  private static func cell(_ note: JSONMember) -> JSONValue {
    guard case .array(let values) = note.value else { return note.value }
    return .string(DelimitedWriter.cell(of: values.compactMap(\.asText)))
  }
}

extension CoverAnswer {
  /// The answer for writers: `geoq.cover/1`.
  ///
  /// - Throws: `SnapshotError` if the file is damaged.
  package var text: PlanWriter {
    get throws(SnapshotError) {
      var matches: [Match] = []
      for place in places {
        matches.append(
          Match(
            restaurant: try snapshot.records.restaurant(at: place.position),
            distance: place.distance
          )
        )
      }
      return PlanWriter(
        matches: matches,
        notes: places.map(notes),
        frame: .init(schema: "geoq.cover/1", listName: "places", head: head, tail: tail),
        noteNames: ["meets", "lacks"],
        hasDistance: true,
        leftOut: isGroup ? ["lacks"] : []
      )
    }
  }

  private var isGroup: Bool {
    if case .group = result { true } else { false }
  }

  private func notes(of place: Cover.Place) -> [JSONMember] {
    let others = query.wants.indices.filter { !place.meets.contains($0) }
    return [labels("meets", place.meets), labels("lacks", others)]
  }

  private func labels(_ name: String, _ wants: [Int]) -> JSONMember {
    JSONMember(name: name, value: .array(wants.map { .string(query.wants[$0].label) }))
  }

  /// Whether the amounts of wants affect the answer.
  private var hasAmounts: Bool {
    query.preference == .value || query.wants.contains { $0.amount > 0 }
  }

  private var head: [JSONMember] {
    var members: [JSONMember] = []
    guard case .group(let cover) = result else {
      members.add("of", query.wants.count)
      return members
    }
    members.add("met", cover.met)
    members.add("of", query.wants.count)
    if hasAmounts { members.add("value", cover.value) }
    members.add("cost", cover.cost)
    members.add("by", query.cost.rawValue)
    if query.cost == .spread { members.add("max", query.maximumDistance) }
    members.add("optimal", .bool(cover.isOptimal))
    guard let bounds = cover.bounds else { return members }
    var parts: [JSONMember] = []
    if query.preference == .count { parts.add("met", Int(bounds.met)) }
    if query.preference == .value { parts.add("met", bounds.met) }
    parts.add("places", bounds.places)
    parts.add("cost", bounds.cost)
    members.add("bounds", parts)
    return members
  }

  private var tail: [JSONMember] {
    guard case .group(let cover) = result else { return [] }
    return [JSONMember(name: "wants", value: .array(cover.wants.map(member)))]
  }

  private func member(of want: Cover.Outcome) -> JSONValue {
    var members: [JSONMember] = []
    members.add("want", want.label)
    members.add("met", .bool(want.unmet == nil))
    members.add("by", want.by.map(id(at:)))
    members.add("places", want.places)
    if let nearest = want.nearest {
      var parts: [JSONMember] = []
      parts.add("id", id(at: nearest.index))
      parts.add("distance", nearest.distance)
      members.add("nearest", parts)
    }
    members.add("unmet", want.unmet?.rawValue)
    return .object(members)
  }

  /// The restaurant at a position.
  ///
  /// - Throws: `SnapshotError` if the file is damaged.
  package func restaurant(at position: Int) throws(SnapshotError) -> Restaurant {
    try snapshot.records.restaurant(at: position)
  }

  /// The id of the restaurant at a position.
  package func id(at position: Int) -> String {
    String(decoding: snapshot.id(at: position), as: UTF8.self)
  }
}

extension Meeting {
  /// The answer for writers: `geoq.meet/1`.
  ///
  /// - Parameter cost: The cost that the places are sorted by.
  /// - Returns: The answer.
  /// - Throws: `SnapshotError` if the file is damaged.
  package func text(by cost: GroupCost) throws(SnapshotError) -> PlanWriter {
    var matches: [Match] = []
    for item in items {
      matches.append(Match(restaurant: try page.snapshot.records.restaurant(at: item.position)))
    }
    var head: [JSONMember] = []
    head.add("count", items.count)
    head.add("by", cost.rawValue)
    return PlanWriter(
      matches: matches,
      notes: items.map { item in
        let distances = item.distances.map { JSONValue.number($0.description) }
        return [
          JSONMember(name: "cost", value: .number(item.cost.description)),
          JSONMember(name: "distances", value: .array(distances)),
        ]
      },
      frame: .init(schema: "geoq.meet/1", listName: "items", head: head, tail: []),
      noteNames: ["cost", "distances"]
    )
  }
}
