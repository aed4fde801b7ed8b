import Foundation
package import GeoIndex

/// The restaurants in the order of their cells in Web Mercator (`WebMercator.key`), then by position.
///
/// A tile, and a cell of any zoom, is a range of places in this order. Its count is therefore a
/// subtraction, without reading the restaurants in it.
///
/// Sections, a number for each place: `tile.k` (the cell's key, 64 bits), `tile.o` (the position, 32 bits),
/// `tile.c` (the number of the category in its `CodeColumn`, 32 bits). `tile.s` has for every 64th place,
/// 0...count, two 64-bit sums: the columns and the rows of all places before it.
///
/// The alternative was to keep sums of positions and categories in the nodes of the tree. This order is exact
/// at cell boundaries, which the tree's boxes are not, and needs no search. In a prototype over ten million
/// restaurants at zoom 0, reading the categories took 28 ms; reading the keys too, for the mean positions,
/// took 99 ms. The sums avoid that. 16.25 bytes a restaurant.
struct TileOrder: Sendable {
  /// The cells' keys by place; a damaged file may contain any numbers, here and below.
  let keys: NumberColumn<UInt64>

  /// The positions by place.
  let positions: NumberColumn<UInt32>

  /// The numbers of the categories by place.
  let codes: NumberColumn<UInt32>

  private let sums: NumberColumn<UInt64>

  /// The number of places that share a sum.
  private static let block = 64

  /// Opens a snapshot's order; nil if its sections do not have the lengths for `count` restaurants.
  init?(of file: SectionFile, count: Int) {
    let sumCount = (count / Self.block + 1) * 2
    guard let keys = NumberColumn<UInt64>("tile.k", of: file, count: count),
      let positions = NumberColumn<UInt32>("tile.o", of: file, count: count),
      let codes = NumberColumn<UInt32>("tile.c", of: file, count: count),
      let sums = NumberColumn<UInt64>("tile.s", of: file, count: sumCount)
    else { return nil }
    self.keys = keys
    self.positions = positions
    self.codes = codes
    self.sums = sums
  }

  var count: Int { keys.count }

  func whileMapped<Result>(_ body: () throws -> Result) rethrows -> Result {
    try keys.whileMapped(body)
  }

  /// The sums of the columns and rows of all places before a place in 0...count.
  func sums(before place: Int) -> (columns: UInt64, rows: UInt64) {
    let block = place / Self.block
    var (columns, rows) = (sums[block * 2], sums[block * 2 + 1])
    let keys = keys.all
    for place in block * Self.block..<place {
      columns &+= WebMercator.column(of: keys[place])
      rows &+= WebMercator.row(of: keys[place])
    }
    return (columns, rows)
  }

  func fault(_ snapshot: Snapshot, _ categories: CodeColumn) -> String? {
    whileMapped {
      let (keys, positions, codes) = (keys.all, positions.all, codes.all)
      var (columns, rows): (UInt64, UInt64) = (0, 0)
      for place in 0..<count {
        let position = Int(positions[place])
        guard position < count, keys[place] == WebMercator.key(of: snapshot.tree[position]),
          place == 0 || (keys[place - 1], positions[place - 1]) < (keys[place], positions[place]),
          place % Self.block != 0 || sums(before: place) == (columns, rows),
          codes[place] == categories.code(at: position).map(UInt32.init) ?? CodeColumn.none
        else { return "the order of the map's cells is wrong from position \(place) on" }
        columns &+= WebMercator.column(of: keys[place])
        rows &+= WebMercator.row(of: keys[place])
      }
      return sums(before: count) == (columns, rows)
        ? nil : "the sums of the map's cells are wrong"
    }
  }

  /// Writes the sections.
  ///
  /// The keys of the cells and the numbers of the categories are by position. O(n log n) time, and
  /// 36 bytes a restaurant while it works.
  static func write(
    keys: SpillFile,
    categories: SpillFile,
    to file: inout SectionFileWriter
  ) throws(SnapshotError) {
    let (ordered, positions) = try keys.withBytes { (keys) in
      sorted(keys.bindMemory(to: UInt64.self))
    }
    try file.write(ordered, as: "tile.k")
    try file.write(positions, as: "tile.o")
    let codes = try categories.withBytes { (codes) in
      positions.map { codes.bindMemory(to: UInt32.self)[Int($0)] }
    }
    try file.write(codes, as: "tile.c")
    try file.write(sums(of: ordered), as: "tile.s")
  }

  /// The sorted keys with their positions; positions with the same key ascend.
  private static func sorted(
    _ keys: UnsafeBufferPointer<UInt64>
  ) -> (keys: [UInt64], positions: [UInt32]) {
    let places = zip(keys, 0..<UInt32(keys.count)).sorted { ($0.0, $0.1) < ($1.0, $1.1) }
    return (places.map(\.0), places.map(\.1))
  }

  /// The sums of all places before each block of 64, and at the end if the last block is whole.
  private static func sums(of keys: [UInt64]) -> [UInt64] {
    var sums: [UInt64] = []
    var (columns, rows): (UInt64, UInt64) = (0, 0)
    for (place, key) in keys.enumerated() {
      if place % 64 == 0 { sums += [columns, rows] }
      columns &+= WebMercator.column(of: key)
      rows &+= WebMercator.row(of: key)
    }
    return keys.count % 64 == 0 ? sums + [columns, rows] : sums
  }
}

/// The square that map tiles divide: the world in Web Mercator (EPSG:3857), x to the east and y to the
/// south, both from 0 to 1.
///
/// A longitude of 180 counts as -180. Latitudes beyond ±85.0511 are outside the square, and count in
/// its first or last row.
package enum WebMercator {
  /// The zoom of the finest cells: 2³⁰ to a side, each 3.7 cm wide at the equator.
  static let depth = 30

  /// The point of a coordinate in the square; y is 0 or 1 outside it.
  package static func place(of coordinate: Coordinate) -> (x: Double, y: Double) {
    let longitude = coordinate.longitude == 180 ? -180 : coordinate.longitude
    return ((longitude + 180) / 360, y(ofLatitude: coordinate.latitude))
  }

  /// The y of a latitude in -90...90, in 0...1.
  static func y(ofLatitude latitude: Double) -> Double {
    let y = 0.5 - atanh(sin(latitude * .pi / 180)) / (2 * .pi)
    return min(max(y, 0), 1)
  }

  /// The number of the finest cell that contains a coordinate.
  ///
  /// It has the bits of the cell's row and column in turn, the row's first: a Morton number (IBM, 1966).
  /// All cells inside a tile start with the same bits, two for each zoom level.
  package static func key(of coordinate: Coordinate) -> UInt64 {
    let (x, y) = place(of: coordinate)
    return key(column: cell(x), row: cell(y))
  }

  /// The number of a cell by its column and row.
  static func key(column: UInt64, row: UInt64) -> UInt64 { spread(column) | spread(row) << 1 }

  static func column(of key: UInt64) -> UInt64 { squeeze(key) }

  static func row(of key: UInt64) -> UInt64 { squeeze(key >> 1) }

  private static func cell(_ place: Double) -> UInt64 {
    let side = Double(1 << depth)
    return UInt64(min((place * side).rounded(.down), side - 1))
  }

  /// Puts a zero before each bit.
  private static func spread(_ number: UInt64) -> UInt64 {
    var bits = number
    bits = (bits | bits << 16) & 0x0000_FFFF_0000_FFFF
    bits = (bits | bits << 8) & 0x00FF_00FF_00FF_00FF
    bits = (bits | bits << 4) & 0x0F0F_0F0F_0F0F_0F0F
    bits = (bits | bits << 2) & 0x3333_3333_3333_3333
    return (bits | bits << 1) & 0x5555_5555_5555_5555
  }

  /// Extracts every second bit.
  private static func squeeze(_ number: UInt64) -> UInt64 {
    var bits = number & 0x5555_5555_5555_5555
    bits = (bits | bits >> 1) & 0x3333_3333_3333_3333
    bits = (bits | bits >> 2) & 0x0F0F_0F0F_0F0F_0F0F
    bits = (bits | bits >> 4) & 0x00FF_00FF_00FF_00FF
    bits = (bits | bits >> 8) & 0x0000_FFFF_0000_FFFF
    return (bits | bits >> 16) & 0xFFFF_FFFF
  }
}
