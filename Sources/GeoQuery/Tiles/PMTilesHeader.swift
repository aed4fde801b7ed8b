import Foundation
import GeoIndex

/// The header of PMTiles 3 (§3).
struct PMTilesHeader {
  static let length = 127

  /// Where a section lies in the file.
  struct Section {
    let offset: Int
    let length: Int
  }

  let root: Section
  let metadata: Section
  let leaves: Section
  let data: Section

  /// How many tiles there are, how many entries they have, and how many contents.
  let counts: (tiles: Int, entries: Int, contents: Int)

  let zooms: ClosedRange<Int>
  let bounds: TileBounds

  /// The header as it is stored, little-endian.
  var bytes: [UInt8] {
    var bytes = Array("PMTiles".utf8)
    bytes.append(3)
    func add(_ number: some FixedWidthInteger) {
      withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
    }
    for section in [root, metadata, leaves, data] {
      add(UInt64(section.offset))
      add(UInt64(section.length))
    }
    for count in [counts.tiles, counts.entries, counts.contents] { add(UInt64(count)) }
    // clustered; gzip inside; gzip tiles; Mapbox Vector Tiles
    bytes += [1, 2, 2, 1, UInt8(zooms.lowerBound), UInt8(zooms.upperBound)]
    for side in bounds.sides { add(side) }
    add(UInt8(bounds.zoom(in: zooms)))
    for side in bounds.center { add(side) }
    return bytes
  }
}

/// The box around some restaurants, in ten-millionths of a degree, as PMTiles has it.
///
/// It does not cross the antimeridian, and ends where Web Mercator does.
struct TileBounds {
  private var box: (west: Double, south: Double, east: Double, north: Double)?

  private static let greatestLatitude = atan(sinh(Double.pi)) * 180 / .pi

  /// Extends the box to a restaurant.
  mutating func add(_ coordinate: Coordinate) {
    // a damaged file may hold any numbers; 180 is drawn at -180
    guard (-180...180).contains(coordinate.longitude), (-90...90).contains(coordinate.latitude)
    else { return }
    let x = coordinate.longitude == 180 ? -180 : coordinate.longitude
    let y = min(max(coordinate.latitude, -Self.greatestLatitude), Self.greatestLatitude)
    guard let box else {
      self.box = (x, y, x, y)
      return
    }
    self.box = (min(box.west, x), min(box.south, y), max(box.east, x), max(box.north, y))
  }

  /// West, south, east and north, rounded outward; the world if there is no restaurant.
  var sides: [Int32] {
    let greatest = Self.greatestLatitude
    let (west, south, east, north) = box ?? (-180, -greatest, 180, greatest)
    func scaled(_ degrees: Double, _ rule: FloatingPointRoundingRule) -> Int32 {
      Int32((degrees * 1e7).rounded(rule))
    }
    return [scaled(west, .down), scaled(south, .down), scaled(east, .up), scaled(north, .up)]
  }

  /// The longitude and latitude of the middle.
  var center: [Int32] {
    let sides = sides.map(Int64.init)
    return [Int32((sides[0] + sides[2]) / 2), Int32((sides[1] + sides[3]) / 2)]
  }

  /// The greatest of some zooms at which the box is at most as wide and high as a tile.
  func zoom(in zooms: ClosedRange<Int>) -> Int {
    guard let box else { return zooms.lowerBound }
    let width = max(box.east - box.west, box.north - box.south)
    return zooms.last { 360 / Double(1 << $0) >= width } ?? zooms.lowerBound
  }
}
