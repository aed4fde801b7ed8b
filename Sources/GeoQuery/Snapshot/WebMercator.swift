import Foundation
package import GeoIndex

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
    let sine = sin(coordinate.latitude * .pi / 180)
    let y = 0.5 - atanh(sine) / (2 * .pi)
    return ((longitude + 180) / 360, min(max(y, 0), 1))
  }

  /// The number of the finest cell that contains a coordinate.
  ///
  /// It has the bits of the cell's row and column in turn, the row's first: a Morton number (IBM, 1966).
  /// All cells inside a tile start with the same bits, two for each zoom level.
  static func key(of coordinate: Coordinate) -> UInt64 {
    let (x, y) = place(of: coordinate)
    return key(column: cell(x), row: cell(y))
  }

  /// The number of a cell by its column and row.
  static func key(column: UInt64, row: UInt64) -> UInt64 { spread(column) | spread(row) << 1 }

  /// The column of the cell with a number.
  @inline(__always)
  static func column(of key: UInt64) -> UInt64 { squeeze(key) }

  /// The row of the cell with a number.
  @inline(__always)
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
  @inline(__always)
  private static func squeeze(_ number: UInt64) -> UInt64 {
    var bits = number & 0x5555_5555_5555_5555
    bits = (bits | bits >> 1) & 0x3333_3333_3333_3333
    bits = (bits | bits >> 2) & 0x0F0F_0F0F_0F0F_0F0F
    bits = (bits | bits >> 4) & 0x00FF_00FF_00FF_00FF
    bits = (bits | bits >> 8) & 0x0000_FFFF_0000_FFFF
    return (bits | bits >> 16) & 0xFFFF_FFFF
  }
}
