import Foundation
import GeoIndex

/// The box around some restaurants, in ten-millionths of a degree, as in files of tiles.
///
/// It does not cross the antimeridian, and is clipped to Web Mercator.
package struct TileBounds: Sendable {
  private var box: (west: Double, south: Double, east: Double, north: Double)?

  private static let greatestLatitude = atan(sinh(Double.pi)) * 180 / .pi

  /// Extends the box by a restaurant.
  mutating func add(_ coordinate: Coordinate) {
    // a damaged file may contain any numbers; 180 is drawn at -180
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

  /// West, south, east and north, rounded outward; the world if there are no restaurants.
  package var sides: [Int32] {
    let greatest = Self.greatestLatitude
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
