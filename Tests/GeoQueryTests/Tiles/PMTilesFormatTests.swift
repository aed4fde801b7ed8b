import GeoIndex
import TestSupport
import Testing

@testable import GeoQuery

/// Numbers, directories and contents of PMTiles.
@Suite struct PMTilesFormatTests {
  /// Row by row from the north, as the reference implementation numbers them.
  private static let published: [[[UInt64]]] = [
    [[0]],
    [[1, 4], [2, 3]],
    [[5, 6, 19, 20], [8, 7, 18, 17], [9, 12, 13, 16], [10, 11, 14, 15]],
    [
      [21, 24, 25, 26, 79, 80, 81, 84], [22, 23, 28, 27, 78, 77, 82, 83],
      [35, 34, 29, 30, 75, 76, 71, 70], [36, 33, 32, 31, 74, 73, 72, 69],
      [37, 38, 51, 52, 53, 54, 67, 68], [40, 39, 50, 49, 56, 55, 66, 65],
      [41, 44, 45, 48, 57, 60, 61, 64], [42, 43, 46, 47, 58, 59, 62, 63],
    ],
  ]

  @Test func `tiles have the published numbers`() throws {
    for (zoom, rows) in Self.published.enumerated() {
      for (y, row) in rows.enumerated() {
        for (x, number) in row.enumerated() {
          #expect(TileAddress(zoom: zoom, x: x, y: y)?.hilbertNumber == number)
        }
      }
    }
    #expect(TileAddress(zoom: 12, x: 3_423, y: 1_763)?.hilbertNumber == 19_078_479)
    #expect(TileAddress(zoom: 22, x: 1 << 22 - 1, y: 0)?.hilbertNumber == 23_456_248_059_220)
  }

  @Test func `numbers and addresses are one to one`() throws {
    var random = SplitMix64(stream: "hilbert")
    for _ in 0..<2_000 {
      let zoom = random.int(below: 23)
      let (x, y) = (random.int(below: 1 << zoom), random.int(below: 1 << zoom))
      let address = try #require(TileAddress(zoom: zoom, x: x, y: y))
      let found = PMTilesReader.address(address.hilbertNumber)
      #expect(found == .init(zoom: zoom, x: x, y: y), "seed \(SplitMix64.seed)")
    }
  }

  @Test(
    arguments: [
      (0, [0]), (127, [127]), (128, [128, 1]), (300, [0xAC, 2]), (16_384, [128, 128, 1]),
      (.max, [255, 255, 255, 255, 255, 255, 255, 255, 255, 1]),
    ] as [(UInt64, [UInt8])]
  )
  func `a number has seven bits a byte`(number: UInt64, bytes: [UInt8]) {
    var buffer = ProtocolBuffer()
    buffer.number(number)
    #expect(buffer.bytes == bytes)
  }

  @Test func `a directory is numbers, runs, lengths and offsets`() {
    let entries = [
      PMTilesDirectory.Entry(number: 5, offset: 0, length: 300, run: 2),
      PMTilesDirectory.Entry(number: 8, offset: 300, length: 10, run: 1),
      PMTilesDirectory.Entry(number: 9, offset: 0, length: 300, run: 1),
    ]
    #expect(
      PMTilesDirectory.bytes(of: entries[...]) == [
        3, 5, 3, 1, 2, 1, 1, 0xAC, 2, 10, 0xAC, 2, 1, 0, 1,
      ]
    )
  }

  @Test(arguments: [1, 2, 3_000, 5_000, 60_000], [1, 7, 4_096])
  func `a directory of any size is read unchanged, with a small root`(
    count: Int,
    leafSize: Int
  ) throws {
    var random = SplitMix64(stream: "directory \(count) \(leafSize)")
    var entries: [PMTilesDirectory.Entry] = []
    var (number, end): (UInt64, UInt64) = (0, 0)
    for _ in 0..<count {
      number += UInt64(1 + random.int(below: 1 << 20))
      let length = UInt32(1 + random.int(below: 1 << 16))
      let isRepeated = random.int(below: 4) == 0 && !entries.isEmpty
      let old = entries.isEmpty ? nil : entries[random.int(below: entries.count)]
      let entry = PMTilesDirectory.Entry(
        number: number,
        offset: isRepeated ? old?.offset ?? 0 : end,
        length: isRepeated ? old?.length ?? 0 : length,
        run: UInt32(1 + random.int(below: 3))
      )
      if !isRepeated { end += UInt64(length) }
      number += UInt64(entry.run)
      entries.append(entry)
    }
    let directory = PMTilesDirectory.divided(entries, leafSize: leafSize) { $0 }
    #expect(directory.root.count <= 16_257)
    var found: [PMTilesReader.Entry] = []
    for entry in try PMTilesReader.entries(directory.root[...]) {
      guard entry.run == 0 else {
        found.append(entry)
        continue
      }
      let (start, length) = (Int(entry.offset), Int(entry.length))
      found += try PMTilesReader.entries(directory.leaves[start..<start + length])
    }
    #expect(directory.leaves.isEmpty == (count <= 2))
    let expected = entries.map {
      PMTilesReader.Entry(
        number: $0.number,
        offset: $0.offset,
        length: UInt64($0.length),
        run: UInt64($0.run)
      )
    }
    #expect(found == expected, "seed \(SplitMix64.seed)")
  }

  @Test func `tiles in a row with the same bytes are a run`() throws {
    var writer = PMTilesWriter(beside: "/nowhere/x") { $0 }
    for (number, tile) in [(5, 1), (6, 1), (7, 2), (8, 1), (10, 1)] as [(UInt64, UInt8)] {
      try writer.add(number, [tile])
    }
    var bytes: [UInt8] = []
    try writer.finish(zooms: 2...2, bounds: TileBounds()) { bytes += $0 }
    let reader = try PMTilesReader(bytes)
    #expect(reader.counts == [5, 4, 2])
    #expect(reader.entries.map(\.run) == [2, 1, 1, 1])
    #expect(reader.entries.map(\.offset) == [0, 1, 0, 0])
  }

  @Test func `numbers that do not ascend are refused`() throws {
    var writer = PMTilesWriter(beside: "/nowhere/x") { $0 }
    try writer.add(5, [1])
    #expect(throws: SnapshotError.self) { try writer.add(5, [2]) }
    #expect(throws: SnapshotError.self) { try writer.add(4, [2]) }
  }
}
