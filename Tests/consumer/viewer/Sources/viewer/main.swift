import Foundation
import GeoFeed
import GeoIndex
import GeoQuery

/// What an app needs that has no database: the snapshot of a store, and one of the feed itself.
let bytes = try [UInt8](Data(contentsOf: URL(fileURLWithPath: CommandLine.arguments[2])))
let feed = try FeedReader(source: "lunch").read(bytes)
for snapshot in [try Snapshot(path: CommandLine.arguments[1]), try Snapshot(feed.restaurants)] {
  let engine = QueryEngine(snapshot)
  if let galleria = Coordinate(latitude: 32.9299, longitude: -96.8206) {
    let nearest = try engine.nearest(to: galleria, count: 2)
    print(snapshot.count, nearest.map(\.restaurant.name))
  }
}
