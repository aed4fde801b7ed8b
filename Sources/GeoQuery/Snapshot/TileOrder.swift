import GeoIndex

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
  /// The number of places.
  let count: Int

  private let keySection: MappedSection
  private let positionSection: MappedSection
  private let codeSection: MappedSection
  private let sumSection: MappedSection

  /// The number of places that share a sum.
  private static let block = 64

  /// Opens a snapshot's order; nil if its sections do not have the lengths for `count` restaurants.
  init?(of file: SectionFile, count: Int) {
    guard let keys = file.section("tile.k"), keys.bytes.count == count * 8,
      let positions = file.section("tile.o"), positions.bytes.count == count * 4,
      let codes = file.section("tile.c"), codes.bytes.count == count * 4,
      let sums = file.section("tile.s"), sums.bytes.count == (count / Self.block + 1) * 16
    else { return nil }
    self.count = count
    keySection = keys
    positionSection = positions
    codeSection = codes
    sumSection = sums
  }

  /// The cells' keys by place, valid while the sections are mapped, like the arrays below.
  ///
  /// A damaged file may contain any numbers.
  var keys: UnsafeBufferPointer<UInt64> { keySection.bytes.bindMemory(to: UInt64.self) }

  /// The positions by place.
  var positions: UnsafeBufferPointer<UInt32> { positionSection.bytes.bindMemory(to: UInt32.self) }

  /// The numbers of the categories by place.
  var codes: UnsafeBufferPointer<UInt32> { codeSection.bytes.bindMemory(to: UInt32.self) }

  /// Calls a closure while the sections are mapped.
  func whileMapped<Result>(_ body: () throws -> Result) rethrows -> Result {
    try withExtendedLifetime(keySection, body)
  }

  /// The sums of the columns and rows of all places before a place in 0...count.
  func sums(before place: Int) -> (columns: UInt64, rows: UInt64) {
    let block = place / Self.block
    let sums = sumSection.bytes.bindMemory(to: UInt64.self)
    var (columns, rows) = (sums[block * 2], sums[block * 2 + 1])
    let keys = self.keys
    for place in block * Self.block..<place {
      columns &+= WebMercator.column(of: keys[place])
      rows &+= WebMercator.row(of: keys[place])
    }
    return (columns, rows)
  }

  /// The fault of the order; nil if there is none.
  func fault(_ snapshot: Snapshot, _ categories: CodeColumn) -> String? {
    whileMapped {
      let (keys, positions, codes) = (self.keys, self.positions, self.codes)
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
}
