import GeoQuery

/// Reads a record of no special format: a row of a table, or an object with members of common names.
struct GeneralRecord {
  /// What its members mean.
  let synonyms: MemberSynonyms

  /// Whether every value is a text, as in a table.
  let isTable: Bool

  /// Reads a record.
  ///
  /// - Throws: `FeedProblem` where it has no usable name or position.
  func read(_ value: JSONValue, source: String) throws(FeedProblem) -> RecordReading {
    guard case .object = value else {
      throw FeedProblem("the record is \(value.kind), not an object")
    }
    var bag = MemberBag(value)
    let known = synonyms.known(in: bag)
    guard let nameMember = known.first(for: .name) else {
      if bag.find(["names", "primary"]) != nil {
        let position = try position(&bag, known)
        return try OvertureRecord.read(row: bag, at: position, source: source)
      }
      throw FeedProblem("name is missing")
    }
    let name = try RecordReading.name(bag.take(nameMember))
    let position = try position(&bag, known)
    var restaurant = Restaurant(
      id: "",
      name: name,
      coordinate: position.coordinate,
      source: source
    )
    let id = known.first(for: .id).flatMap { bag.takeID($0) }
    synonyms.move(known, from: &bag, to: &restaurant)
    restaurant.extra = bag.rest
    return try RecordReading.finish(restaurant, id: id, warnings: position.warnings)
  }

  /// Takes the position: two numbers, or a point as WKT.
  private func position(
    _ bag: inout MemberBag,
    _ known: [MemberSynonyms.Known]
  ) throws(FeedProblem) -> CoordinateReading {
    let latitude = known.first(for: .latitude)
    let longitude = known.first(for: .longitude)
    if latitude == nil || longitude == nil, let point = synonyms.pointMember(in: bag) {
      guard case .string(let text)? = bag.value(point) else {
        throw FeedProblem("\(shortened(point)) is no WKT text such as POINT(-96.82 32.95)")
      }
      let reading = try CoordinateReading(wellKnownText: text)
      _ = bag.take(point)
      return reading
    }
    let reading = try CoordinateReading(
      latitude: latitude.flatMap { bag.value($0) },
      longitude: longitude.flatMap { bag.value($0) },
      isText: isTable
    )
    for member in [latitude, longitude].compactMap(\.self) { _ = bag.take(member) }
    return reading
  }
}

extension [MemberSynonyms.Known] {
  /// The name of the member that means a key, the first of its list where several do.
  fileprivate func first(for field: RestaurantField) -> String? {
    var best: Element?
    for member in self where member.meaning.field == field {
      if best.map({ member.meaning.rank < $0.meaning.rank }) ?? true { best = member }
    }
    return best?.name
  }
}

extension CoordinateReading {
  /// Reads a point as well-known text: `POINT(-96.82 32.95)`, longitude first, a height and an
  /// `SRID=4326;` in front allowed.
  ///
  /// - Throws: `FeedProblem` where the text is another one.
  init(wellKnownText text: String) throws(FeedProblem) {
    // nothing of it is a number in other letters, which take long to look at
    var rest = text.utf8.allSatisfy { $0 < 0x80 } ? Substring(text).drop { $0 == " " } : ""
    if rest.prefix(5).uppercased() == "SRID=" {
      guard rest.dropFirst(5).hasPrefix("4326;") else {
        throw FeedProblem("the point \"\(shortened(text))\" is not in WGS84 degrees (SRID 4326)")
      }
      rest = rest.dropFirst(10)
    }
    let words = rest.split { $0 == " " || $0 == "(" || $0 == ")" }
    let kind = words.first?.uppercased()
    let numbers = Array(words.dropFirst().filter { !["Z", "M", "ZM"].contains($0.uppercased()) })
    let marks = rest.filter { $0 == "(" || $0 == ")" }
    guard kind == "POINT" || kind == "POINTZ", marks == "()", (2...4).contains(numbers.count) else {
      throw FeedProblem("\"\(shortened(text))\" is not a WKT point such as POINT(-96.82 32.95)")
    }
    try self.init(
      latitude: .string(String(numbers[1])),
      longitude: .string(String(numbers[0])),
      isText: true
    )
  }
}
