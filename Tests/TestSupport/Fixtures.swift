package import Foundation
package import GeoFeed
package import GeoQuery

/// A feed written for these tests, and the records that a reader must make of it.
package struct Fixture: Sendable, CustomStringConvertible {
  /// The feed's file in `Fixtures/`.
  package let file: String
  package let format: FeedFormat
  /// How many records are skipped next to those expected.
  package var rejected = 0

  package var description: String { file }

  package static let all = [
    Fixture(file: "bottlerocket.json", format: .bottlerocket),
    Fixture(file: "zomato.json", format: .zomato, rejected: 1),
    Fixture(file: "bottlerocket-stores.json", format: .bottlerocketStores),
    Fixture(file: "retailer-stores.json", format: .retailerStores, rejected: 1),
    Fixture(file: "foursquare.json", format: .foursquare),
    Fixture(file: "foursquare-places.json", format: .foursquarePlaces),
    Fixture(file: "fsq-os.csv", format: .fsqOS), Fixture(file: "fsq-os.jsonl", format: .fsqOS),
    Fixture(file: "overture.geojson", format: .overture),
    Fixture(file: "overture.geojsonseq", format: .overture),
    Fixture(file: "overture.csv", format: .csv),
    Fixture(file: "overpass.json", format: .overpass, rejected: 1),
    Fixture(file: "osm.geojson", format: .osm), Fixture(file: "yelp.jsonl", format: .yelp),
    Fixture(file: "yelp-fusion.json", format: .yelpFusion, rejected: 1),
    Fixture(file: "google.json", format: .google),
    Fixture(file: "google-legacy.json", format: .googleLegacy),
    Fixture(file: "schema-org.json", format: .schemaOrg, rejected: 1),
    Fixture(file: "geojson.geojson", format: .geojson),
    Fixture(file: "geojsonseq.geojsonseq", format: .geojsonseq),
    Fixture(file: "jsonl.jsonl", format: .jsonl), Fixture(file: "csv.csv", format: .csv),
    Fixture(file: "tsv.tsv", format: .tsv),
  ]

  package static func named(_ file: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: folder.appendingPathComponent(file)))
  }

  /// The bytes of the feed.
  package func bytes() throws -> [UInt8] { try Self.named(file) }

  /// The expected records, flat, members sorted by name; written by hand.
  package func expected() throws -> [[JSONMember]] {
    let (stem, ending) = (file.split(separator: ".")[0], file.split(separator: ".")[1])
    // the first fixture of a format has the short name
    let isFirst = Self.all.first { $0.file.hasPrefix(stem + ".") }?.file == file
    let name = isFirst ? "\(stem).expected.jsonl" : "\(stem).\(ending).expected.jsonl"
    return try Self.named(name).split(separator: 0x0A).map { line in
      var scanner = JSONScanner(Array(line))
      guard case .object(let members) = try scanner.readValue() else { return [] }
      return members.sortedByName
    }
  }

  private static let folder = Repository.folder.appendingPathComponent(
    "Tests/GeoFeedTests/Fixtures"
  )
}

extension [JSONMember] {
  /// The members by name; those of inner objects keep their order.
  package var sortedByName: [JSONMember] { sorted { $0.name < $1.name } }
}

extension Restaurant {
  /// The record as flat members sorted by name, without its source.
  package var flat: [JSONMember] {
    RestaurantField.allCases.filter { $0 != .source }.compactMap { field in
      self[field].map { JSONMember(name: field.rawValue, value: $0) }
    }
    .sortedByName
  }
}

/// Where the repository is.
package enum Repository {
  package static let folder = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
}
