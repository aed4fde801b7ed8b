import GeoIndex
import GeoQuery

/// Turns the values of a feed's records into restaurants, by the feed's format.
package struct RecordReader {
  /// The format of the records.
  let format: FeedFormat

  /// The source of records that name none.
  let source: String

  /// Whether they are in a collection that geoq wrote.
  var isOwn = false

  /// The meanings of members whose names are not those of a format.
  var synonyms = MemberSynonyms()

  /// The retailers that stores refer to.
  var retailers = RetailerList(nil)

  /// The scale of ratings without one; nil if it is unknown.
  var ratingScale: Double?

  /// Whether the point 0, 0 is accepted as a position.
  var allowsNullIsland = false

  /// The names of columns, for records that are lists of values.
  var columns: [String]?

  /// Whether records that name another source get the feed's own.
  var overridesSource = false

  /// Reads one record.
  ///
  /// - Throws: `FeedProblem` if it has no usable name or position.
  func read(_ value: JSONValue) throws(FeedProblem) -> RecordReading {
    var reading = try shape(value)
    if reading.isOwn { return reading }
    if format.takesCommonNames { reading.restaurant.fillFromExtra(synonyms) }
    try checkNullIsland(reading.restaurant.coordinate)
    reading.checkRating(scale: ratingScale)
    return reading
  }

  /// Whether the names of members tell what they mean, not the format.
  var isGeneral: Bool { [.csv, .tsv, .jsonl].contains(format) && !isOwn }

  /// Reads the position of a record that needs no name.
  ///
  /// - Throws: `FeedProblem` if it has none.
  func position(of value: JSONValue) throws(FeedProblem) -> CoordinateReading {
    let reading: CoordinateReading
    switch format {
    case .csv, .tsv, .jsonl:
      let value = columns.map { Self.object(value, $0) } ?? value
      reading = try GeneralRecord(synonyms: synonyms, isTable: format != .jsonl)
        .position(of: value)
    case .geojson, .geojsonseq, .overture, .osm:
      var feature = MemberBag(value)
      guard case .object = value, feature.take("type") == .string("Feature") else {
        throw FeedProblem("the record is not a GeoJSON Feature")
      }
      var geometry = feature.takeObject("geometry")
      reading = try GeoJSONRecord.point(&geometry)
    default:
      let found = try shape(value)
      reading = CoordinateReading(found.restaurant.coordinate, warnings: found.warnings)
    }
    try checkNullIsland(reading.coordinate)
    return reading
  }

  /// The members of a record that is a point: of a Feature its id and its properties.
  func members(of value: JSONValue) -> [JSONMember] {
    let value = columns.map { Self.object(value, $0) } ?? value
    guard case .object(let members) = value else { return [] }
    guard value[name: "type"] == .string("Feature") else { return members }
    let id = members.filter { $0.name == "id" && $0.value != .null }
    guard case .object(let own)? = value[name: "properties"] else { return id }
    return id + own.filter { $0.name != "id" || id.isEmpty }
  }

  private func checkNullIsland(_ place: Coordinate) throws(FeedProblem) {
    if !allowsNullIsland, place.latitude == 0, place.longitude == 0 {
      throw FeedProblem(
        "latitude and longitude are both 0, which means no position; use --allow-null-island to accept it"
      )
    }
  }

  private func shape(_ value: JSONValue) throws(FeedProblem) -> RecordReading {
    switch format {
    case .bottlerocket: return try BottleRocketRecord.read(value, source: source)
    case .geojson, .geojsonseq:
      return try GeoJSONRecord.read(value, source: source, isOwn: isOwn, synonyms: synonyms)
    case .overture: return try OvertureRecord.read(feature: value, source: source)
    case .osm: return try OpenStreetMapRecord.read(feature: value, source: source)
    case .overpass: return try OpenStreetMapRecord.read(element: value, source: source)
    case .jsonl where OwnRecord.isObject(value):
      return try own(OwnRecord.feature(ofObject: value))
    case .csv where isOwn, .tsv where isOwn: return try own(OwnRecord.feature(ofRow: value))
    case .jsonl:
      let value = columns.map { Self.object(value, $0) } ?? value
      return try GeneralRecord(synonyms: synonyms, isTable: false).read(value, source: source)
    case .csv, .tsv:
      return try GeneralRecord(synonyms: synonyms, isTable: true).read(value, source: source)
    default: break
    }
    guard case .object = value else {
      throw FeedProblem("the record is \(value.kind), not an object")
    }
    return try shaped(value)
  }

  /// A list of values as an object.
  private static func object(_ value: JSONValue, _ columns: [String]) -> JSONValue {
    guard case .array(let cells) = value else { return value }
    return .object(zip(columns, cells).map { JSONMember(name: $0, value: $1) })
  }

  private func own(_ feature: JSONValue) throws(FeedProblem) -> RecordReading {
    try GeoJSONRecord.read(feature, source: source, isOwn: true, synonyms: synonyms)
  }

  private func shaped(_ value: JSONValue) throws(FeedProblem) -> RecordReading {
    var bag = MemberBag(value)
    switch format {
    case .bottlerocketStores:
      return try RecordShape.bottleRocketStores.readTexts(bag, source: source)
    case .retailerStores:
      let store = try retailers.join(value)
      let chain = store.find(["retailer", "name"])?.value.asText
      return try RecordShape.retailerStores.read(store, source: source) { _, restaurant in
        restaurant.chain = restaurant.chain ?? chain
      }
    case .foursquare:
      // a venue of an explore answer is inside an item
      if case .object? = bag.value("venue") { bag = bag.takeObject("venue") }
      return try RecordShape.foursquare.read(bag, source: source)
    case .foursquarePlaces:
      let isFlat = bag.value("latitude") != nil
      let shape = isFlat ? RecordShape.foursquarePlaces2025 : .foursquarePlacesV3
      return try shape.read(bag, source: source)
    case .fsqOS: return try RecordShape.fsqOS.readTexts(bag, source: source)
    case .yelp: return try RecordShape.yelp.read(bag, source: source)
    case .zomato:
      if case .object? = bag.value("restaurant") { bag = bag.takeObject("restaurant") }
      return try RecordShape.zomato.readTexts(bag, source: source)
    case .yelpFusion:
      return try RecordShape.yelpFusion.read(
        bag,
        source: source,
        prepare: RecordShape.joinAddressLines
      )
    case .google:
      return try RecordShape.google.read(
        bag,
        source: source,
        prepare: RecordShape.readAddressComponents
      )
    case .googleLegacy:
      return try RecordShape.googleLegacy.read(
        bag,
        source: source,
        prepare: RecordShape.readAddressComponents
      )
    default: return try SchemaOrgRecord.read(value, source: source)
    }
  }
}

extension Restaurant {
  /// Fills missing keys from members of `extra` with common names, which the feed's format does not
  /// define.
  fileprivate mutating func fillFromExtra(_ synonyms: MemberSynonyms) {
    var bag = MemberBag(.object(extra))
    let known = synonyms.known(in: bag)
    guard !known.isEmpty else { return }
    synonyms.move(known, from: &bag, to: &self)
    extra = bag.rest
  }
}
