import GeoQuery

/// Reads places of OpenStreetMap: elements of an Overpass answer, and Features made from them.
///
/// The tags mean the same in both. The position of a way or a relation is its center according to
/// Overpass, otherwise the center of its bounds or outline, with a warning.
enum OpenStreetMapRecord {
  private static let shape = RecordShape(
    id: [],
    name: ["name", "name:en", "brand"],
    ratingScale: 5,
    rules: [
      .init("amenity", .category), .init("cuisine", .category), .init("addr:city", .city),
      .init("addr:state", .state), .init("addr:postcode", .postalCode),
      .init("addr:country", .countryCode, .code), .init("addr:country", .country, .country),
      .init("addr:full", .formattedAddress, .lines), .init("phone", .phone),
      .init("contact:phone", .phone), .init("website", .website, .link),
      .init("contact:website", .website, .link), .init("url", .website, .link),
      .init("image", .imageURL, .link), .init("description", .description, .prose),
      .init("brand", .chain, .title), .init("contact:twitter", .twitter),
      .init("contact:facebook", .facebookUsername, .text), .init("stars", .rating, .number),
      .init("opening_hours", .hours),
    ]
  )

  /// Reads an element of an Overpass answer, which needs tags, a name and a position.
  static func read(element value: JSONValue, source: String) throws(FeedProblem) -> RecordReading {
    var element = try JSONFields(record: value)
    guard let type = element.value("type")?.asText, let number = element.value("id")?.asText else {
      throw FeedProblem("type or id is missing")
    }
    guard case .object? = element.value("tags") else {
      throw FeedProblem("the element has no tags: it is part of an outline, not a place")
    }
    let position = try position(&element, type)
    _ = (element.take("type"), element.take("id"))
    var tags = element.takeObject("tags")
    tags.putBack(element, as: "element")
    return try read(tags, id: "\(type)/\(number)", at: position, source)
  }

  /// Reads a Feature whose properties are tags, flat or in `tags`.
  static func read(feature value: JSONValue, source: String) throws(FeedProblem) -> RecordReading {
    var parts = try FeatureParts(value, takesOutlines: true)
    let ownID = parts.feature.takeText("id")
    var properties = parts.whole(parts.properties)
    let id = properties.takeText("@id") ?? properties.takeText("osm_id")
    if case .string(let text)? = properties.value("other_tags"),
      let others = members(ofHStore: text)
    {
      _ = properties.take("other_tags")
      properties.add(others)
    }
    let inner = properties.takeObject("tags")
    var tags = inner.rest.isEmpty ? properties : inner
    if !inner.rest.isEmpty { tags.putBack(properties, as: "properties") }
    return try read(tags, id: ownID ?? id, at: parts.position, source)
  }

  /// The members of PostgreSQL's type hstore, in which GDAL keeps tags without a column: `"cuisine"=>"thai"`.
  ///
  /// - Returns: Texts, without those that are NULL; nil if the text is something else.
  static func members(ofHStore text: String) -> [JSONMember]? {
    var rest = text.unicodeScalars[...]
    func skip(_ mark: String) -> Bool {
      rest = rest.drop { $0 == " " }
      guard rest.starts(with: mark.unicodeScalars) else { return false }
      rest = rest.dropFirst(mark.unicodeScalars.count)
      return true
    }
    func quoted() -> String? {
      guard skip("\"") else { return nil }
      var found = String.UnicodeScalarView()
      while var scalar = rest.popFirst(), scalar != "\"" {
        if scalar == "\\" {
          guard let next = rest.popFirst() else { return nil }
          scalar = next
        }
        found.append(scalar)
        if rest.isEmpty { return nil }
      }
      return String(found)
    }
    var members: [JSONMember] = []
    repeat {
      guard let name = quoted(), skip("=>") else { return nil }
      if skip("NULL") { continue }
      guard let value = quoted() else { return nil }
      members.append(JSONMember(name: name, value: .string(value)))
    } while skip(",")
    return rest.isEmpty ? members : nil
  }

  private static func read(
    _ tags: JSONFields,
    id: String?,
    at position: CoordinateReading,
    _ source: String
  ) throws(FeedProblem) -> RecordReading {
    // the name may be from the brand, which is then no longer among the tags
    let brand = tags.value("name") == nil ? tags.value("brand") : nil
    return try shape.read(tags, id: id, at: position, source: source) { fields, restaurant in
      if let brand = brand.flatMap(FieldReading.title.read) {
        if restaurant.assign(brand.value, to: .chain) { _ = fields.take("brand") }
      }
      readCategory(&fields, &restaurant)
      let number = fields.value("addr:housenumber")?.asText
      guard let street = fields.value("addr:street")?.asText else { return }
      restaurant.address.countryCode = fields.value("addr:country")?.asText
      let line = number.map { restaurant.street(street, number: $0) } ?? street
      restaurant.address.countryCode = nil
      let unit = fields.take("addr:unit")?.asText
      restaurant.address.street = line + (unit.map { ", \($0)" } ?? "")
      _ = (fields.take("addr:housenumber"), fields.take("addr:street"))
    }
  }

  /// Makes the category from the kind of place and its cuisine, because nearly all are of the kind
  /// `restaurant`.
  ///
  /// The cuisine also stays in extra, unchanged.
  static func readCategory(_ fields: inout JSONFields, _ restaurant: inout Restaurant) {
    guard let kind = fields.value("amenity")?.asText,
      let cuisine = fields.value("cuisine")?.asText
    else { return }
    let names = [kind] + cuisine.parts(between: ";").map(\.trimmed)
    restaurant.category = names.filter { !$0.isEmpty }.joined(separator: ", ")
    _ = fields.take("amenity")
  }

  private static func position(
    _ element: inout JSONFields,
    _ type: String
  ) throws(FeedProblem) -> CoordinateReading {
    for (latitude, longitude) in [(["lat"], ["lon"]), (["center", "lat"], ["center", "lon"])] {
      guard let north = element.find(latitude), let east = element.find(longitude) else { continue }
      let reading = try CoordinateReading(latitude: north.value, longitude: east.value)
      element.remove(latitude)
      element.remove(longitude)
      return reading
    }
    let bounds = ["minlat", "minlon", "maxlat", "maxlon"].compactMap {
      element.find(["bounds", $0])?.value.asText.flatMap(Double.init)
    }
    if bounds.count == 4 {
      return try CoordinateReading(middleOf: (bounds[1], bounds[0], bounds[3], bounds[2]))
    }
    if case .array(let points)? = element.value("geometry") {
      return try CoordinateReading(middleOf: points.compactMap(corner))
    }
    throw FeedProblem("the \(shortened(type)) has no position; ask Overpass for \"out center;\"")
  }

  private static func corner(_ value: JSONValue) -> (latitude: Double, longitude: Double)? {
    let fields = JSONFields(value)
    guard let north = fields.value("lat")?.asText.flatMap(Double.init),
      let east = fields.value("lon")?.asText.flatMap(Double.init)
    else { return nil }
    return (north, east)
  }
}
