import GeoQuery

/// Recognizes a JSON feed by the members of its root or its first record.
///
/// The more specific shape comes first, because two formats have a root `restaurants`, two have
/// `results`, and a feed may have any other member.
struct FeedRecognition {
  /// The number of first records by which a feed is recognized, whatever their order.
  static let sampleCount = 50

  /// The format of the records.
  let format: FeedFormat

  /// Where the records are.
  let place: RecordPlace

  /// The names of columns, for records that are lists of values.
  var cellNames: [String]?

  private struct Shape {
    let format: FeedFormat
    /// The paths that together identify the format; an array in a path stands for its first
    /// element, and `places[]` is an empty list.
    let signs: [Substring]
    /// The path of the records; nil if the object is a record itself.
    var records: String?

    init(_ format: FeedFormat, _ sign: String, _ records: String? = nil) {
      self.format = format
      signs = sign.split(separator: "&")
      self.records = records
    }

    func fits(_ root: RootObject) -> Bool {
      signs.allSatisfy { sign in
        sign.hasSuffix("[]")
          ? root.isEmptyList(String(sign.dropLast(2))) : root.has(String(sign))
      }
    }
  }

  private struct Stranger {
    let sign: String
    let name: String
    let advice: String
    var command: String?

    func fits(_ root: RootObject) -> Bool {
      sign.split(separator: "&").allSatisfy { root.has(String($0)) }
    }
  }

  /// Objects that hold records.
  private static let documents: [Shape] = [
    Shape(.overture, "features.properties.names.primary", "features[]"),
    Shape(.overture, "features.properties.theme&features.properties.names", "features[]"),
    Shape(.osm, "features.properties.@id", "features[]"),
    Shape(.osm, "features.properties.tags", "features[]"),
    Shape(.zomato, "restaurants.restaurant", "restaurants[]"),
    Shape(.bottlerocket, "restaurants", "restaurants[]"),
    Shape(.bottlerocketStores, "stores.storeID", "stores[]"),
    Shape(.retailerStores, "stores.retailer_id", "stores[]"),
    Shape(.foursquare, "response.venues", "response.venues[]"),
    Shape(.foursquare, "response.venue", "response.venue"),
    Shape(.foursquare, "response.groups", "response.groups[].items[]"),
    Shape(.foursquarePlaces, "results.fsq_id", "results[]"),
    Shape(.foursquarePlaces, "results.fsq_place_id", "results[]"),
    Shape(.overpass, "elements", "elements[]"),
    Shape(.overpass, "osm3s", "elements[]"),
    Shape(.yelpFusion, "businesses", "businesses[]"),
    Shape(.google, "places.displayName", "places[]"),
    Shape(.googleLegacy, "results.place_id", "results[]"),
    Shape(.googleLegacy, "result.place_id", "result"),
    Shape(.schemaOrg, "@graph", "@graph[]"),
    Shape(.google, "places[]", "places[]"),
    Shape(.googleLegacy, "results[]&status", "results[]"),
    Shape(.foursquarePlaces, "results[]", "results[]"),
    Shape(.bottlerocketStores, "stores[]", "stores[]"),
  ]

  /// Objects that are records.
  private static let records: [Shape] = [
    Shape(.fsqOS, "fsq_category_labels"),
    Shape(.fsqOS, "fsq_category_ids"),
    Shape(.foursquarePlaces, "fsq_id"),
    Shape(.foursquarePlaces, "fsq_place_id&location"),
    Shape(.fsqOS, "fsq_place_id"),
    Shape(.yelp, "business_id"),
    Shape(.google, "displayName.text"),
    Shape(.googleLegacy, "geometry.location.lat"),
    Shape(.schemaOrg, "@type"),
    Shape(.schemaOrg, "@context"),
    Shape(.zomato, "restaurant.location"),
    Shape(.bottlerocket, "location.lng"),
    Shape(.jsonl, "latitude"),
    Shape(.jsonl, "lat"),
  ]

  /// Objects that hold chains or offers, unless they are records: a restaurant may have offers too.
  private static let lists: [Shape] = [
    Shape(.retailers, "retailers.id&retailers.name", "retailers[]"),
    Shape(.offers, "offers.id&offers.name", "offers[]"),
    Shape(.retailers, "retailers[]", "retailers[]"),
    Shape(.offers, "offers[]", "offers[]"),
  ]

  private static let strangers: [Stranger] = [
    Stranger(
      sign: "address.coord",
      name: "MongoDB's sample of restaurants",
      advice: "its coordinates are not reliable; convert it to GeoJSON or CSV"
    ),
    Stranger(
      sign: "restaurant_id&grades",
      name: "MongoDB's sample of restaurants",
      advice: "its coordinates are not reliable; convert it to GeoJSON or CSV"
    ),
    Stranger(
      sign: "features.attributes",
      name: "an Esri feature set",
      advice: "ask the server for f=geojson, or convert it",
      command: "ogr2ogr -f GeoJSON STEM.geojson FILE"
    ),
  ]

  private static let geometryTypes: Set<UTF8Key> = [
    "Point", "MultiPoint", "LineString", "MultiLineString", "Polygon", "MultiPolygon",
    "GeometryCollection",
  ]

  private init(_ format: FeedFormat, _ place: RecordPlace) {
    self.init(format: format, place: place)
  }

  init(format: FeedFormat, place: RecordPlace, cellNames: [String]? = nil) {
    self.format = format
    self.place = place
    self.cellNames = cellNames
  }

  /// Recognizes objects one after another, or the elements of an array, whatever their members are.
  static func general(in window: FeedWindow) -> FeedRecognition {
    let isArray = window.next == UInt8(ascii: "[")
    return FeedRecognition(.jsonl, isArray ? .document([.elements]) : .sequence)
  }

  /// Recognizes an object at the root of a text.
  ///
  /// - Parameters:
  ///   - root: The object.
  ///   - isCut: Whether it is longer than what is buffered.
  /// - Throws: `FeedProblem` with the kind of feed if it is recognized but not read, or with what
  ///   was found if it is not a feed.
  init(root: RootObject, isCut: @autoclosure () -> Bool = false) throws(FeedProblem) {
    if let found = try Self.known(root) {
      self = found
      return
    }
    guard isCut() else { throw Self.wrapped(root) ?? Self.notAFeed(root) }
    throw FeedProblem(
      "the feed begins with an object of more than \(FeedReader.maximumRecordBytes >> 20) MiB whose first "
        + "members do not tell its format; "
        + "a record may have at most \(FeedReader.maximumRecordBytes) bytes"
    )
  }

  /// The recognition of an object by its members; nil if they are of no known format.
  private static func known(_ root: RootObject) throws(FeedProblem) -> FeedRecognition? {
    if let found = try specific(root) { return found }
    if root.text("schema")?.begins(with: "geoq.") == true {
      throw FeedProblem("this is geoq's own JSON answer; write it with -f geojson to import it")
    }
    if let shape = records.first(where: { $0.fits(root) }) {
      return FeedRecognition(shape.format, .sequence)
    }
    if FieldAliases().findsPosition(in: root.shortMembers) {
      return FeedRecognition(.jsonl, .sequence)
    }
    if let shape = lists.first(where: { $0.fits(root) }), let records = shape.records {
      return FeedRecognition(shape.format, .document(steps(records)))
    }
    // records in a list of any name, or by their ids in an object
    if let path = root.pathOfObjects,
      root.elements(of: path.joined(separator: ".")).contains(where: isGeneral)
    {
      return FeedRecognition(.jsonl, .document(path.map { .member(UTF8Key($0)) } + [.elements]))
    }
    guard let keyed = root.keyedObjects, keyed.records.contains(where: isGeneral) else {
      return nil
    }
    let path = keyed.path.map { PathStep.member(UTF8Key($0)) } + [.members]
    return FeedRecognition(.jsonl, .document(path))
  }

  /// Recognizes a record in an array at the root of a text.
  ///
  /// - Parameters:
  ///   - element: The first record.
  ///   - isCut: Whether it is longer than what is buffered; it is then rejected by itself.
  /// - Throws: `FeedProblem` as for a root.
  init(element: RootObject, isCut: @autoclosure () -> Bool) throws(FeedProblem) {
    guard let found = try Self.known(element) else {
      guard isCut() else { throw Self.wrapped(element) ?? Self.notAFeed(element) }
      self.init(.jsonl, .document([.elements]))
      return
    }
    if case .document(let path) = found.place, path.first != .elements {
      self.init(found.format, .document([.elements] + path))
      return
    }
    self.init(found.format == .geojsonseq ? .geojson : found.format, .document([.elements]))
  }

  private static func specific(_ root: RootObject) throws(FeedProblem) -> FeedRecognition? {
    if let kind = strangers.first(where: { $0.fits(root) }) {
      throw FeedProblem(
        "this is \(kind.name), which geoq does not read",
        advice: (kind.advice, kind.command)
      )
    }
    switch root.text("type").map(UTF8Key.init) {
    case "Feature": return FeedRecognition(feature(root), .sequence)
    case "FeatureCollection":
      let shape = documents.first { $0.records == "features[]" && $0.fits(root) }
      return FeedRecognition(shape?.format ?? .geojson, .document(steps("features[]")))
    case let type? where geometryTypes.contains(type):
      throw FeedProblem("this is a GeoJSON \(type.text) without a Feature: it names no restaurant")
    case "Topology":
      throw FeedProblem(
        "this is TopoJSON, which geoq does not read",
        advice: ("convert it", "ogr2ogr -f GeoJSON STEM.geojson FILE")
      )
    default: break
    }
    if let names = root.socrataColumns {
      return FeedRecognition(
        format: .jsonl,
        place: .document(steps("data[]")),
        cellNames: names
      )
    }
    for shape in documents where shape.records != "features[]" && shape.fits(root) {
      // the name of a list alone does not tell the format of its records
      if shape.format == .bottlerocket, !root.has("restaurants.location.lat"),
        root.elements(of: "restaurants").contains(where: isGeneral)
      {
        return FeedRecognition(.jsonl, .document(steps("restaurants[]")))
      }
      return shape.records.map { FeedRecognition(shape.format, .document(steps($0))) }
    }
    return nil
  }

  /// Whether an object has a position under a common name.
  private static func isGeneral(_ record: RootObject) -> Bool {
    FieldAliases().findsPosition(in: record.shortMembers)
  }

  private static func feature(_ root: RootObject) -> FeedFormat {
    let hasTheme = root.has("properties.theme") && root.has("properties.names")
    if hasTheme || root.has("properties.names.primary") { return .overture }
    if root.has("properties.@id") || root.has("properties.tags") { return .osm }
    if root.has("properties.osm_id"), root.has("properties.other_tags") { return .osm }
    return .geojsonseq
  }

  /// The steps of a path such as `response.groups[].items[]`.
  private static func steps(_ path: String) -> [PathStep] {
    path.split(separator: ".").flatMap { part -> [PathStep] in
      part.hasSuffix("[]")
        ? [.member(UTF8Key(String(part.dropLast(2)))), .elements]
        : [.member(UTF8Key(String(part)))]
    }
  }

  /// The problem of an object with its records in a list of any name, such as `{"data":[…]}`.
  private static func wrapped(_ root: RootObject) -> FeedProblem? {
    guard let path = root.pathOfObjects else { return nil }
    let words = path.map { name in
      let isPlain = name.utf8.allSatisfy {
        ($0 | 0x20) >= 0x61 && ($0 | 0x20) <= 0x7A || $0 == UInt8(ascii: "_")
      }
      return isPlain ? "." + name : ".[\"" + name + "\"]"
    }
    let filter = words.joined()
    return FeedProblem(
      "this is JSON with its records in \(shortened(filter))",
      advice: ("make them JSON lines", "jq -c '\(filter)[]' FILE > STEM.jsonl")
    )
  }

  private static func notAFeed(_ root: RootObject) -> FeedProblem {
    let names = root.names.prefix(5).map { "\"\(shortened($0))\"" }.joined(separator: ", ")
    return FeedProblem(
      "not a feed: the root has "
        + (names.isEmpty ? "no member" : "the members \(names)")
        + "; expected \"restaurants\", or GeoJSON's \"type\": \"FeatureCollection\"; "
        + "geoq help formats lists the others"
    )
  }
}
