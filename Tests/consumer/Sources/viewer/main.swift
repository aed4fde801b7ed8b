import GeoIndex
import GeoQuery

// what an app needs that ships a snapshot: no database
let engine = QueryEngine(try Snapshot(path: CommandLine.arguments[1]))
if let galleria = Coordinate(latitude: 32.9299, longitude: -96.8206) {
  let nearest = try engine.nearest(to: galleria, count: 2)
  print(engine.snapshot.count, nearest.map(\.restaurant.name))
}
