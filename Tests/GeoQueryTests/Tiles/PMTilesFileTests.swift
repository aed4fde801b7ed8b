import Foundation
import GeoIndex
import Testing

@testable import GeoQuery

/// Files of tiles that others have made: sound, strange and damaged ones.
@Suite struct PMTilesFileTests {
  /// Opens bytes as a file whose parts are not compressed.
  private func open(_ bytes: [UInt8]) throws -> PMTilesFile {
    let place = FileManager.default.temporaryDirectory
      .appendingPathComponent("geoq-\(UUID().uuidString).pmtiles")
    try Data(bytes).write(to: place)
    defer { try? FileManager.default.removeItem(at: place) }
    return try PMTilesFile(TileFileBytes(path: place.path)) { $0.count <= $1 ? $0 : nil }
  }

  /// A file of some tiles.
  private func written(_ tiles: [(TileAddress, [UInt8])], zooms: ClosedRange<Int>) throws -> [UInt8]
  {
    var writer = PMTilesWriter(beside: "/nowhere/x") { $0 }
    for (address, tile) in tiles { try writer.add(address.hilbertNumber, tile) }
    var bytes: [UInt8] = []
    try writer.finish(zooms: zooms, bounds: TileBounds()) { bytes += $0 }
    return bytes
  }

  private func address(_ zoom: Int, _ x: Int, _ y: Int) throws -> TileAddress {
    try #require(TileAddress(zoom: zoom, x: x, y: y))
  }

  /// A header, then directories and tiles as they are given.
  private func file(
    root: [UInt8],
    leaves: [UInt8] = [],
    data: [UInt8] = [],
    change: (inout [UInt8]) -> Void = { _ in }
  ) -> [UInt8] {
    var bytes =
      PMTilesHeader.bytes(
        lengths: [root.count, 0, leaves.count, data.count],
        counts: [1, 1, 1],
        zooms: 0...5,
        bounds: TileBounds()
      ) + root + leaves + data
    change(&bytes)
    return bytes
  }

  private func directory(_ entries: [PMTilesDirectory.Entry]) -> [UInt8] {
    PMTilesDirectory.bytes(of: entries[...])
  }

  @Test(arguments: [10, 3_000, 40_000])
  func `tiles are read as they were written`(count: Int) throws {
    var random = SplitMix64(stream: "tile file \(count)")
    var tiles: [TileAddress: [UInt8]] = [:]
    for _ in 0..<count {
      let tile = try address(12, random.int(below: 1 << 12), random.int(below: 1 << 12))
      tiles[tile] = (0...random.int(below: 20)).map { UInt8(1 + $0 % 3) }
    }
    let sorted = tiles.sorted { $0.key.hilbertNumber < $1.key.hilbertNumber }
    let file = try open(written(sorted.map { ($0.key, $0.value) }, zooms: 12...12))
    #expect(file.info.format == .mvt && file.info.zooms == 12...12)
    #expect(file.info.name == "Restaurants" && file.info.vectorLayers != nil)
    for (tile, bytes) in sorted.prefix(2_000) { #expect(try file.tile(tile) == bytes) }
    for _ in 0..<500 {
      let tile = try address(12, random.int(below: 1 << 12), random.int(below: 1 << 12))
      #expect(try file.tile(tile) == tiles[tile])
      #expect(try file.tile(address(11, tile.x / 2, tile.y / 2)) == nil)
    }
  }

  @Test func `leaves that lead in a circle end`() throws {
    // a leaf whose only entry is itself
    var leaf = directory([.init(number: 0, offset: 0, length: 6, run: 0)])
    leaf += [0]
    let root = directory([.init(number: 0, offset: 0, length: UInt32(leaf.count), run: 0)])
    let circle = try open(file(root: root, leaves: leaf))
    #expect(throws: TileFileError.self) { try circle.tile(address(3, 1, 1)) }
  }

  @Test func `runs are as long as they say, and no tile is outside`() throws {
    let long = directory([.init(number: 0, offset: 0, length: 3, run: .max)])
    let sound = try open(file(root: long, data: [7, 8, 9]))
    #expect(try sound.tile(address(15, 5, 5)) == [7, 8, 9])
    #expect(try sound.tile(address(22, 5, 5)) == nil)
    for entry in [
      PMTilesDirectory.Entry(number: 0, offset: 1, length: 3, run: 1),
      .init(number: 0, offset: .max - 9, length: 3, run: 1),
      .init(number: 0, offset: 0, length: .max, run: 1),
      .init(number: 0, offset: 9, length: 3, run: 0),
      .init(number: 0, offset: 0, length: 0, run: 0),
    ] {
      let damaged = try open(file(root: directory([entry]), data: [7, 8, 9]))
      #expect(throws: TileFileError.self) { try damaged.tile(address(0, 0, 0)) }
    }
  }

  @Test(
    arguments: [
      [], [1], [0xFF], [2, 1, 0, 1, 1, 1, 1, 1, 1],
      [255, 255, 255, 255, 255, 255, 255, 255, 255, 1],
      [255, 255, 255, 255, 255, 255, 255, 255, 255, 2, 0, 0, 0],
      // a first entry that follows none; one entry that is cut
      [1, 0, 1, 1, 0], [1, 0, 1, 1],
      // numbers beyond 64 bits, and lengths and runs beyond 32
      [2, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1, 1, 1, 1, 1, 1, 1, 1],
      [1, 0, 128, 128, 128, 128, 16, 1, 1], [1, 0, 1, 128, 128, 128, 128, 16, 1],
    ] as [[UInt8]]
  )
  func `a directory that is damaged is refused`(root: [UInt8]) {
    #expect(throws: TileFileError.self) { try open(file(root: root)) }
  }

  @Test func `a file of another kind is refused in a sentence`() throws {
    let root = directory([.init(number: 0, offset: 0, length: 1, run: 1)])
    func reason(_ change: (inout [UInt8]) -> Void) -> String {
      do {
        _ = try open(file(root: root, data: [1], change: change))
        return ""
      } catch {
        return (error as? TileFileError)?.reason ?? "\(error)"
      }
    }
    #expect(reason { _ in } == "")
    #expect(reason { $0[0] = 0 } == "it is not a PMTiles file")
    #expect(reason { $0[7] = 2 }.hasPrefix("it is PMTiles 2"))
    #expect(reason { $0[97] = 4 }.hasPrefix("its compression is not gzip"))
    #expect(reason { $0[98] = 3 }.hasPrefix("its compression is not gzip"))
    #expect(reason { $0[99] = 9 }.hasPrefix("its tiles are neither"))
    #expect(reason { $0.removeLast(2) }.hasSuffix("it is truncated"))
    #expect(reason { $0 = Array($0.prefix(100)) }.hasSuffix("it is truncated"))
    #expect(reason { $0 = [] }.hasSuffix("it is truncated"))
    for offset in 8..<72 {
      #expect(reason { $0[offset] = 0xFF } != "", "byte \(offset)")
    }
    #expect(throws: TileFileError.self) { try TileFileBytes(path: "/nowhere/x.pmtiles") }
    #expect(throws: TileFileError.self) { try TileFileBytes(path: "/tmp") }
    #expect(throws: TileFileError.self) { try TileFileBytes(path: "/dev/zero") }
  }

  @Test func `zooms and bounds that do not exist are omitted`() throws {
    let root = directory([.init(number: 0, offset: 0, length: 1, run: 1)])
    let strange = try open(
      file(root: root, data: [1]) {
        $0[100] = 9
        $0[101] = 255
        for offset in 102..<106 { $0[offset] = 0x7F }
      }
    )
    #expect(strange.info.zooms == 9...22 && strange.info.bounds == nil)
    let turned = try open(file(root: root, data: [1]) { ($0[100], $0[101]) = (7, 3) })
    #expect(turned.info.zooms == 3...3)
  }

  @Test func `a file damaged anywhere gives an error or other bytes, and ends`() throws {
    var random = SplitMix64(stream: "damaged tile file")
    let tiles = try (0..<300).map { (try address(9, $0 % 20, $0 / 20), [UInt8($0 % 200), 1]) }
    let sorted = tiles.sorted { $0.0.hilbertNumber < $1.0.hilbertNumber }
    var sound = try written(sorted, zooms: 9...9)
    // the tiles are few: most damage is to what leads to them
    for round in 0..<3_000 {
      var bytes = sound
      for _ in 0...random.int(below: 3) {
        bytes[random.int(below: bytes.count)] = UInt8(random.int(below: 256))
      }
      if random.int(below: 4) == 0 { bytes.removeLast(random.int(below: bytes.count)) }
      guard let file = try? open(bytes) else { continue }
      for _ in 0..<5 {
        let tile = try address(9, random.int(below: 24), random.int(below: 24))
        let found = (try? file.tile(tile)) ?? []
        #expect(found.count <= sound.count, "round \(round), seed \(SplitMix64.seed)")
      }
    }
    sound.removeLast()
    #expect(throws: TileFileError.self) { try open(sound) }
  }
}
