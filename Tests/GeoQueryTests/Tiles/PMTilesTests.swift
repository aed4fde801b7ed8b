import Foundation
import GeoIndex
import TestSupport
import Testing

@testable import GeoQuery

/// Files of tiles, read by the specification.
@Suite struct PMTilesTests {
  /// Writes a file without compression, and reads it.
  private func file(
    _ engine: QueryEngine,
    _ wanted: TilesToFile = TilesToFile()
  ) throws -> (reader: PMTilesReader, written: TilesInFile, bytes: [UInt8]) {
    var bytes: [UInt8] = []
    let path = FileManager.default.temporaryDirectory.path + "/geoq-\(UUID().uuidString)"
    let written = try engine.writePMTiles(
      wanted,
      beside: path,
      compress: { $0 },
      to: { bytes += $0 }
    )
    return (try PMTilesReader(bytes), written, bytes)
  }

  private func wanted(
    _ filter: Filter = .all,
    zooms: ClosedRange<Int>? = nil,
    limit: Int = 2_000
  ) -> TilesToFile {
    var wanted = TilesToFile()
    wanted.filter = filter
    wanted.minZoom = zooms?.lowerBound ?? 0
    if let zooms { wanted.maxZoom = zooms.upperBound }
    wanted.limit = limit
    return wanted
  }

  @Test(arguments: RestaurantLayout.allCases)
  func `a file has the tiles that the engine makes, and no others`(
    layout: RestaurantLayout
  ) throws {
    var random = MadeUpRestaurants(seed: SplitMix64.seed)
    var stream = SplitMix64(stream: "pmtiles \(layout)")
    let all = zip(
      random.restaurants(60),
      layout.restaurants(count: 60, using: &stream)
    ).map {
      var restaurant = $0
      restaurant.coordinate = $1.coordinate
      return restaurant
    }
    let snapshot = try TemporarySnapshot(of: all)
    let engine = QueryEngine(snapshot.snapshot)
    for round in 0..<8 {
      let filter = round == 0 ? .all : random.query(all).filter
      let kept = all.filter { QueryOracle.holds(filter, $0) }
      let limit = random.one(of: [0, 3, 2_000])
      let zooms = random.one(of: [0...6, 3...9, 22...22])
      let (reader, written, _) = try file(engine, wanted(filter, zooms: zooms, limit: limit))
      #expect(written.restaurants == kept.count)
      #expect(reader.zooms == [zooms.lowerBound, zooms.upperBound])
      guard !kept.isEmpty else { continue }
      var expected: [PMTilesReader.Address: [UInt8]] = [:]
      for zoom in zooms {
        for address in TileOracle(restaurants: kept, limit: limit).addresses(zoom: zoom) {
          let tile = try engine.tile(address, matching: filter, limit: limit)
          guard tile.count > 0 else { continue }
          expected[.init(zoom: zoom, x: address.x, y: address.y)] = tile.bytes
        }
      }
      #expect(reader.tiles == expected, "\(filter), \(zooms), seed \(SplitMix64.seed)")
      #expect(written.tiles == expected.count)
      #expect(reader.counts == [expected.count, reader.entries.count, Set(expected.values).count])
    }
  }

  @Test func `a box limits the tiles`() throws {
    var random = MadeUpRestaurants(seed: 3)
    let all = random.restaurants(80)
    let snapshot = try TemporarySnapshot(of: all)
    let engine = QueryEngine(snapshot.snapshot)
    let box = try #require(BoundingBox(west: 170, south: -50, east: -20, north: 60))
    var boxed = wanted(zooms: 0...5)
    boxed.box = box
    let inside = all.filter { box.contains($0.coordinate) }
    #expect(!inside.isEmpty && inside.count < all.count)
    var some = Filter.all
    some.ids = inside.map(\.id)
    #expect(try file(engine, boxed).bytes == file(engine, wanted(some, zooms: 0...5)).bytes)
    #expect(try file(engine, boxed).written.restaurants == inside.count)
  }

  @Test func `the same restaurants are the same bytes`() throws {
    var random = MadeUpRestaurants(seed: 4)
    let all = random.restaurants(50)
    let (one, other) = (try TemporarySnapshot(of: all), try TemporarySnapshot(of: all))
    let first = try file(QueryEngine(one.snapshot), wanted(zooms: 0...12))
    #expect(try file(QueryEngine(other.snapshot), wanted(zooms: 0...12)).bytes == first.bytes)
  }

  @Test func `a file without a restaurant has one tile with nothing in it`() throws {
    let snapshot = try TemporarySnapshot(of: [])
    let (reader, written, _) = try file(QueryEngine(snapshot.snapshot))
    #expect(reader.tiles == [.init(zoom: 0, x: 0, y: 0): []])
    #expect(written == TilesInFile(restaurants: 0, tiles: 0, zooms: 0...14, bounds: TileBounds()))
    #expect(reader.sides == [-180, -85.0511288, 180, 85.0511288, 0, 0])
    let (other, _, _) = try file(QueryEngine(snapshot.snapshot), wanted(zooms: 3...5))
    #expect(other.tiles == [.init(zoom: 3, x: 0, y: 0): []])
  }

  @Test(arguments: [
    (32.95, -96.82, [-96.82, 32.95], 7), (0, 180, [-180, 0], 7), (0, -180, [-180, 0], 7),
    (90, 0, [0, 85.0511288], 7), (-90, 0, [0, -85.0511288], 7),
  ])
  func `one restaurant is in a tile of each zoom`(
    latitude: Double,
    longitude: Double,
    place: [Double],
    zoom: Int
  ) throws {
    let one = Restaurant.plain("r1", at: .at(latitude, longitude))
    let snapshot = try TemporarySnapshot(of: [one])
    let engine = QueryEngine(snapshot.snapshot)
    let written = try file(engine).written
    #expect(written.restaurants == 1 && written.tiles == 15 && written.zooms == 0...14)
    let (reader, _, _) = try file(engine, wanted(zooms: 0...zoom))
    #expect(reader.tiles.keys.map(\.zoom).sorted() == Array(0...zoom))
    for (side, degrees) in zip(reader.sides, place + place + place) {
      #expect(abs(side - degrees) < 1.5e-7)
    }
    #expect(reader.centerZoom == zoom)
  }

  @Test func `the bounds do not cross the antimeridian`() throws {
    let all = [179.0, -179, 180].enumerated().map {
      Restaurant.plain("r\($0)", at: .at(Double($0) * 10, $1))
    }
    let snapshot = try TemporarySnapshot(of: all)
    let (reader, _, _) = try file(QueryEngine(snapshot.snapshot))
    #expect(reader.sides == [-180, 0, 179, 20, -0.5, 10])
    #expect(reader.centerZoom == 0)
  }

  @Test func `a file ends at zoom 14, where positions are at most half a meter off`() throws {
    var stream = SplitMix64(stream: "zoom 14")
    let all = RestaurantLayout.city.restaurants(count: 40, using: &stream)
    let snapshot = try TemporarySnapshot(of: all)
    let (reader, written, _) = try file(QueryEngine(snapshot.snapshot))
    #expect(written.zooms == 0...14)
    var found = 0
    for (address, bytes) in reader.tiles where address.zoom == 14 {
      for feature in try TileReader(bytes).layers["restaurants"] ?? [] {
        guard case .text(let id)? = feature.properties["id"] else { continue }
        let restaurant = try #require(all.first { $0.id.isUTF8Equal(to: id) })
        let units = 4_096 * Double(1 << 14)
        let x = (Double(address.x) * 4_096 + Double(feature.x)) / units
        let y = (Double(address.y) * 4_096 + Double(feature.y)) / units
        let shown = try #require(
          Coordinate(
            latitude: atan(sinh(.pi * (1 - 2 * y))) * 180 / .pi,
            longitude: x * 360 - 180
          )
        )
        #expect(shown.distance(to: restaurant.coordinate) < 0.5, "\(id)")
        found += 1
      }
    }
    #expect(found == 40)
  }

  @Test func `equal tiles are kept once`() throws {
    // two clusters that lie alike in their tiles
    let all = (0..<8).map { Restaurant.plain("r\($0)", at: .at(10, $0 < 4 ? 11.25 : 56.25)) }
    let snapshot = try TemporarySnapshot(of: all)
    let (reader, written, _) = try file(
      QueryEngine(snapshot.snapshot),
      wanted(zooms: 3...10, limit: 3)
    )
    #expect(written.tiles == 16)
    #expect(reader.counts[0] == 16)
    #expect(reader.counts[2] == 8)
    #expect(reader.tiles.count == 16)
  }
}
