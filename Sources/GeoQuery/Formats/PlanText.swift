package import GeoIndex

/// Restaurants with values in addition to their keys, in every format: the answers of `cover` and
/// `meet`.
package struct PlanText: Sendable {
  /// The restaurants, in order.
  package let matches: [Match]

  /// The additional values: the same names in the same order for each restaurant.
  package let notes: [[JSONMember]]

  let schema: String

  /// The name of the list in `json`.
  let listName: String

  /// The members before the list, and after it.
  let head: [JSONMember]
  let tail: [JSONMember]

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
    case .json: document(fields ?? RestaurantField.allCases)
    case .jsonl: lines(fields ?? RestaurantField.allCases)
    case .geojson: collection
    case .geojsonseq: sequence
    case .csv, .tsv: rows(format == .csv ? .csv : .tsv, fields: fields, isRaw: isRaw)
    case .ids: matches.flatMap { Array(($0.restaurant.id + terminator).utf8) }
    }
  }

  private func document(_ fields: [RestaurantField]) -> [UInt8] {
    var json = JSONText()
    json.raw("{\"schema\":\"\(schema)\",")
    for member in head {
      json.member(member)
      json.raw(",")
    }
    json.raw("\"\(listName)\":[")
    for index in matches.indices {
      json.raw(index == 0 ? "\n" : ",\n")
      write(at: index, fields, to: &json)
    }
    json.raw(matches.isEmpty ? "]" : "\n]")
    for member in tail {
      json.raw(",")
      json.member(member)
    }
    json.raw("}\n")
    return json.bytes
  }

  private func lines(_ fields: [RestaurantField]) -> [UInt8] {
    var json = JSONText()
    for index in matches.indices {
      write(at: index, fields, to: &json)
      json.raw("\n")
    }
    return json.bytes
  }

  /// A restaurant's keys, then its notes.
  private func write(at index: Int, _ fields: [RestaurantField], to json: inout JSONText) {
    json.raw("{")
    json.members(of: matches[index], fields: fields)
    for note in notes[index] where !leftOut.contains(note.name) {
      if json.bytes.last != UInt8(ascii: "{") { json.raw(",") }
      json.member(note)
    }
    json.raw("}")
  }

  /// A FeatureCollection; values that do not belong to one place are foreign members (RFC 7946
  /// §6.1).
  private var collection: [UInt8] {
    var json = JSONText()
    json.raw("{\"type\":\"FeatureCollection\",")
    for member in [.geoqMark] + head + tail {
      json.member(member)
      json.raw(",")
    }
    if let box = summary.extent {
      json.raw("\"bbox\":")
      json.boundingBox(box)
      json.raw(",")
    }
    json.raw("\"features\":[")
    for index in matches.indices {
      json.raw(index == 0 ? "\n" : ",\n")
      json.feature(matches[index], leading: notes[index])
    }
    json.raw(matches.isEmpty ? "]}\n" : "\n]}\n")
    return json.bytes
  }

  private var sequence: [UInt8] {
    var json = JSONText()
    for index in matches.indices {
      json.raw("\u{1E}")
      json.feature(matches[index], with: .geoqMark, leading: notes[index])
      json.raw("\n")
    }
    return json.bytes
  }

  private func rows(
    _ style: DelimitedWriter.Style,
    fields: [RestaurantField]?,
    isRaw: Bool
  ) -> [UInt8] {
    var writer = DelimitedWriter(style, fields: fields, isRaw: isRaw)
    writer.leadingNames = noteNames
    writer.begin(summary)
    for index in matches.indices {
      writer.leadingValues = notes[index].map(Self.cell)
      writer.write(matches[index])
    }
    writer.end()
    return writer.takeBytes()
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
  package var text: PlanText {
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
      return PlanText(
        matches: matches,
        notes: places.map(notes),
        schema: "geoq.cover/1",
        listName: "places",
        head: head,
        tail: tail,
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
    let count = JSONMember(name: "of", value: .number("\(query.wants.count)"))
    guard case .group(let cover) = result else { return [count] }
    var members = [JSONMember(name: "met", value: .number("\(cover.met)")), count]
    if hasAmounts {
      members.append(JSONMember(name: "value", value: .number(cover.value.description)))
    }
    members.append(JSONMember(name: "cost", value: .number(cover.cost.description)))
    members.append(JSONMember(name: "by", value: .string(query.cost.rawValue)))
    if query.cost == .spread {
      members.append(JSONMember(name: "max", value: .number(query.maximumDistance.description)))
    }
    members.append(JSONMember(name: "optimal", value: .bool(cover.isOptimal)))
    guard let bounds = cover.bounds else { return members }
    let met = query.preference == .count ? "\(Int(bounds.met))" : bounds.met.description
    let parts: [JSONMember] = [
      JSONMember(name: "met", value: .number(met)),
      JSONMember(name: "places", value: .number("\(bounds.places)")),
      JSONMember(name: "cost", value: .number(bounds.cost.description)),
    ]
    return members + [JSONMember(name: "bounds", value: .object(parts))]
  }

  private var tail: [JSONMember] {
    guard case .group(let cover) = result else { return [] }
    return [JSONMember(name: "wants", value: .array(cover.wants.map(member)))]
  }

  private func member(of want: Cover.Outcome) -> JSONValue {
    var members = [
      JSONMember(name: "want", value: .string(want.label)),
      JSONMember(name: "met", value: .bool(want.unmet == nil)),
    ]
    if let by = want.by { members.append(JSONMember(name: "by", value: .string(id(at: by)))) }
    members.append(JSONMember(name: "places", value: .number("\(want.places)")))
    if let nearest = want.nearest {
      let parts = [
        JSONMember(name: "id", value: .string(id(at: nearest.index))),
        JSONMember(name: "distance", value: .number(nearest.distance.description)),
      ]
      members.append(JSONMember(name: "nearest", value: .object(parts)))
    }
    if let reason = want.unmet {
      members.append(JSONMember(name: "unmet", value: .string(reason.rawValue)))
    }
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
  package func text(by cost: GroupCost) throws(SnapshotError) -> PlanText {
    var matches: [Match] = []
    for item in items {
      matches.append(Match(restaurant: try page.snapshot.records.restaurant(at: item.position)))
    }
    return PlanText(
      matches: matches,
      notes: items.map { item in
        let distances = item.distances.map { JSONValue.number($0.description) }
        return [
          JSONMember(name: "cost", value: .number(item.cost.description)),
          JSONMember(name: "distances", value: .array(distances)),
        ]
      },
      schema: "geoq.meet/1",
      listName: "items",
      head: [
        JSONMember(name: "count", value: .number("\(items.count)")),
        JSONMember(name: "by", value: .string(cost.rawValue)),
      ],
      tail: [],
      noteNames: ["cost", "distances"]
    )
  }
}
