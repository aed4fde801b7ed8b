import GeoQuery

/// Recognizes a JSON feed by the members of its root or its first record.
///
/// The more specific shape comes first, because two formats have a root `restaurants`, two have
/// `results`, and a feed may have any other member.
struct FeedRecognition {
  /// The number of first records by which a feed is recognized, whatever their order.
  static let sampleCount = 50

  let format: FeedFormat

  /// The path of the records in one document; nil if they come one after another.
  let path: [PathStep]?

  /// The names of columns, for records that are lists of values.
  let cellNames: [String]?

  init(_ format: FeedFormat, _ path: [PathStep]? = nil, cellNames: [String]? = nil) {
    (self.format, self.path, self.cellNames) = (format, path, cellNames)
  }

  /// The path of the records is nil if the object is a record itself.
  private typealias Shape = (format: FeedFormat, sign: String, records: String?)

  private init(_ shape: Shape) {
    self.init(shape.format, shape.records.map(PathStep.path))
  }

  /// Whether an object has all paths of a sign, which are divided by `&`.
  ///
  /// On a path, an array stands for its first elements, `places[]` is an empty list, and `tags{}` an
  /// object.
  private static func fits(_ sign: String, _ root: RootObject) -> Bool {
    sign.split(separator: "&").allSatisfy { path in
      let name = String(path.dropLast(2))
      return path.hasSuffix("[]")
        ? root.isEmptyList(name)
        : path.hasSuffix("{}") ? root.isObject(name) : root.has(String(path))
    }
  }

  /// The path of a format's records in a document, if the user chooses the format.
  static func defaultPath(of format: FeedFormat) -> [PathStep]? {
    if format == .geojson { return PathStep.path("features[]") }
    // JSON-LD is a node, or has its nodes in a list
    return format == .schemaOrg
      ? nil : (documents + lists).first { $0.format == format }?.records.map(PathStep.path)
  }

  /// Objects that hold records.
  private static let documents: [Shape] = [
    (.overture, "features.properties.names.primary", "features[]"),
    (.overture, "features.properties.theme&features.properties.names", "features[]"),
    (.osm, "features.properties.@id", "features[]"),
    (.osm, "features.properties.tags{}", "features[]"),
    (.zomato, "restaurants.restaurant", "restaurants[]"),
    (.bottlerocket, "restaurants", "restaurants[]"),
    (.bottlerocketStores, "stores.storeID", "stores[]"),
    (.retailerStores, "stores.retailer_id", "stores[]"),
    (.foursquare, "response.venues", "response.venues[]"),
    (.foursquare, "response.venue", "response.venue"),
    (.foursquare, "response.groups", "response.groups[].items[]"),
    (.foursquarePlaces, "results.fsq_id", "results[]"),
    (.foursquarePlaces, "results.fsq_place_id", "results[]"),
    (.overpass, "elements", "elements[]"),
    (.overpass, "osm3s", "elements[]"),
    (.yelpFusion, "businesses", "businesses[]"),
    (.google, "places.displayName", "places[]"),
    (.googleLegacy, "results.place_id", "results[]"),
    (.googleLegacy, "result.place_id", "result"),
    (.schemaOrg, "@graph", "@graph[]"),
    (.google, "places[]", "places[]"),
    (.googleLegacy, "results[]&status", "results[]"),
    (.foursquarePlaces, "results[]", "results[]"),
    (.bottlerocketStores, "stores[]", "stores[]"),
  ]

  /// What the records of a list have if its name means the format; otherwise common names tell.
  private static let recordSigns = [
    "restaurants": "restaurants.location.lat", "businesses": "businesses.coordinates",
    "elements": "elements.tags",
  ]

  /// Objects that are records.
  private static let records: [Shape] = [
    (.fsqOS, "fsq_category_labels", nil),
    (.fsqOS, "fsq_category_ids", nil),
    (.foursquarePlaces, "fsq_id", nil),
    (.foursquarePlaces, "fsq_place_id&location", nil),
    (.fsqOS, "fsq_place_id", nil),
    (.yelp, "business_id", nil),
    (.google, "displayName.text", nil),
    (.googleLegacy, "geometry.location.lat", nil),
    (.schemaOrg, "@type", nil),
    (.schemaOrg, "@context", nil),
    (.zomato, "restaurant.location", nil),
    (.bottlerocket, "location.lng", nil),
    (.jsonl, "latitude", nil),
    (.jsonl, "lat", nil),
  ]

  /// Objects that hold chains or offers, unless they are records: a restaurant may have offers too.
  private static let lists: [Shape] = [
    (.retailers, "retailers.id&retailers.name", "retailers[]"),
    (.offers, "offers.id&offers.name", "offers[]"),
    (.retailers, "retailers[]", "retailers[]"),
    (.offers, "offers[]", "offers[]"),
  ]

  private static let mongoDB = UnsupportedFormat(
    "MongoDB's sample of restaurants",
    "its coordinates are not reliable; convert it to GeoJSON or CSV"
  )
  private static let unsupported: [(sign: String, kind: UnsupportedFormat)] = [
    ("address.coord", mongoDB), ("restaurant_id&grades", mongoDB),
    (
      "features.attributes",
      UnsupportedFormat(
        "an Esri feature set",
        "ask the server for f=geojson, or convert it",
        "ogr2ogr -f GeoJSON STEM.geojson FILE"
      )
    ),
  ]

  private static let geometryTypes: Set<UTF8Key> = [
    "Point", "MultiPoint", "LineString", "MultiLineString", "Polygon", "MultiPolygon",
    "GeometryCollection",
  ]

  /// Recognizes objects one after another, or the elements of an array, whatever their members are.
  static func general(in window: FeedWindow) -> FeedRecognition {
    FeedRecognition(.jsonl, window.next == UInt8(ascii: "[") ? [.elements] : nil)
  }

  /// Recognizes an object at the root of a text, or a record in an array there.
  ///
  /// `isCut` if it is longer than what is buffered; in an array it is then rejected by itself.
  ///
  /// - Throws: `FeedProblem` with the kind of feed if it is recognized but not read, or with what
  ///   was found if it is not a feed.
  init(
    _ root: RootObject,
    isElement: Bool = false,
    isCut: @autoclosure () -> Bool
  ) throws(FeedProblem) {
    if let found = try Self.known(root) {
      self = isElement ? found.inArray : found
      return
    }
    guard isCut() else { throw Self.wrapped(root) ?? Self.notAFeed(root) }
    if isElement {
      self.init(.jsonl, [.elements])
      return
    }
    let maximum = FeedReader.maximumRecordBytes
    throw FeedProblem(
      "the feed begins with an object of more than \(maximum >> 20) MiB whose first "
        + "members do not tell its format; a record may have at most \(maximum) bytes"
    )
  }

  private var inArray: FeedRecognition {
    if let path { return FeedRecognition(format, [.elements] + path) }
    return FeedRecognition(format == .geojsonseq ? .geojson : format, [.elements])
  }

  /// The recognition of an object by its members; nil if they are of no known format.
  private static func known(_ root: RootObject) throws(FeedProblem) -> FeedRecognition? {
    if let found = try specific(root) { return found }
    if root.text("schema")?.begins(with: "geoq.") == true {
      throw FeedProblem("this is geoq's own JSON answer; \(Remedy.asGeoJSON)")
    }
    if let shape = records.first(where: { fits($0.sign, root) }) { return FeedRecognition(shape) }
    if isGeneral(root) {
      // the position of a map's center is that of no restaurant
      let isRecord = FieldAliases().findsName(among: root.names)
      return try isRecord ? FeedRecognition(.jsonl) : inLists(root) ?? FeedRecognition(.jsonl)
    }
    if let shape = lists.first(where: { fits($0.sign, root) }) { return FeedRecognition(shape) }
    // records in a list of any name, or by their ids in an object
    if let found = try inLists(root) { return found }
    guard let keyed = root.keyedObjects, keyed.records.contains(where: isGeneral) else {
      return nil
    }
    return FeedRecognition(.jsonl, keyed.path.map { .member(UTF8Key($0)) } + [.members])
  }

  /// The recognition of an object that has its records in one list, or in all of its lists; nil if
  /// there are no others next to those of a known shape.
  ///
  /// - Throws: `FeedProblem` if they are in some of several lists.
  private static func inLists(
    _ root: RootObject,
    beside shape: Shape? = nil
  ) throws(FeedProblem) -> FeedRecognition? {
    let lists = root.pathsOfObjects()
    let own = shape?.records?.prefix { $0 != "[" }.split(separator: ".").map(String.init)
    if let own, !lists.contains(own), !root.isEmptyList(own.joined(separator: ".")) { return nil }
    let paths = lists.filter { path in
      let records = root.elements(of: path.joined(separator: ".")).filter(isGeneral)
      guard let own, path != own else { return path == own || !records.isEmpty }
      // a feed of a known shape may also have offers, and positions of something else
      let isOther = path.starts(with: own) || path == ["offers"] || path == ["retailers"]
      return !isOther && records.contains { $0.names.contains(where: isName) }
    }
    guard let path = paths.first, path != own || paths.count > 1 else { return nil }
    if paths.count == 1 {
      return FeedRecognition(.jsonl, path.map { .member(UTF8Key($0)) } + [.elements])
    }
    let format = shape?.format ?? .jsonl
    let isOfAll = paths.allSatisfy { $0.count == 1 && root.has($0[0] + ".location.lat") }
    let canJoin = format == .jsonl || format == .bottlerocket && isOfAll
    if canJoin, paths == lists, paths.allSatisfy({ $0.count == 1 }) {
      return FeedRecognition(format, [.members, .elements])
    }
    let filters = paths.map { filter($0) + "[]" }
    throw FeedProblem(
      "this is JSON with records in \(filters.count) lists, such as \(shortened(filters[0]))",
      advice: (
        "make them JSON lines", "jq -c '\(filters.joined(separator: ", "))' FILE > STEM.jsonl"
      )
    )
  }

  private static func specific(_ root: RootObject) throws(FeedProblem) -> FeedRecognition? {
    if let found = unsupported.first(where: { fits($0.sign, root) }) { throw found.kind.problem }
    let type = root.text("type") ?? (isCollection(root) ? "FeatureCollection" : nil)
    switch type.map(UTF8Key.init) {
    case "Feature": return FeedRecognition(feature(root))
    case "FeatureCollection":
      let shape = documents.first { $0.records == "features[]" && fits($0.sign, root) }
      return FeedRecognition(shape?.format ?? .geojson, PathStep.path("features[]"))
    case let type? where geometryTypes.contains(type):
      throw FeedProblem("this is a GeoJSON \(type.text) without a Feature: it names no restaurant")
    case "Topology":
      let command = "ogr2ogr -f GeoJSON STEM.geojson FILE"
      throw UnsupportedFormat("TopoJSON", "convert it", command).problem
    default: break
    }
    if let names = root.socrataColumns {
      return FeedRecognition(.jsonl, PathStep.path("data[]"), cellNames: names)
    }
    guard
      let shape = documents.first(where: { $0.records != "features[]" && fits($0.sign, root) })
    else { return nil }
    let isOwn = recordSigns[shape.sign].map { fits($0, root) } ?? true
    // the name of a list alone does not tell the format of its records
    let isAny = !isOwn && root.elements(of: shape.sign).contains(where: isGeneral)
    let found = isAny ? (.jsonl, shape.sign, shape.records) : shape
    return try inLists(root, beside: found) ?? FeedRecognition(found)
  }

  /// Whether an object has a position under a common name.
  private static func isGeneral(_ record: RootObject) -> Bool {
    FieldAliases().findsPosition(in: record.shortMembers)
  }

  private static func isName(_ name: String) -> Bool { FieldAliases().means(name, any: [.name]) }

  private static func feature(_ root: RootObject) -> FeedFormat {
    let hasTheme = root.has("properties.theme") && root.has("properties.names")
    if hasTheme || root.has("properties.names.primary") { return .overture }
    if root.has("properties.@id") || root.isObject("properties.tags") { return .osm }
    if root.has("properties.osm_id"), root.has("properties.other_tags") { return .osm }
    return .geojsonseq
  }

  /// Whether an object has features that come before its type.
  private static func isCollection(_ root: RootObject) -> Bool {
    !root.has("type") && root.elements(of: "features").first?.text("type") == "Feature"
  }

  /// The path of names in the language of jq.
  private static func filter(_ path: [String]) -> String {
    let words = path.map { name in
      let isPlain = name.utf8.allSatisfy {
        ($0 | 0x20) >= 0x61 && ($0 | 0x20) <= 0x7A || $0 == UInt8(ascii: "_")
      }
      return isPlain ? "." + name : ".[\"" + name + "\"]"
    }
    return words.joined()
  }

  /// The problem of an object with its records in a list of any name, such as `{"data":[…]}`.
  private static func wrapped(_ root: RootObject) -> FeedProblem? {
    guard let path = root.pathsOfObjects().first else { return nil }
    let filter = filter(path)
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
