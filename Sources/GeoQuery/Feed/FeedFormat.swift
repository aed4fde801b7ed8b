/// The feed formats that geoq reads.
public enum FeedFormat: String, Sendable, CaseIterable {
  /// An object with an array `restaurants`, each with a `location`.
  case bottlerocket
  /// RFC 7946: a FeatureCollection, or one Feature.
  case geojson
  /// RFC 8142: one Feature after another, each on a line or after a record separator.
  case geojsonseq
}

extension FeedFormat {
  /// Recognises a checked JSON root object by its members.
  ///
  /// The more specific shape comes first: two formats have a root `restaurants`, two have `results`,
  /// and a feed of geoq's own formats may carry any member beside its own.
  ///
  /// - Throws: `FeedProblem` that names the kind of feed where it is known but not read, or says what
  ///   was found where it is none.
  static func recognise(_ root: RootObject) throws(FeedProblem) -> FeedFormat {
    if let kind = variants.first(where: { root.has($0.path) })?.name { throw unread(kind) }
    if let type = root.text("type") {
      if ["FeatureCollection", "Feature"].contains(type) { return .geojson }
      if geometryTypes.contains(type) {
        throw FeedProblem("this is a GeoJSON \(type) without a Feature: it names no restaurant")
      }
      if type == "Topology" { throw unread("TopoJSON") }
    }
    if root.has("restaurants") { return .bottlerocket }
    if root.text("schema")?.hasPrefix("geoq.") == true {
      throw FeedProblem("this is geoq's own JSON answer; write it with -f geojson to import it")
    }
    if let kind = otherKinds.first(where: { root.has($0.path) })?.name { throw unread(kind) }
    throw notAFeed(root)
  }

  private static func unread(_ kind: String) -> FeedProblem {
    FeedProblem("this is \(kind), which geoq does not read yet; export it as GeoJSON")
  }

  private static func notAFeed(_ root: RootObject) -> FeedProblem {
    let names = root.names.prefix(5).map { "\"\(shortened($0))\"" }.joined(separator: ", ")
    return FeedProblem(
      "not a feed: the root has "
        + (names.isEmpty ? "no member" : "the members \(names)")
        + "; expected \"restaurants\", or GeoJSON's \"type\": \"FeatureCollection\""
    )
  }

  private static let geometryTypes: Set = [
    "Point", "MultiPoint", "LineString", "MultiLineString", "Polygon", "MultiPolygon",
    "GeometryCollection",
  ]

  /// Kinds that share geoq's own root members, by the path that gives them away.
  private static let variants: [(path: String, name: String)] = [
    ("restaurants.restaurant", "a Zomato feed"),
    ("features.properties.names.primary", "an Overture feed"),
    ("properties.names.primary", "an Overture feed"),
  ]

  /// Kinds that are known but not read, by the path that gives them away.
  private static let otherKinds: [(path: String, name: String)] = [
    ("stores.storeID", "a Bottle Rocket stores feed"),
    ("stores.retailer_id", "a retailer stores feed"),
    ("response", "a Foursquare v2 answer"),
    ("results.fsq_id", "a Foursquare Places v3 answer"),
    ("results.fsq_place_id", "a Foursquare Places answer"),
    ("fsq_place_id", "a Foursquare place"),
    ("fsq_id", "a Foursquare place"),
    ("osm3s", "an Overpass answer"),
    ("elements", "an Overpass answer"),
    ("business_id", "Yelp's open dataset"),
    ("businesses", "a Yelp Fusion answer"),
    ("places.displayName", "a Google Places answer"),
    ("results.place_id", "a Google Places answer (legacy)"),
    ("result.place_id", "a Google Places answer (legacy)"),
    ("restaurant_id", "MongoDB's sample of restaurants"),
    ("@context", "schema.org JSON-LD"),
    ("@graph", "schema.org JSON-LD"),
    ("@type", "schema.org JSON-LD"),
    ("features.attributes", "an Esri feature set"),
    ("latitude", "JSON lines"),
    ("lat", "JSON lines"),
  ]
}

/// What is wrong, before it is known where.
struct FeedProblem: Error {
  let text: String

  init(_ text: String) {
    self.text = text
  }
}
