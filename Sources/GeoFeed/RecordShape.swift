import GeoQuery

/// The meanings of the members of one format's records: paths of names, the preferred ones first.
struct RecordShape: Sendable {
  /// A key of a restaurant and its paths.
  struct Rule: Sendable {
    let path: [String]
    let field: RestaurantField
    let reading: FieldReading

    init(_ path: String, _ field: RestaurantField, _ reading: FieldReading = .text) {
      self.path = RecordShape.steps(path)
      self.field = field
      self.reading = reading
    }
  }

  let id: [[String]]
  /// A prefix that may come before an id and is not part of it.
  let idPrefix: String
  let name: [[String]]
  let latitude: [String]
  let longitude: [String]
  /// The best rating in this format.
  let ratingScale: Double?
  let rules: [Rule]

  init(
    id: [String],
    idPrefix: String = "",
    name: [String],
    position: (latitude: String, longitude: String) = ("latitude", "longitude"),
    ratingScale: Double? = nil,
    rules: [Rule]
  ) {
    self.id = id.map(Self.steps)
    self.idPrefix = idPrefix
    self.name = name.map(Self.steps)
    latitude = Self.steps(position.latitude)
    longitude = Self.steps(position.longitude)
    self.ratingScale = ratingScale
    self.rules = rules
  }

  private static func steps(_ path: String) -> [String] {
    path.split(separator: ".").map(String.init)
  }
}

extension RecordShape {
  /// Reads a record whose position is in two members.
  ///
  /// - Parameters:
  ///   - bag: The record's members.
  ///   - source: The source of the record.
  ///   - isText: Whether the format writes numbers as texts.
  ///   - prepare: Fills keys that need more than one member.
  /// - Returns: The restaurant, with warnings.
  /// - Throws: `FeedProblem` if it has no usable name or position.
  func read(
    _ bag: MemberBag,
    source: String,
    isText: Bool = false,
    prepare: (inout MemberBag, inout Restaurant) -> Void = { _, _ in }
  ) throws(FeedProblem) -> RecordReading {
    var bag = bag
    if let holder = latitude.first, latitude.count > 1, let value = bag.value(holder) {
      switch value {
      case .object, .array, .string: break
      default: throw FeedProblem("\(holder) is \(value.kind), not an object")
      }
    }
    let position = try CoordinateReading(
      latitude: bag.find(latitude)?.value,
      longitude: bag.find(longitude)?.value,
      isText: isText
    )
    bag.removeDirect(latitude)
    bag.removeDirect(longitude)
    return try read(bag, at: position, source: source, prepare: prepare)
  }

  /// Reads a record of a format that writes its numbers as texts.
  ///
  /// - Throws: `FeedProblem` if it has no usable name or position.
  func readTexts(_ bag: MemberBag, source: String) throws(FeedProblem) -> RecordReading {
    try read(bag, source: source, isText: true)
  }

  /// Reads the rest of a record whose position is known.
  ///
  /// - Parameters:
  ///   - bag: The record's members without its position.
  ///   - foundID: Its id, if that is elsewhere.
  ///   - position: Its position.
  ///   - source: The source of the record.
  ///   - prepare: Fills keys that need more than one member.
  /// - Returns: The restaurant, with warnings.
  /// - Throws: `FeedProblem` if it has no usable name.
  func read(
    _ bag: MemberBag,
    id foundID: String? = nil,
    at position: CoordinateReading,
    source: String,
    prepare: (inout MemberBag, inout Restaurant) -> Void = { _, _ in }
  ) throws(FeedProblem) -> RecordReading {
    var bag = bag
    let namePath = name.first { bag.find($0) != nil }
    let name = try RecordReading.name(namePath.flatMap { bag.find($0)?.value })
    if let namePath { bag.removeDirect(namePath) }
    var restaurant = Restaurant(
      id: "",
      name: name,
      coordinate: position.coordinate,
      source: source
    )
    prepare(&bag, &restaurant)
    var id: String?
    for path in self.id where id == nil {
      guard let text = bag.find(path)?.value.asText, !text.isEmpty else { continue }
      let isPrefixed = text.begins(with: idPrefix) && text.utf8.count > idPrefix.utf8.count
      id = isPrefixed ? String(text.unicodeScalars.dropFirst(idPrefix.count)) : text
      bag.removeDirect(path)
    }
    fill(&restaurant, from: &bag)
    restaurant.extra += bag.rest
    return try RecordReading.finish(restaurant, id: foundID ?? id, warnings: position.warnings)
  }

  private func fill(_ restaurant: inout Restaurant, from bag: inout MemberBag) {
    for rule in rules where !restaurant.has(rule.field) {
      guard let found = bag.find(rule.path), let result = rule.reading.read(found.value),
        restaurant.assign(result.value, to: rule.field)
      else { continue }
      if found.isDirect, result.isWhole { bag.remove(rule.path) }
    }
    if restaurant.rating != nil, restaurant.ratingScale == nil {
      restaurant.ratingScale = ratingScale
    }
  }
}

extension MemberBag {
  /// Removes a value unless it is in a list, whose other elements would be lost.
  fileprivate mutating func removeDirect(_ path: [String]) {
    if find(path)?.isDirect == true { remove(path) }
  }
}

extension Restaurant {
  /// Whether a key has a value.
  func has(_ field: RestaurantField) -> Bool {
    if text(field) != nil { return true }
    switch field {
    case .formattedAddress: return !address.formatted.isEmpty
    case .images: return !images.isEmpty
    case .rating: return rating != nil
    case .ratingScale: return ratingScale != nil
    case .reviewCount: return reviewCount != nil
    case .priceLevel: return priceLevel != nil
    case .closed: return closed
    default: return false
    }
  }
}
