package import GeoIndex

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
