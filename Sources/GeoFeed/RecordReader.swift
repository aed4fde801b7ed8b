import GeoIndex
import GeoQuery

/// Turns the values of a feed's records into restaurants, by the feed's format.
package struct RecordReader {
  let format: FeedFormat
  let options: FeedReader

  /// Whether they are in a collection that geoq wrote.
  var isOwn = false

  /// The meanings of members whose names are not those of a format.
  var aliases = FieldAliases()

  var retailers = RetailerList(nil)

  /// The names of columns, for records that are lists of values.
  var columns: [String]?

  /// The meanings of the format's members, if it has some of its own.
  private let known: RecordShape?

  package init(format: FeedFormat, options: FeedReader) {
    (self.format, self.options, known) = (format, options, RecordShape.all[format])
  }

  /// Reads one record, which needs a name and a position.
  func read(_ value: JSONValue) throws(FeedProblem) -> RecordReading {
    var reading = try shape(value)
    if reading.isOwn { return reading }
    if format.takesCommonNames { reading.restaurant.fillFromExtra(aliases) }
    try checkNullIsland(reading.restaurant.coordinate)
    reading.checkRating(scale: options.ratingScale)
    return reading
  }

  /// Whether the names of members tell what they mean, not the format.
  var isGeneral: Bool { [.csv, .tsv, .jsonl].contains(format) && !isOwn }

  /// Reads the position of a record that needs no name.
  func position(of value: JSONValue) throws(FeedProblem) -> CoordinateReading {
    let reading: CoordinateReading
    switch format {
    case .csv, .tsv, .jsonl: reading = try general.position(of: named(value))
    case .geojson, .geojsonseq, .overture, .osm: reading = try FeatureParts(value).position
    default:
      let found = try shape(value)
      reading = CoordinateReading(found.restaurant.coordinate, warnings: found.warnings)
    }
    try checkNullIsland(reading.coordinate)
    return reading
  }

  /// The members of a record that is a point: of a Feature its id and its properties.
  func members(of found: FoundRecord) -> [JSONMember] {
    guard case .value(let content) = found.content else { return [] }
    let value = named(content)
    guard case .object(let members) = value else { return [] }
    guard value[name: "type"] == .string("Feature") else { return members }
    let id = members.filter { $0.name == "id" && $0.value != .null }
    guard case .object(let own)? = value[name: "properties"] else { return id }
    return id + own.filter { $0.name != "id" || id.isEmpty }
  }

  private func checkNullIsland(_ place: Coordinate) throws(FeedProblem) {
    if !options.allowsNullIsland, place.latitude == 0, place.longitude == 0 {
      throw FeedProblem(
        "latitude and longitude are both 0, which means no position; \(Remedy.allowNullIsland)"
      )
    }
  }

  private func shape(_ value: JSONValue) throws(FeedProblem) -> RecordReading {
    let source = options.source
    switch format {
    case .bottlerocket:
      return try BottleRocketRecord.read(value, source: source, aliases: aliases)
    case .geojson, .geojsonseq: return try feature(value, isOwn: isOwn)
    case .overture:
      var parts = try FeatureParts(value)
      let id = parts.feature.takeText("id")
      let properties = parts.whole(parts.properties)
      return try RecordShape.overture.read(properties, id: id, at: parts.position, source: source)
    case .osm: return try OpenStreetMapRecord.read(feature: value, source: source)
    case .overpass: return try OpenStreetMapRecord.read(element: value, source: source)
    case .jsonl where OwnRecord.isObject(value), .csv where isOwn, .tsv where isOwn:
      return try feature(OwnRecord.feature(value, isRow: format != .jsonl), isOwn: true)
    default: break
    }
    guard let shape = known else {
      return try general.read(named(value), source: source)
    }
    var fields = try JSONFields(record: value)
    guard format == .retailerStores else { return try shape.read(fields, source: source) }
    try retailers.join(&fields)
    let chain = fields.find(["retailer", "name"])?.value.asText
    return try shape.read(fields, source: source) { _, restaurant in restaurant.chain = chain }
  }

  private func feature(_ value: JSONValue, isOwn: Bool) throws(FeedProblem) -> RecordReading {
    try GeoJSONRecord.read(value, source: options.source, isOwn: isOwn, aliases: aliases)
  }

  private var general: GeneralRecord {
    GeneralRecord(aliases: aliases, isTable: format != .jsonl)
  }

  /// A list of values as an object; any other value unchanged.
  private func named(_ value: JSONValue) -> JSONValue {
    guard let columns, case .array(let cells) = value else { return value }
    return .object(zip(columns, cells).map { JSONMember(name: $0, value: $1) })
  }
}

extension Restaurant {
  /// Fills missing keys from members of `extra` with common names, which the feed's format does not
  /// define.
  fileprivate mutating func fillFromExtra(_ aliases: FieldAliases) {
    var fields = JSONFields(.object(extra))
    let known = aliases.known(in: fields)
    guard !known.isEmpty else { return }
    aliases.move(known, from: &fields, to: &self)
    extra = fields.rest
  }
}

/// The retailers that stores refer to: those that the feed lists, and the store's chains.
struct RetailerList {
  private var retailers: [UTF8Key: JSONValue] = [:]

  /// Takes the list from a feed's root, if it is before the stores or soon after them.
  init(_ list: JSONValue?) {
    guard case .array(let elements)? = list else { return }
    for element in elements {
      if let id = JSONFields(element).value("id")?.asText { retailers[UTF8Key(id)] = element }
    }
  }

  var isEmpty: Bool { retailers.isEmpty }

  /// Adds chains; a retailer in the feed's own list takes precedence.
  mutating func add(_ chains: [Chain]) {
    for chain in chains where retailers[UTF8Key(chain.id)] == nil {
      var members = [JSONMember(name: "name", value: .string(chain.name))]
      if let icon = chain.iconURL {
        members.append(JSONMember(name: "icon_url", value: .string(icon)))
      }
      retailers[UTF8Key(chain.id)] = .object(members)
    }
  }

  /// Adds its retailer to a store, which otherwise needs a name of its own.
  func join(_ store: inout JSONFields) throws(FeedProblem) {
    let id = store.value("retailer_id")?.asText
    if let retailer = id.flatMap({ retailers[UTF8Key($0)] }) {
      store.putBack(JSONFields(retailer), as: "retailer")
    } else if store.value("name") == nil {
      throw FeedProblem(
        id.map { "unknown retailer \"\(shortened($0))\"" } ?? "retailer_id is missing"
      )
    }
  }
}
