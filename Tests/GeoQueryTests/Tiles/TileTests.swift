import Foundation
import GeoIndex
import TestSupport
import Testing

@testable import GeoQuery

@Suite struct TileTests {
  /// Restaurants with everything that makes filters go wrong, laid out in a way that broke some index.
  private func restaurants(
    _ count: Int,
    _ layout: RestaurantLayout,
    _ random: inout MadeUpRestaurants
  ) -> [Restaurant] {
    var stream = SplitMix64(stream: "tiles \(layout)")
    return zip(random.restaurants(count), layout.restaurants(count: count, using: &stream)).map {
      var restaurant = $0
      restaurant.coordinate = $1.coordinate
      return restaurant
    }
  }

  @Test(arguments: RestaurantLayout.allCases)
  func `the tiles of a zoom show each restaurant that a filter takes once`(
    layout: RestaurantLayout
  ) throws {
    var random = MadeUpRestaurants(seed: SplitMix64.seed)
    let all = restaurants(60, layout, &random)
    let file = try TemporarySnapshot(of: all)
    let engine = QueryEngine(file.snapshot)
    for round in 0..<30 {
      let filter = round == 0 ? .all : random.query(all).filter
      let oracle = TileOracle(
        restaurants: all.filter { QueryOracle.holds(filter, $0) },
        limit: random.one(of: [0, 3, 2_000])
      )
      for zoom in [0, 1, 5, 11, 16, 22] {
        try check(zoom, filter, oracle, engine)
      }
    }
  }

  /// Checks all tiles of a zoom.
  private func check(
    _ zoom: Int,
    _ filter: Filter,
    _ oracle: TileOracle,
    _ engine: QueryEngine
  ) throws {
    var total = 0
    var ids: [String] = []
    for address in oracle.addresses(zoom: zoom) {
      let tile = try engine.tile(address, matching: filter, limit: oracle.limit)
      let reader = try TileReader(tile.bytes)
      let singles = reader.layers["restaurants"] ?? []
      let clusters = reader.layers["clusters"] ?? []
      #expect(tile.bytes.isEmpty == (tile.count == 0))
      var shown = singles.count
      for feature in singles { ids.append(try checkSingle(feature, address, oracle)) }
      for feature in clusters { shown += try checkCluster(feature, address, oracle) }
      #expect(shown == tile.count, "\(address) \(filter)")
      #expect(tile.count > oracle.limit || clusters.isEmpty)
      total += shown
    }
    #expect(total == oracle.restaurants.count, "zoom \(zoom), \(filter), seed \(SplitMix64.seed)")
    #expect(Set(ids).count == ids.count)
  }

  /// Checks a restaurant of a tile, and tells its id.
  private func checkSingle(
    _ feature: TileReader.Feature,
    _ address: TileAddress,
    _ oracle: TileOracle
  ) throws -> String {
    guard case .text(let id)? = feature.properties["id"],
      let restaurant = oracle.restaurants.first(where: { UTF8Key($0.id) == UTF8Key(id) })
    else {
      Issue.record("a restaurant without an id, or one that the filter does not take: \(feature)")
      return ""
    }
    var expected: [String: TileReader.Value] = ["id": .text(id), "name": .text(restaurant.name)]
    if let category = restaurant.category { expected["category"] = .text(category) }
    #expect(feature.properties == expected)
    let side = Double(4_096 << address.zoom)
    let (x, y) = TileOracle.place(restaurant.coordinate, side: side)
    let tolerance = 0.5 + 1e-13 * side
    #expect(abs(x - Double(4_096 * address.x + feature.x)) <= tolerance, "\(restaurant)")
    #expect(abs(y - Double(4_096 * address.y + feature.y)) <= tolerance, "\(restaurant)")
    return id
  }

  /// Checks a cluster of a tile, and tells its count.
  private func checkCluster(
    _ feature: TileReader.Feature,
    _ address: TileAddress,
    _ oracle: TileOracle
  ) throws -> Int {
    let properties = feature.properties
    guard case .integer(let count)? = properties["point_count"] else {
      Issue.record("a cluster without a count: \(feature)")
      return 0
    }
    #expect(count > 1)
    #expect(properties["point_count_abbreviated"] == .text("\(count)"))
    // the cell is that around the mean position, which is inside it; near an edge rounding decides
    let cell = TileOracle.Cell(
      zoom: address.zoom + 6,
      column: address.x << 6 + min(feature.x / 64, 63),
      row: address.y << 6 + min(feature.y / 64, 63)
    )
    let cells = oracle.restaurants.map { TileOracle.cell(of: $0, zoom: cell.zoom) }
    guard !cells.contains(nil), feature.x % 64 > 0, feature.y % 64 > 0 else { return count }
    let members = zip(oracle.restaurants, cells).filter { $0.1 == cell }.map(\.0)
    #expect(members.count == count, "\(address) \(feature)")
    guard !members.isEmpty else { return count }
    checkMean(feature, members, address)
    checkCategory(properties, members)
    if let zoom = oracle.expansionZoom(of: members, after: address.zoom) {
      #expect(properties["expansion_zoom"] == .integer(zoom), "\(address) \(members)")
    }
    return count
  }

  private func checkMean(
    _ feature: TileReader.Feature,
    _ members: [Restaurant],
    _ address: TileAddress
  ) {
    let side = Double(4_096 << address.zoom)
    let places = members.map { TileOracle.place($0.coordinate, side: side) }
    let count = Double(members.count)
    let x = places.reduce(0) { $0 + $1.x } / count
    let y = places.reduce(0) { $0 + $1.y } / count
    // cells of zoom 30 are averaged
    let tolerance = 0.5 + side / Double(1 << 30)
    #expect(abs(x - Double(4_096 * address.x + feature.x)) <= tolerance)
    #expect(abs(y - Double(4_096 * address.y + feature.y)) <= tolerance)
  }

  private func checkCategory(
    _ properties: [String: TileReader.Value],
    _ members: [Restaurant]
  ) {
    let counts = Dictionary(
      members.compactMap(\.category).flatMap { Set(QueryOracle.entries($0)) }.map { ($0, 1) },
      uniquingKeysWith: +
    )
    guard let most = counts.values.max() else {
      #expect(properties["category"] == nil && properties["category_share"] == nil)
      return
    }
    guard case .text(let category)? = properties["category"] else {
      Issue.record("no category among \(members)")
      return
    }
    #expect(counts[folded(category)] == most)
    #expect(properties["category_share"] == .number(Double(most) / Double(members.count)))
  }

  @Test func `many on one spot are one cluster at every zoom`() throws {
    let all = (0..<2_500).map { number in
      var restaurant = Restaurant.plain("r\(10_000 + number)", at: .at(32.95, -96.82))
      restaurant.category = number % 10 == 0 ? nil : number % 3 == 0 ? "Thai" : "Pub"
      return restaurant
    }
    let file = try TemporarySnapshot(of: all)
    let engine = QueryEngine(file.snapshot)
    for zoom in 0...TileAddress.maximumZoom {
      let addresses = TileOracle(restaurants: Array(all.prefix(1)), limit: 2_000)
        .addresses(zoom: zoom)
      let tiles = try addresses.map { try engine.tile($0) }.filter { $0.count > 0 }
      #expect(tiles.map(\.count) == [2_500])
      let reader = try TileReader(tiles[0].bytes)
      #expect(reader.layers["restaurants"] == nil)
      let properties = try #require(reader.layers["clusters"]?.first).properties
      #expect(properties["point_count"] == .integer(2_500))
      #expect(properties["point_count_abbreviated"] == .text("2.5k"))
      #expect(properties["category"] == .text("Pub"))
      #expect(properties["category_share"] == .number(0.6))
      #expect(properties["expansion_zoom"] == .integer(22))
    }
  }

  @Test(arguments: [["Pub", "Thai", "Thai", "Pub"], ["Thai", "Pub", "Pub", "Thai"]])
  func `of equally frequent categories a cluster has that of the restaurant with the least id`(
    categories: [String]
  ) throws {
    let all = categories.enumerated().map { number, category in
      var restaurant = Restaurant.plain("r\(number)", at: .at(32.95, -96.82))
      restaurant.category = category
      return restaurant
    }
    let file = try TemporarySnapshot(of: all)
    let world = try #require(TileAddress(zoom: 0, x: 0, y: 0))
    let tile = try QueryEngine(file.snapshot).tile(world, limit: 3)
    let clusters = try #require(try TileReader(tile.bytes).layers["clusters"])
    #expect(clusters.map { $0.properties["category"] } == [.text(categories[0])])
  }

  @Test func `the zoom that splits a cluster counts what comes before its cell in the tile`() throws
  {
    // three in one cell of zoom 6, then two on one spot in the next one, which shares the tile of zoom 5
    let all = [1.0, 2, 3, 8, 8].enumerated().map {
      Restaurant.plain("r\($0.offset)", at: .at(50, $0.element))
    }
    let file = try TemporarySnapshot(of: all)
    let engine = QueryEngine(file.snapshot)
    try check(0, .all, TileOracle(restaurants: all, limit: 3), engine)
    let world = try #require(TileAddress(zoom: 0, x: 0, y: 0))
    let tile = try engine.tile(world, limit: 3)
    let clusters = try #require(try TileReader(tile.bytes).layers["clusters"])
    #expect(clusters.map { $0.properties["point_count"] } == [.integer(3), .integer(2)])
    #expect(clusters.last?.properties["expansion_zoom"] == .integer(6))
  }

  @Test(arguments: [
    (999, "999"), (1_000, "1k"), (1_049, "1k"), (1_050, "1.1k"), (9_949, "9.9k"), (9_950, "10k"),
    (12_345, "12k"), (999_499, "999k"), (999_500, "1M"), (1_250_000, "1.3M"), (10_000_000, "10M"),
  ])
  func `a count is written in four characters`(count: Int, text: String) {
    #expect(TileWriter.abbreviated(count) == text)
  }

  @Test func `there are no tiles beyond the pyramid`() {
    for (zoom, x, y) in [
      (-1, 0, 0), (23, 0, 0), (0, 1, 0), (0, 0, 1), (3, 8, 0), (3, 0, 8), (3, -1, 0), (3, 0, -1),
      (.max, 0, 0), (.min, 0, 0), (22, .max, 0), (22, 0, .max), (62, 0, 0), (64, 0, 0),
    ] {
      #expect(TileAddress(zoom: zoom, x: x, y: y) == nil)
    }
    #expect(TileAddress(zoom: 22, x: 1 << 22 - 1, y: 1 << 22 - 1) != nil)
  }

  @Test func `a deadline that has passed ends a tile of many restaurants`() throws {
    var random = MadeUpRestaurants(seed: 8)
    let file = try TemporarySnapshot(of: random.restaurants(40))
    let world = try #require(TileAddress(zoom: 0, x: 0, y: 0))
    #expect(throws: QueryTimeout.self) {
      try QueryEngine(file.snapshot).tile(
        world,
        limit: 3,
        until: Deadline(in: .zero)
      )
    }
  }
}
