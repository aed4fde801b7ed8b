import Foundation
package import GeoIndex

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
  package var filter = Filter.all

  /// The box that restaurants must be in; nil for the whole world.
  package var box: BoundingBox?

  package var minZoom = 0

  /// The maximum zoom, at least `minZoom`; at 14 a position is at most half a meter off, at 0 seven kilometers.
  package var maxZoom = Self.defaultMaxZoom

  package static let defaultMaxZoom = 14

  /// The maximum number of single restaurants in a tile.
  var limit = TileLayer.defaultLimit

  /// The credits of the restaurants' sources, for the metadata.
  package var credits = Credits.none

  /// All restaurants at all necessary zooms.
  package init() {}
}

/// The counts of a file of tiles.
package struct TilesInFile: Sendable, Hashable {
  package let restaurants: Int

  package let tiles: Int

  package let zooms: ClosedRange<Int>

  /// The box around all restaurants.
  package let bounds: TileBounds
}

extension QueryEngine {
  /// Makes the tiles of a file, zoom by zoom, each zoom along a Hilbert curve.
  ///
  /// Each tile is that of `tile(_:matching:limit:until:)`. Tiles without restaurants are omitted.
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
  ) throws -> TilesInFile {
    try withMembers(positions(of: wanted)) { members in
      var count = 0
      for zoom in wanted.minZoom...wanted.maxZoom {
        for tile in tiles(of: members, zoom: zoom) {
          let members = members.at(tile.places)
          guard let address = members.address(zoom: zoom) else { continue }
          var writer = TileWriter(snapshot, address, limit: wanted.limit)
          try add(address, writer.tile(of: members, until: nil).bytes)
          count += 1
          progress(zoom, count)
        }
      }
      return TilesInFile(
        restaurants: members.places.count,
        tiles: count,
        zooms: wanted.minZoom...wanted.maxZoom,
        bounds: bounds(of: members)
      )
    }
  }

  /// The tiles of a zoom, ascending by their numbers in PMTiles, with the ranges of their members.
  ///
  /// - Complexity: O(t log n) for t tiles.
  private func tiles(of members: TileMembers, zoom: Int) -> [(number: UInt64, places: Range<Int>)] {
    var tiles: [(number: UInt64, places: Range<Int>)] = []
    members.visitCells(ofLevel: zoom) { places in
      // a damaged file may contain any key
      guard let address = members.at(places).address(zoom: zoom) else { return }
      tiles.append((address.hilbertNumber, places))
    }
    return tiles.sorted { $0.number < $1.number }
  }

  /// The positions to include; nil for all.
  private func positions(of wanted: TilesToFile) throws -> BitSet? {
    let matching = try positions(matching: wanted.filter, until: nil)
    guard let box = wanted.box else { return matching }
    return BitSet(capacity: snapshot.count, snapshot.tree.within(box, where: matching))
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
package struct TileBounds: Sendable, Hashable {
  /// West, south, east and north in degrees; nil without restaurants.
  private var box: SIMD4<Double>?

  private static let maximumLatitude = atan(sinh(Double.pi)) * 180 / .pi

  mutating func add(_ coordinate: Coordinate) {
    // a damaged file may contain any numbers; 180 is drawn at -180
    guard (-180...180).contains(coordinate.longitude), (-90...90).contains(coordinate.latitude)
    else { return }
    let x = coordinate.longitude == 180 ? -180 : coordinate.longitude
    let y = min(max(coordinate.latitude, -Self.maximumLatitude), Self.maximumLatitude)
    let box = box ?? [x, y, x, y]
    self.box = [min(box[0], x), min(box[1], y), max(box[2], x), max(box[3], y)]
  }

  /// West, south, east and north, rounded outward; the world if there are no restaurants.
  package var sides: [Int32] {
    let greatest = Self.maximumLatitude
    let scaled = (box ?? [-180, -greatest, 180, greatest]) * 1e7
    return (0..<4).map { Int32(scaled[$0].rounded($0 < 2 ? .down : .up)) }
  }

  /// The longitude and latitude of the center.
  package var center: [Int32] {
    let sides = sides.map(Int64.init)
    return [Int32((sides[0] + sides[2]) / 2), Int32((sides[1] + sides[3]) / 2)]
  }

  /// The greatest of the zooms at which the box is at most as wide and high as a tile.
  package func zoom(in zooms: ClosedRange<Int>) -> Int {
    guard let box else { return zooms.lowerBound }
    let width = max(box[2] - box[0], box[3] - box[1])
    return zooms.last { 360 / Double(1 << $0) >= width } ?? zooms.lowerBound
  }
}
