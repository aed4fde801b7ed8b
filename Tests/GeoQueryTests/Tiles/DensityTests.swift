import GeoIndex
import Testing

@testable import GeoQuery

/// Counts of cells and pixels, by looking at every restaurant.
@Suite struct DensityTests {
  @Test(arguments: RestaurantLayout.allCases)
  func `cells have the counts of brute force`(layout: RestaurantLayout) throws {
    var random = SplitMix64(stream: "density \(layout)")
    let all = layout.restaurants(count: 300, using: &random)
    let snapshot = try TemporarySnapshot(of: all)
    let engine = QueryEngine(snapshot.snapshot)
    for round in 0..<60 {
      let zoom = random.int(below: round % 3 == 0 ? 23 : 6)
      let cells = CellRange(box(round, &random), zoom: zoom)
      let filter = round % 2 == 0 ? .all : Filter(categories: ["Thai"])
      // those so close to an edge that rounding decides are in one of two cells
      var (expected, doubtful): ([TileOracle.Cell: Int], Int) = ([:], 0)
      for restaurant in all where round % 2 == 0 || restaurant.category == "Thai" {
        guard let cell = TileOracle.cell(of: restaurant, zoom: zoom) else {
          doubtful += 1
          continue
        }
        let isIn =
          cells.rows.contains(cell.row) && cells.columns.contains { $0.contains(cell.column) }
        if isIn { expected[cell, default: 0] += 1 }
      }
      let found = try engine.density(in: cells, matching: filter)
      let total = found.reduce(0) { $0 + $1.count }
      let sum = expected.values.reduce(0, +)
      #expect((sum...sum + doubtful).contains(total), "\(cells), seed \(SplitMix64.seed)")
      for cell in found where doubtful == 0 {
        let place = TileOracle.Cell(zoom: zoom, column: cell.x, row: cell.y)
        #expect(expected[place] == cell.count, "\(place), seed \(SplitMix64.seed)")
      }
      #expect(found.map { [$0.y, $0.x] }.lexicographicallyOrdered)
    }
    let world = try engine.density(in: CellRange(.world, zoom: 4))
    #expect(world.reduce(0) { $0 + $1.count } == all.count)
  }

  private func box(_ round: Int, _ random: inout SplitMix64) -> BoundingBox {
    let boxes: [BoundingBox?] = [
      .world, BoundingBox(west: 179.9, south: -30, east: -179.9, north: 30),
      BoundingBox(west: 180, south: -90, east: -170, north: 90),
      BoundingBox(west: 170, south: -90, east: 180, north: 90),
      BoundingBox(west: -97, south: 32, east: -96, north: 34),
      BoundingBox(west: 180, south: 0, east: 180, north: 0),
      BoundingBox(west: -180, south: 85.2, east: 180, north: 90),
    ]
    if round < boxes.count, let box = boxes[round] { return box }
    let (one, other) = (random.coordinate(), random.coordinate())
    return BoundingBox(
      west: one.longitude,
      south: min(one.latitude, other.latitude),
      east: other.longitude,
      north: max(one.latitude, other.latitude)
    ) ?? .world
  }

  @Test func `the cells of a box are those that it touches`() throws {
    func cells(_ sides: [Double], _ zoom: Int) throws -> [[Int]] {
      let box = try #require(
        BoundingBox(west: sides[0], south: sides[1], east: sides[2], north: sides[3])
      )
      let range = CellRange(box, zoom: zoom)
      return range.columns.map { [$0.lowerBound, $0.upperBound] }
        + [[range.rows.lowerBound, range.rows.upperBound]]
    }
    #expect(try cells([-180, -90, 180, 90], 2) == [[0, 3], [0, 3]])
    #expect(try cells([-90, 0, 0, 10], 2) == [[1, 2], [1, 2]])
    #expect(try cells([170, 1, -170, 2], 3) == [[0, 0], [7, 7], [3, 3]])
    #expect(try cells([10, 1, 9, 2], 3) == [[0, 7], [3, 3]])
    #expect(try cells([180, 1, 180, 2], 3) == [[0, 0], [3, 3]])
    #expect(try cells([180, 1, -180, 2], 3) == [[0, 0], [3, 3]])
    #expect(try cells([180, 1, -100, 2], 3) == [[0, 1], [3, 3]])
    #expect(try cells([100, 1, -180, 2], 3) == [[0, 0], [6, 7], [3, 3]])
    #expect(try cells([100, 1, 180, 2], 3) == [[6, 7], [3, 3]])
    #expect(CellRange.fitting(.world, atMost: 4_096).zoom == 6)
    #expect(CellRange.fitting(.world, atMost: 0).zoom == 0)
    let point = try #require(BoundingBox(west: 1, south: 1, east: 1, north: 1))
    #expect(CellRange.fitting(point, atMost: 1).zoom == 22)
  }

  @Test(arguments: RestaurantLayout.allCases)
  func `pixels have the counts of brute force`(layout: RestaurantLayout) throws {
    var random = SplitMix64(stream: "pixels \(layout)")
    let all = layout.restaurants(count: 400, using: &random)
    let snapshot = try TemporarySnapshot(of: all)
    let engine = QueryEngine(snapshot.snapshot)
    for round in 0..<12 {
      let box = box(round, &random)
      guard let grid = PixelGrid(box, width: 1 + random.int(below: 80), maximumHeight: 20_000)
      else { continue }
      let counts = try engine.counts(in: grid)
      #expect(counts.count == grid.width * grid.height)
      let inside = all.count { restaurant in
        box.contains(restaurant.coordinate)
          && (restaurant.coordinate.longitude != 180 || box.west <= -180 || box.east == 180
            || box.crossesAntimeridian)
      }
      // Web Mercator ends before the poles: what lies beyond is at its edge, in or out
      let polar = all.count { abs($0.coordinate.latitude) > 85 }
      let total = Int(counts.reduce(0, +))
      #expect(abs(total - inside) <= polar, "\(box), seed \(SplitMix64.seed)")
    }
    let grid = try #require(PixelGrid(.world, width: 64, maximumHeight: 64))
    #expect(grid.height == 64)
    let counts = try engine.counts(in: grid)
    let cells = try engine.density(in: CellRange(.world, zoom: 6))
    #expect(counts.filter { $0 > 0 }.count == cells.count)
    for cell in cells { #expect(Int(counts[cell.y * 64 + cell.x]) == cell.count) }
  }

  @Test func `a box without area, and a picture that is too high, are none`() throws {
    let line = try #require(BoundingBox(west: 0, south: 0, east: 0, north: 10))
    let flat = try #require(BoundingBox(west: 0, south: 5, east: 1, north: 5))
    let high = try #require(BoundingBox(west: 0, south: -80, east: 1, north: 80))
    let polar = try #require(BoundingBox(west: 0, south: 86, east: 1, north: 88))
    for box in [line, flat, high, polar] {
      #expect(PixelGrid(box, width: 100, maximumHeight: 8_192) == nil)
    }
  }

  @Test func `a hill is round, and darkest where restaurants are`() {
    var counts = [UInt32](repeating: 0, count: 21 * 21)
    counts[10 * 21 + 10] = 1
    let picture = HeatPicture(counts, width: 21, radius: 8)
    #expect(picture.pixels[10 * 21 + 10] == 255)
    #expect(picture.pixels[10 * 21 + 14] == picture.pixels[14 * 21 + 10])
    #expect(picture.pixels[10 * 21 + 6] == picture.pixels[10 * 21 + 14])
    #expect(picture.pixels[10 * 21 + 12] > picture.pixels[10 * 21 + 14])
    #expect(picture.pixels[0] == 0)
    // log(1 + exp(-9/8)) of log(2), and log(2) of log(4)
    #expect((103...104).contains(picture.pixels[10 * 21 + 14]))
    let flat = HeatPicture([1, 0, 3], width: 3, radius: 0).pixels
    #expect((127...128).contains(flat[0]) && flat[1...] == [0, 255])
    #expect(HeatPicture(counts, width: 21, radius: 0).pixels.filter { $0 > 0 } == [255])
    #expect(HeatPicture([0, 0], width: 2, radius: 8).pixels == [0, 0])
    // the light that people see falls with every color
    let light = HeatPicture.palette.map { 0.3 * Double($0[0]) + 0.6 * Double($0[1]) }
    #expect(HeatPicture.palette.count == 256)
    #expect(zip(light, light.dropFirst(8)).allSatisfy { $0 > $1 })
  }
}

extension [[Int]] {
  fileprivate var lexicographicallyOrdered: Bool {
    zip(self, dropFirst()).allSatisfy { $0.lexicographicallyPrecedes($1) }
  }
}
