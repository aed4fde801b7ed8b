import Foundation
package import GeoFeed
import GeoIndex
import GeoQuery

/// The repository's sample feed, and feeds made on the spot.
package enum Feeds {
  /// The bytes of Data/restaurants.json.
  package static func sampleBytes() throws -> [UInt8] {
    let root = Repository.folder
    return [UInt8](try Data(contentsOf: root.appendingPathComponent("Data/restaurants.json")))
  }

  /// The sample feed, read.
  package static func sample() throws -> Feed {
    try FeedReader(source: "restaurants.json").read(sampleBytes())
  }

  /// A feed that is read from a text.
  package static func read(
    _ text: String,
    as format: FeedFormat? = nil,
    source: String = "feed.json"
  ) throws -> Feed {
    try FeedReader(source: source, format: format).read(Array(text.utf8))
  }

  /// The sentence with which a text is refused as a feed, or nil if it is read.
  package static func refusal(
    of text: String,
    as format: FeedFormat? = nil
  ) -> String? {
    refusal(of: Array(text.utf8), as: format)
  }

  /// The sentence with which bytes are refused as a feed, or nil if they are read.
  package static func refusal(of bytes: [UInt8], as format: FeedFormat? = nil) -> String? {
    do {
      _ = try FeedReader(source: "feed.json", format: format).read(bytes)
      return nil
    } catch {
      return "\(error)"
    }
  }
}

extension Feed {
  /// Each accepted record as `NAME LATITUDE LONGITUDE`.
  package var places: [String] {
    restaurants.map { "\($0.name) \($0.coordinate.latitude) \($0.coordinate.longitude)" }
  }
}
