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
  /// - Throws: `FeedProblem` that names the kind of feed where it is known but not read, or says what
  ///   was found where it is none.
  static func recognise(_ root: RootObject) throws(FeedProblem) -> FeedFormat {
    if let kind = unreadKind(of: root) {
      throw FeedProblem("this is \(kind), which geoq does not read yet; export it as GeoJSON")
    }
    switch root.text("type") {
    case "FeatureCollection", "Feature": return .geojson
    case let type? where geometryTypes.contains(type):
      throw FeedProblem("this is a GeoJSON \(type) without a Feature: it names no restaurant")
    default: break
    }
    guard root.names.contains("restaurants") else {
      let names = root.names.prefix(5).map { "\"\($0)\"" }.joined(separator: ", ")
      throw FeedProblem(
        "not a feed: the root has "
          + (names.isEmpty ? "no member" : "the members \(names)")
          + "; expected \"restaurants\", or GeoJSON's \"type\": \"FeatureCollection\""
      )
    }
    return .bottlerocket
  }

  private static let geometryTypes: Set = [
    "Point", "MultiPoint", "LineString", "MultiLineString", "Polygon", "MultiPolygon",
    "GeometryCollection",
  ]

  /// The name of a feed that is known but not read, from the members that give it away.
  ///
  /// The more specific shape comes first: two formats have a root `restaurants`, two have `results`.
  private static func unreadKind(of root: RootObject) -> String? {
    let kinds: [(name: String, isFound: Bool)] = [
      ("a Zomato feed", root.has("restaurants.restaurant")),
      ("a Bottle Rocket stores feed", root.has("stores.storeID")),
      ("a retailer stores feed", root.has("stores.retailer_id")),
      ("a Foursquare v2 answer", root.has("response")),
      ("a Foursquare Places v3 answer", root.has("results.fsq_id")),
      ("a Foursquare Places answer", root.has("results.fsq_place_id")),
      ("a Foursquare place", root.has("fsq_place_id") || root.has("fsq_id")),
      ("an Overpass answer", root.has("osm3s") || root.has("elements")),
      ("Yelp's open dataset", root.has("business_id")),
      ("a Yelp Fusion answer", root.has("businesses")),
      ("a Google Places answer", root.has("places.displayName")),
      ("a Google Places answer (legacy)", root.has("results.place_id") || root.has("result")),
      ("MongoDB's sample of restaurants", root.has("restaurant_id")),
      ("schema.org JSON-LD", root.has("@context") || root.has("@graph") || root.has("@type")),
      (
        "an Overture feed",
        root.has("features.properties.names.primary")
          || root.has("properties.names.primary")
      ),
      ("TopoJSON", root.text("type") == "Topology"),
      ("an Esri feature set", root.has("features.attributes")),
      ("geoq's own JSON answer", root.text("schema")?.hasPrefix("geoq.") == true),
    ]
    return kinds.first(where: \.isFound)?.name
  }
}

/// What is wrong, before it is known where.
struct FeedProblem: Error {
  let text: String

  init(_ text: String) {
    self.text = text
  }
}
