public import GeoQuery

/// The feed formats that geoq reads.
///
/// A format determines what the members of a record mean. Whether the records are in one document,
/// one after another, or in a table is recognized from the text.
public enum FeedFormat: String, Sendable, CaseIterable {
  /// Answers of Zomato's API v2: `restaurants`, each with a `restaurant`.
  case zomato
  /// The Bottle Rocket lunch feed: an object with an array `restaurants`, each with a `location`.
  case bottlerocket
  /// The Bottle Rocket stores feed: `stores`, each with a `storeID`.
  case bottlerocketStores = "bottlerocket-stores"
  /// A retailer's stores: `stores`, each with a `retailer_id`.
  case retailerStores = "retailer-stores"
  /// Chains: `retailers`, which stores and offers name by their ids.
  case retailers
  /// Offers: `offers`, each with the chains or restaurants that have it.
  case offers
  /// Answers of Foursquare's API v2: `response` with venues.
  case foursquare
  /// Answers of Foursquare's Places API, v3 and of 2025.
  case foursquarePlaces = "foursquare-places"
  /// Foursquare's open-source places, as CSV or JSON lines.
  case fsqOS = "fsq-os"
  /// Overture Maps places, as GeoJSON or GeoJSON sequence.
  case overture
  /// An answer of the Overpass API: OpenStreetMap elements.
  case overpass
  /// OpenStreetMap as GeoJSON, as osmtogeojson and overpass turbo write it.
  case osm
  /// Businesses of Yelp's open dataset, as JSON lines.
  case yelp
  /// Answers of Yelp's Fusion API: `businesses`.
  case yelpFusion = "yelp-fusion"
  /// Answers of Google's Places API (New): `places`.
  case google
  /// Answers of Google's older Places API: `results` or `result`.
  case googleLegacy = "google-legacy"
  /// Schema.org restaurants as JSON-LD.
  case schemaOrg = "schema-org"
  /// RFC 7946: a FeatureCollection, or one Feature.
  case geojson
  /// RFC 8142: one Feature after another, each on a line or after a record separator.
  case geojsonseq
  /// JSON objects with members of common names, one per line or in an array.
  case jsonl
  /// A table with a header line and cells separated by commas, semicolons or pipes (RFC 4180).
  case csv
  /// A table with a header line and cells separated by tabs.
  case tsv

  /// What the records are.
  public var content: FeedContent {
    switch self {
    case .retailers: .chains
    case .offers: .offers
    default: .restaurants
    }
  }

  /// Whether common names fill what the format does not define; in OpenStreetMap, Overture and
  /// Google members with such names mean other things.
  var takesCommonNames: Bool {
    ![
      .geojson, .geojsonseq, .jsonl, .csv, .tsv, .osm, .overpass, .overture, .google, .googleLegacy,
    ].contains(self)
  }

  /// Whether a feed recognized as another format may be read as this one: the general formats can
  /// read what the special ones are based on.
  func isCompatible(with other: FeedFormat) -> Bool {
    switch self {
    case .geojson, .geojsonseq, .overture, .osm:
      [.geojson, .geojsonseq, .overture, .osm].contains(other)
    case .csv, .tsv: [.csv, .tsv, .fsqOS].contains(other)
    case .jsonl: other != .geojson && other != .geojsonseq
    case .fsqOS, .yelp, .schemaOrg: other == self || other == .jsonl || other == .csv
    default: other == self || other == .jsonl
    }
  }

  /// The credit of all data in this format; nil if the format does not tell whose data it is.
  public var credit: Credit? {
    switch self {
    case .osm, .overpass: .openStreetMap
    case .overture:
      Credit(attribution: "© Overture Maps Foundation", license: "CDLA-Permissive-2.0")
    case .fsqOS: Credit(attribution: "© Foursquare", license: "Apache-2.0")
    case .yelp, .yelpFusion: Credit(attribution: "Yelp")
    default: nil
    }
  }
}

/// What the records of a feed are.
public enum FeedContent: String, Sendable, CaseIterable {
  /// Restaurants, or other places.
  case restaurants
  /// Chains of places.
  case chains
  /// Offers.
  case offers

  /// The name of one of them, such as `offer`.
  public var singular: String { String(rawValue.dropLast()) }
}
