import GeoQuery

/// The meanings of the members of one format's records: paths of names, the preferred ones first.
struct RecordShape: Sendable {
  /// A path of names in nested objects, written with points between them.
  struct Path: Sendable, ExpressibleByStringLiteral {
    let names: [String]

    init(stringLiteral path: String) {
      names = path.split(separator: ".").map(String.init)
    }
  }

  /// A key of a restaurant, its path, and how the value is read.
  struct Rule: Sendable {
    let path: [String]
    let field: RestaurantField
    let reading: FieldReading

    init(_ path: Path, _ field: RestaurantField, _ reading: FieldReading = .text) {
      (self.path, self.field, self.reading) = (path.names, field, reading)
    }
  }

  /// Fills keys that need more than one member.
  typealias Completion = @Sendable (inout JSONFields, inout Restaurant) -> Void

  /// Finds the members of the record; throws if it is not one of this format.
  var open: (@Sendable (inout JSONFields) throws(FeedProblem) -> Void)?
  var id: [Path] = []
  /// A prefix that may come before an id and is not part of it.
  var idPrefix = ""
  let name: [Path]
  /// The first of these that a record has is its position.
  var positions: [(latitude: Path, longitude: Path)] = [("latitude", "longitude")]
  /// Whether the format writes numbers as texts, so that this causes no warning.
  var hasTexts = false
  /// The best rating in this format.
  var ratingScale: Double?
  let rules: [Rule]
  var complete: Completion?

  /// Reads a record whose position is in two members.
  ///
  /// `complete` replaces the shape's own way to fill keys that need more than one member.
  func read(
    _ fields: JSONFields,
    source: String,
    complete: Completion? = nil
  ) throws(FeedProblem) -> RecordReading {
    var fields = fields
    try open?(&fields)
    let known = positions.first { fields.find($0.latitude.names) != nil }
    let place = known ?? positions[positions.count - 1]
    let (latitude, longitude) = (place.latitude.names, place.longitude.names)
    if latitude.count > 1, let value = fields.value(latitude[0]) {
      switch value {
      case .object, .array, .string: break
      default: throw FeedProblem("\(latitude[0]) is \(value.kind), not an object")
      }
    }
    let position = try CoordinateReading(
      latitude: fields.find(latitude)?.value,
      longitude: fields.find(longitude)?.value,
      isText: hasTexts
    )
    fields.removeDirect(latitude)
    fields.removeDirect(longitude)
    return try read(fields, at: position, source: source, complete: complete)
  }

  /// Reads the rest of a record whose position is known, and its id if that is elsewhere.
  func read(
    _ fields: JSONFields,
    id foundID: String? = nil,
    at position: CoordinateReading,
    source: String,
    complete: Completion? = nil
  ) throws(FeedProblem) -> RecordReading {
    var fields = fields
    let namePath = name.first { fields.find($0.names) != nil }?.names
    let name = try RecordReading.name(namePath.flatMap { fields.find($0)?.value })
    if let namePath { fields.removeDirect(namePath) }
    var restaurant = position.restaurant(name, source)
    (complete ?? self.complete)?(&fields, &restaurant)
    var id: String?
    for path in self.id where id == nil {
      guard let text = fields.find(path.names)?.value.asText, !text.isEmpty else { continue }
      let isPrefixed = text.begins(with: idPrefix) && text.utf8.count > idPrefix.utf8.count
      id = isPrefixed ? String(text.unicodeScalars.dropFirst(idPrefix.count)) : text
      fields.removeDirect(path.names)
    }
    for rule in rules where restaurant[rule.field] == nil {
      guard let found = fields.find(rule.path), let result = rule.reading.read(found.value),
        restaurant.assign(result.value, to: rule.field)
      else { continue }
      if found.isDirect, result.isWhole { fields.remove(rule.path) }
    }
    if restaurant.rating != nil { restaurant.ratingScale = restaurant.ratingScale ?? ratingScale }
    restaurant.extra += fields.rest
    return try RecordReading.finish(restaurant, id: foundID ?? id, warnings: position.warnings)
  }

  /// The shapes of formats whose records are objects with members of known names.
  static let all: [FeedFormat: RecordShape] = [
    .bottlerocketStores: bottleRocketStores, .retailerStores: retailerStores,
    .foursquare: foursquare, .foursquarePlaces: foursquarePlaces, .fsqOS: fsqOS, .yelp: yelp,
    .yelpFusion: yelpFusion, .zomato: zomato, .google: google, .googleLegacy: googleLegacy,
    // chains and offers are not places, which only matters if they are read as points
    .schemaOrg: schemaOrg, .retailers: schemaOrg, .offers: schemaOrg,
  ]
}

extension JSONFields {
  /// Continues with the members of an inner object, if it has this name.
  mutating func open(_ name: String) {
    if case .object? = value(name) { self = takeObject(name) }
  }

  /// Removes a value unless it is in a list, whose other elements would be lost.
  mutating func removeDirect(_ path: [String]) {
    if find(path)?.isDirect == true { remove(path) }
  }
}
