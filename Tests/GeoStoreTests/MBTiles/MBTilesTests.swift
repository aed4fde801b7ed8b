import Foundation
import GRDB
import GeoIndex
import TestSupport
import Testing

@testable import GeoQuery
@testable import GeoStore

/// MBTiles that geoq writes, and those that others have made.
@Suite struct MBTilesTests {
  private let store: TemporaryStore

  init() throws {
    store = try TemporaryStore()
  }

  private var path: String { store.file("x.mbtiles") }

  private func written(_ engine: QueryEngine, _ wanted: TilesToFile) throws -> TilesInFile {
    try MBTilesWriter(path: path).write { add in try engine.makeTiles(wanted) { try add($0, $1) } }
  }

  private func open() throws -> MBTilesFile { try MBTilesFile(TileFileBytes(path: path)) }

  /// A database of others, from SQL.
  private func make(_ sql: String) throws {
    try? FileManager.default.removeItem(atPath: path)
    let queue = try DatabaseQueue(path: path)
    try queue.write { try $0.execute(sql: sql) }
    try queue.close()
  }

  @Test(arguments: RestaurantLayout.allCases)
  func `a file has the tiles that the engine makes, and no others`(
    layout: RestaurantLayout
  ) throws {
    var random = SplitMix64(stream: "mbtiles \(layout)")
    let all = layout.restaurants(count: 200, using: &random)
    let sources = try TemporaryStore(all)
    let engine = try sources.engine()
    var wanted = TilesToFile()
    wanted.limit = 20
    wanted.minZoom = 1
    wanted.maxZoom = 7
    var expected: [TileAddress: [UInt8]] = [:]
    let run = try engine.makeTiles(wanted) { expected[$0] = $1 }
    #expect(try written(engine, wanted) == run)
    #expect(run.tiles == expected.count && run.restaurants == 200)
    let file = try open()
    for (address, tile) in expected { #expect(try file.tile(address) == tile) }
    #expect(try file.tile(#require(TileAddress(zoom: 0, x: 0, y: 0))) == nil)
    #expect(file.info.format == .mvt && file.info.zooms == 1...7)
    #expect(file.info.name == "Restaurants" && file.info.vectorLayers?.contains("clusters") == true)
    let bounds = try #require(file.info.bounds)
    for restaurant in all {
      let (x, y) = (restaurant.coordinate.longitude, restaurant.coordinate.latitude)
      #expect(x == 180 || (bounds[0]...bounds[2]).contains(x))
      #expect(abs(y) > 85.05 || (bounds[1]...bounds[3]).contains(y))
    }
    let rows = try DatabaseQueue(path: path).read { db in
      try Int.fetchOne(db, sql: "SELECT count(*) FROM tiles") ?? 0
    }
    #expect(rows == expected.count)
  }

  @Test func `rows count from the south, and the same tiles are the same bytes`() throws {
    let sources = try TemporaryStore([.plain("r", at: .at(40, -100))])
    let engine = try sources.engine()
    var wanted = TilesToFile()
    wanted.maxZoom = 3
    _ = try written(engine, wanted)
    let first = try Data(contentsOf: URL(fileURLWithPath: path))
    let rows = try DatabaseQueue(path: path).read { db in
      try Row.fetchAll(db, sql: "SELECT zoom_level, tile_column, tile_row FROM tiles ORDER BY 1")
        .map { [$0[0], $0[1], $0[2]] as [Int] }
    }
    #expect(rows == [[0, 0, 0], [1, 0, 1], [2, 0, 2], [3, 1, 4]])
    try FileManager.default.removeItem(atPath: path)
    _ = try written(engine, wanted)
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == first)
  }

  @Test func `a file without a restaurant has no tile`() throws {
    let sources = try TemporaryStore([.plain("r", at: .at(40, -100))])
    var wanted = TilesToFile()
    wanted.filter = Filter(categories: ["none"])
    #expect(try written(sources.engine(), wanted).tiles == 0)
    #expect(try open().tile(#require(TileAddress(zoom: 0, x: 0, y: 0))) == nil)
  }

  @Test func `a folder that is not there is an error, and one of the body is passed on`() throws {
    struct Stop: Error {}
    #expect(throws: StoreError.self) {
      try MBTilesWriter(path: "/nowhere/x.mbtiles").write { _ in throw Stop() }
    }
    #expect(throws: Stop.self) { try MBTilesWriter(path: path).write { _ in throw Stop() } }
  }

  private static let tables = """
    CREATE TABLE metadata (name, value);
    CREATE TABLE tiles (zoom_level, tile_column, tile_row, tile_data);
    """

  @Test func `metadata may be missing or strange`() throws {
    try make(Self.tables + "INSERT INTO tiles VALUES (3, 1, 2, x'0102'), (5, 0, 0, x'03');")
    let plain = try open()
    #expect(plain.info.format == .png && plain.info.zooms == 3...5 && plain.info.bounds == nil)
    #expect(try plain.tile(#require(TileAddress(zoom: 3, x: 1, y: 5))) == [1, 2])
    try make(
      Self.tables
        + """
        INSERT INTO metadata VALUES ('format', 'jpeg'), ('bounds', '-10, -5,10,5'), ('name', 7),
          ('minzoom', '-9223372036854775808'), ('maxzoom', '99'), (NULL, NULL), (x'FF', 'a'),
          ('attribution', '<b>me'), ('json', '{"vector_layers":');
        """
    )
    let strange = try open()
    #expect(strange.info.format == .jpeg && strange.info.zooms == 0...22)
    #expect(strange.info.bounds == [-10, -5, 10, 5])
    #expect(strange.info.attribution == "<b>me" && strange.info.vectorLayers == nil)
  }

  @Test(
    arguments: [
      "CREATE TABLE other (a);", "CREATE TABLE metadata (name, value);",
      "CREATE TABLE metadata (name, value); CREATE TABLE tiles (a);",
      "CREATE TABLE metadata (a); CREATE TABLE tiles (zoom_level, tile_column, tile_row, tile_data);",
      tables + "INSERT INTO metadata VALUES ('format', 'tiff');",
      // views that never end
      """
      CREATE VIEW metadata AS WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r)
        SELECT 'a' AS name, max(n) AS value FROM r;
      CREATE TABLE tiles (zoom_level, tile_column, tile_row, tile_data);
      """,
    ]
  )
  func `a file that is not MBTiles is refused`(sql: String) throws {
    try make(sql)
    #expect(throws: TileFileError.self) { try open() }
  }

  @Test func `tiles that are none, too long or never end are errors`() throws {
    let first = try #require(TileAddress(zoom: 0, x: 0, y: 0))
    for (value, isError) in [
      ("'text'", false), ("7", true), ("NULL", false), ("x''", false), ("zeroblob(5000000)", true),
      ("zeroblob(4000000)", false),
    ] {
      try make(Self.tables + "INSERT INTO tiles VALUES (0, 0, 0, \(value));")
      let file = try open()
      #expect((try? file.tile(first)) == nil || !isError, "\(value)")
    }
    try make(
      """
      CREATE TABLE metadata (name, value);
      INSERT INTO metadata VALUES ('minzoom', '0'), ('maxzoom', '3');
      CREATE VIEW tiles AS WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r)
        SELECT 0 AS zoom_level, 0 AS tile_column, 0 AS tile_row, max(n) AS tile_data FROM r;
      """
    )
    let endless = try open()
    for _ in 0..<2 { #expect(throws: TileFileError.self) { try endless.tile(first) } }
  }

  @Test func `a file damaged anywhere gives an error or other bytes, and ends`() throws {
    var random = SplitMix64(stream: "damaged mbtiles")
    let sources = try TemporaryStore(RestaurantLayout.city.restaurants(count: 400, using: &random))
    var wanted = TilesToFile()
    wanted.limit = 5
    wanted.maxZoom = 14
    _ = try written(sources.engine(), wanted)
    let sound = Array(try Data(contentsOf: URL(fileURLWithPath: path)))
    for _ in 0..<400 {
      var bytes = sound
      for _ in 0...random.int(below: 20) {
        // most faults in the first pages, which lead to the others
        let end = random.int(below: 2) == 0 ? min(8_192, bytes.count) : bytes.count
        bytes[random.int(below: end)] = UInt8(random.int(below: 256))
      }
      if random.int(below: 4) == 0 { bytes.removeLast(random.int(below: bytes.count)) }
      try Data(bytes).write(to: URL(fileURLWithPath: path))
      guard let file = try? open() else { continue }
      for zoom in 0...14 {
        let x = (1 << zoom) * 2311 / 10_000
        guard let address = TileAddress(zoom: zoom, x: x, y: (1 << zoom) * 4 / 10) else { continue }
        _ = try? file.tile(address)
      }
    }
  }
}
