import Foundation
package import GeoIndex

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

/// The tiles to write to a file.
package struct TilesToFile {
  /// The filter.
  package var filter = Filter.all

  /// The box that restaurants must be in; nil for the whole world.
  package var box: BoundingBox?

  /// The minimum zoom.
  package var minZoom = 0

  /// The maximum zoom, at least `minZoom`.
  ///
  /// If nil, it is the first zoom at which no tile has a cluster, but at most 14 or `minZoom`.
  package var maxZoom: Int?

  /// The contents of each tile.
  package var options = TileOptions()

  /// All restaurants at all necessary zooms.
  package init() {}
}

/// The counts of a file of tiles.
package struct TilesInFile: Sendable, Hashable {
  /// The number of restaurants.
  package let restaurants: Int

  /// The number of tiles.
  package let tiles: Int

  /// Their zooms.
  package let zooms: ClosedRange<Int>
}

/// The result of making the tiles of a file.
package struct TileRun {
  /// The counts and zooms.
  package let written: TilesInFile

  /// The box around all restaurants.
  package let bounds: TileBounds
}

extension QueryEngine {
  /// The maximum zoom that is chosen from the data.
  private static let maximumChosenZoom = 14

  /// Makes the tiles of a file, zoom by zoom, each zoom along a Hilbert curve.
  ///
  /// Each tile is that of `tile(_:matching:options:until:)`. Tiles without restaurants are omitted.
  ///
  /// - Parameters:
  ///   - wanted: The tiles to make.
  ///   - progress: Called with the zoom of each tile and the number of tiles so far.
  ///   - add: Receives each tile.
  /// - Returns: The counts and the bounds.
  /// - Throws: Errors of `add`.
  package func makeTiles(
    _ wanted: TilesToFile,
    progress: (_ zoom: Int, _ count: Int) -> Void = { _, _ in },
    _ add: (TileAddress, [UInt8]) throws -> Void
  ) throws -> TileRun {
    try withMembers(positions(of: wanted)) { members in
      var count = 0
      let zooms = try visitTiles(of: members, wanted) { address, tile in
        try add(address, tile)
        count += 1
        progress(address.zoom, count)
      }
      let restaurants = members.places.count
      return TileRun(
        written: TilesInFile(restaurants: restaurants, tiles: count, zooms: zooms),
        bounds: bounds(of: members)
      )
    }
  }

  /// The positions to include; nil for all.
  private func positions(of wanted: TilesToFile) throws -> BitSet? {
    let matching = try positions(matching: wanted.filter, until: nil)
    guard let box = wanted.box else { return matching }
    return BitSet(
      capacity: snapshot.count,
      snapshot.tree.within(box, where: matching)
    )
  }

  /// Visits all tiles, and returns their zooms.
  private func visitTiles(
    of members: TileMembers,
    _ wanted: TilesToFile,
    _ body: (TileAddress, [UInt8]) throws -> Void
  ) throws -> ClosedRange<Int> {
    var pyramid = TilePyramid(snapshot, members, wanted.options)
    while true {
      let zoom = pyramid.zoom
      if zoom >= wanted.minZoom {
        try pyramid.visitTiles(body)
        let isLast =
          wanted.maxZoom.map { zoom >= $0 }
          ?? (zoom >= Self.maximumChosenZoom || pyramid.showsEach)
        if isLast { return wanted.minZoom...zoom }
      }
      pyramid.descend()
    }
  }

  private func bounds(of members: TileMembers) -> TileBounds {
    var bounds = TileBounds()
    for place in members.places {
      let position = Int(members.positions[place])
      // a damaged file may contain any number
      if position < snapshot.count { bounds.add(snapshot.tree[position]) }
    }
    return bounds
  }
}

/// The box around some restaurants, in ten-millionths of a degree, as in files of tiles.
///
/// It does not cross the antimeridian, and is clipped to Web Mercator.
package struct TileBounds: Sendable {
  private var box: (west: Double, south: Double, east: Double, north: Double)?

  private static let maximumLatitude = atan(sinh(Double.pi)) * 180 / .pi

  /// Extends the box by a restaurant.
  mutating func add(_ coordinate: Coordinate) {
    // a damaged file may contain any numbers; 180 is drawn at -180
    guard (-180...180).contains(coordinate.longitude), (-90...90).contains(coordinate.latitude)
    else { return }
    let x = coordinate.longitude == 180 ? -180 : coordinate.longitude
    let y = min(max(coordinate.latitude, -Self.maximumLatitude), Self.maximumLatitude)
    guard let box else {
      self.box = (x, y, x, y)
      return
    }
    self.box = (min(box.west, x), min(box.south, y), max(box.east, x), max(box.north, y))
  }

  /// West, south, east and north, rounded outward; the world if there are no restaurants.
  package var sides: [Int32] {
    let greatest = Self.maximumLatitude
    let (west, south, east, north) = box ?? (-180, -greatest, 180, greatest)
    func scaled(_ degrees: Double, _ rule: FloatingPointRoundingRule) -> Int32 {
      Int32((degrees * 1e7).rounded(rule))
    }
    return [scaled(west, .down), scaled(south, .down), scaled(east, .up), scaled(north, .up)]
  }

  /// The longitude and latitude of the center.
  package var center: [Int32] {
    let sides = sides.map(Int64.init)
    return [Int32((sides[0] + sides[2]) / 2), Int32((sides[1] + sides[3]) / 2)]
  }

  /// The greatest of the zooms at which the box is at most as wide and high as a tile.
  package func zoom(in zooms: ClosedRange<Int>) -> Int {
    guard let box else { return zooms.lowerBound }
    let width = max(box.east - box.west, box.north - box.south)
    return zooms.last { 360 / Double(1 << $0) >= width } ?? zooms.lowerBound
  }
}
