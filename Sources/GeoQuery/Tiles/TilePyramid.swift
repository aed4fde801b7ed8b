/// The non-empty tiles of some restaurants, zoom by zoom.
///
/// A tile without restaurants has no tiles below it, so only the four tiles below each tile are
/// checked. Valid as long as the members.
struct TilePyramid {
  private let snapshot: Snapshot
  private let members: TileMembers
  private let options: TileOptions

  /// The tiles of the current zoom, ascending by number.
  private var tiles: [Tile] = []

  /// The current zoom.
  private(set) var zoom = 0

  private struct Tile {
    /// Its number in PMTiles.
    let number: UInt64

    /// The first index of its range.
    let start: UInt32
    let end: UInt32

    var places: Range<Int> { Int(start)..<Int(end) }
  }

  /// The pyramid at zoom 0.
  init(_ snapshot: Snapshot, _ members: TileMembers, _ options: TileOptions) {
    self.snapshot = snapshot
    self.members = members
    self.options = options
    addTiles(of: members)
  }

  /// Goes to the next zoom.
  ///
  /// - Complexity: O(t log n) for t tiles.
  mutating func descend() {
    let parents = tiles
    tiles.removeAll(keepingCapacity: true)
    zoom += 1
    for parent in parents { addTiles(of: members.at(parent.places)) }
  }

  /// Adds the tiles of the current zoom that contain restaurants of a tile of the previous zoom.
  private mutating func addTiles(of parent: TileMembers) {
    let first = tiles.count
    let shift = TileSearch.shift(ofLevel: zoom)
    parent.visitCells(shift: shift) { places in
      // a damaged file may contain any key
      guard let address = address(of: places) else { return }
      tiles.append(
        Tile(
          number: address.hilbertNumber,
          start: UInt32(places.lowerBound),
          end: UInt32(places.upperBound)
        )
      )
    }
    // the four tiles below one tile are consecutive in both orders
    tiles[first...].sort { $0.number < $1.number }
  }

  private func address(of places: Range<Int>) -> TileAddress? {
    let prefix = members.keys[places.lowerBound] >> TileSearch.shift(ofLevel: zoom)
    return TileAddress(
      zoom: zoom,
      x: Int(WebMercator.column(of: prefix)),
      y: Int(WebMercator.row(of: prefix))
    )
  }

  /// Whether no tile of the current zoom has a cluster.
  var showsEach: Bool {
    let shift = TileSearch.shift(ofLevel: zoom + TileSearch.cellLevels)
    return tiles.allSatisfy { tile in
      let places = tile.places
      if places.count <= options.limit { return true }
      guard places.count <= 1 << (2 * TileSearch.cellLevels) else { return false }
      var cells = 0
      members.at(places).visitCells(shift: shift) { _ in cells += 1 }
      return cells == places.count
    }
  }

  /// Makes the tiles of the current zoom, ascending by number.
  func visitTiles(_ body: (TileAddress, _ bytes: [UInt8]) throws -> Void) throws {
    for tile in tiles {
      guard let address = address(of: tile.places) else { continue }
      let search = TileSearch(snapshot, address, options)
      try body(address, search.tile(of: members.at(tile.places), until: nil).bytes)
    }
  }
}

extension TileAddress {
  /// The number of the tile in PMTiles: after all tiles of smaller zooms, along a Hilbert curve.
  ///
  /// D. Hilbert, Math. Annalen 38, 1891; PMTiles 3, §4.1.
  var hilbertNumber: UInt64 {
    var number = Self.firstNumber(ofZoom: zoom)
    var (x, y) = (x, y)
    for level in (0..<zoom).reversed() {
      let side = 1 << level
      let (right, down) = (x & side != 0, y & side != 0)
      let quarter: UInt64 = right ? (down ? 2 : 3) : (down ? 1 : 0)
      number += quarter << UInt64(2 * level)
      (x, y) = (x & (side - 1), y & (side - 1))
      guard !down else { continue }
      // the curve is rotated in the upper quarters
      if right { (x, y) = (side - 1 - x, side - 1 - y) }
      swap(&x, &y)
    }
    return number
  }

  /// The number of tiles at smaller zooms.
  static func firstNumber(ofZoom zoom: Int) -> UInt64 { (1 << UInt64(2 * zoom) - 1) / 3 }
}
