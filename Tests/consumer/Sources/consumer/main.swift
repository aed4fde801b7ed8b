import Foundation
import GeoFeed
import GeoIndex
import GeoQuery
import GeoStore

let path = CommandLine.arguments[1]
let bytes = try [UInt8](Data(contentsOf: URL(fileURLWithPath: CommandLine.arguments[2])))
let feed = try FeedReader(source: "lunch").read(bytes)
let report = try RestaurantStore.importFeed(feed, into: path)
let engine = QueryEngine(try RestaurantStore(path: path).snapshot())
if let galleria = Coordinate(latitude: 32.9299, longitude: -96.8206) {
  let nearest = try engine.nearest(to: galleria, count: 2)
  print(report.inserted, nearest.map(\.restaurant.name))
}
