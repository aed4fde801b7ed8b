import GeoQuery

/// The JSON Schema of a restaurant: all members it can have, whether or not a page has them.
///
/// Without it, clients such as GDAL learn the columns from the first page, and lose those that only
/// later restaurants have.
extension Asked {
  /// `GET /collections/restaurants/schema`: the schema of a Feature in `/items`, which GDAL reads.
  func schema() -> [UInt8] {
    var json = JSONWriter()
    json.raw("{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\",\"$id\":")
    json.string(links.address(Route.schema.path))
    json.raw(",\"title\":\"Restaurant\",\"type\":\"object\",")
    json.raw("\"required\":[\"type\",\"id\",\"geometry\",\"properties\"],\"properties\":{")
    json.raw("\"type\":{\"type\":\"string\",\"const\":\"Feature\"},\"id\":{\"type\":\"string\"},")
    json.raw("\"geometry\":\(Self.point),")
    json.raw("\"properties\":{\"type\":\"object\",\"required\":[\"name\"],\"properties\":{")
    let fields = RestaurantField.allCases.compactMap { field in
      field.propertyType.map { (field.rawValue, $0) }
    }
    for (position, field) in fields.enumerated() {
      if position > 0 { json.raw(",") }
      json.name(field.0)
      json.raw(field.1)
    }
    json.raw("}}}}\n")
    return json.bytes
  }

  private static let point = """
    {"type":"object","required":["type","coordinates"],"properties":{\
    "type":{"type":"string","const":"Point"},"coordinates":{"type":"array","minItems":2,\
    "maxItems":2,"items":{"type":"number"}}}}
    """
}

extension RestaurantField {
  /// The schema of the property with this key; nil if Features never have it.
  fileprivate var propertyType: String? {
    if [.id, .latitude, .longitude].contains(self) || Self.ofAnswers.contains(self) { return nil }
    return switch kind {
    case .text: "{\"type\":\"string\"}"
    case .texts: "{\"type\":\"array\",\"items\":{\"type\":\"string\"}}"
    case .real: "{\"type\":\"number\"}"
    case .whole where self == .priceLevel: "{\"type\":\"integer\",\"minimum\":1,\"maximum\":4}"
    case .whole: "{\"type\":\"integer\",\"minimum\":0}"
    case .flag: "{\"type\":\"boolean\"}"
    case .object: "{\"type\":\"object\"}"
    }
  }
}
