package import GeoIndex

/// Restaurants with values in addition to their keys: the answers of `cover` and `meet`.
package struct PlanWriter: Sendable {
  package let matches: [Match]

  /// The additional values: the same names in the same order for each restaurant.
  package let notes: [[JSONMember]]

  let frame: MatchWriter.Frame

  let noteNames: [String]

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

  /// The answer in a format, as UTF-8; the parameters are those of `AnswerFormat.writer`.
  package func bytes(
    in format: AnswerFormat,
    fields: [RestaurantField]? = nil,
    terminator: String = "\n",
    isRaw: Bool = false,
    credits: Credits = .none
  ) -> [UInt8] {
    var writer = format.writer(fields: fields, terminator: terminator, isRaw: isRaw)
    writer.frame = frame
    writer.noteNames = noteNames
    writer.credits = credits
    let omitted = format == .json || format == .jsonl ? leftOut : []
    writer.begin(summary)
    for (match, notes) in zip(matches, notes) {
      writer.notes = notes.filter { !omitted.contains($0.name) }
      if format == .csv || format == .tsv {
        writer.notes = notes.map {
          JSONMember(name: $0.name, value: DelimitedWriter.cell(of: $0.value))
        }
      }
      writer.write(match)
    }
    writer.end()
    return writer.takeBytes()
  }
}

extension CoverAnswer {
  /// The answer for writers: `geoq.cover/1`.
  ///
  /// - Throws: `SnapshotError` if the file is damaged.
  package var text: PlanWriter {
    get throws(SnapshotError) {
      PlanWriter(
        matches: try places.map { place throws(SnapshotError) in
          Match(
            restaurant: try snapshot.records.restaurant(at: place.position),
            distance: place.distance
          )
        },
        notes: places.map(notes),
        frame: .init(schema: "geoq.cover/1", listName: "places", head: head, tail: tail),
        noteNames: ["meets", "lacks"],
        hasDistance: true,
        leftOut: group == nil ? [] : ["lacks"]
      )
    }
  }

  private var group: Cover? {
    if case .group(let cover) = result { cover } else { nil }
  }

  private func notes(of place: Cover.Place) -> [JSONMember] {
    func labels(_ wants: [Int]) -> JSONValue {
      .array(wants.map { .string(query.wants[$0].label) })
    }
    let others = query.wants.indices.filter { !place.meets.contains($0) }
    return [
      JSONMember(name: "meets", value: labels(place.meets)),
      JSONMember(name: "lacks", value: labels(others)),
    ]
  }

  /// Whether the amounts of wants affect the answer.
  private var hasAmounts: Bool {
    query.preference == .value || query.wants.contains { $0.amount > 0 }
  }

  private var head: [JSONMember] {
    var members: [JSONMember] = []
    members.add("met", group?.met)
    members.add("of", query.wants.count)
    guard let cover = group else { return members }
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
    group.map { [JSONMember(name: "wants", value: .array($0.wants.map(member)))] } ?? []
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
    var head: [JSONMember] = []
    head.add("count", items.count)
    head.add("by", cost.rawValue)
    return PlanWriter(
      matches: try items.map { item throws(SnapshotError) in
        Match(restaurant: try page.snapshot.records.restaurant(at: item.position))
      },
      notes: items.map { item in
        var notes: [JSONMember] = []
        notes.add("cost", item.cost)
        notes.add("distances", .array(item.distances.map { .number($0.description) }))
        return notes
      },
      frame: .init(schema: "geoq.meet/1", listName: "items", head: head, tail: []),
      noteNames: ["cost", "distances"]
    )
  }
}
