import Foundation
import GeoIndex

@testable import GeoQuery

/// What tiles shall show, by looking at every restaurant, with a Mercator of its own.
struct TileOracle {
  let restaurants: [Restaurant]
  let limit: Int

  /// Where a restaurant lies in a square world of `size` units: by the logarithm of a tangent.
  static func place(_ coordinate: Coordinate, side: Double) -> (x: Double, y: Double) {
    var x = coordinate.longitude / 360 + 0.5
    if x >= 1, coordinate.longitude == 180 { x = 0 }
    let greatest = atan(sinh(Double.pi)) * 180 / .pi
    let latitude = min(max(coordinate.latitude, -greatest), greatest)
    let y = (1 - log(tan(.pi / 4 + latitude * .pi / 360)) / .pi) / 2
    return (x * side, y * side)
  }

  /// The column or row at a place; nil if it is so close to an edge that rounding decides.
  private static func cell(_ place: Double, count: Int) -> Int? {
    let tolerance = 1e-9 * Double(count) + 1e-9
    let edge = place.rounded()
    // 0 and the last edge are edges of the world: nothing lies beyond
    if abs(place - edge) < tolerance, edge > 0, Int(edge) < count { return nil }
    return min(max(Int(place.rounded(.down)), 0), count - 1)
  }

  /// The cell of a zoom that has a restaurant; nil near an edge.
  static func cell(of restaurant: Restaurant, zoom: Int) -> Cell? {
    let count = 1 << zoom
    let (x, y) = place(restaurant.coordinate, side: Double(count))
    guard let column = cell(x, count: count), let row = cell(y, count: count) else { return nil }
    return Cell(zoom: zoom, column: column, row: row)
  }

  struct Cell: Hashable {
    let zoom: Int
    let column: Int
    let row: Int

    /// The cell around it at a smaller zoom.
    func parent(_ zoom: Int) -> Cell {
      Cell(zoom: zoom, column: column >> (self.zoom - zoom), row: row >> (self.zoom - zoom))
    }
  }

  /// The addresses of all tiles of a zoom in which restaurants may be, those next to an edge included.
  func addresses(zoom: Int) -> [TileAddress] {
    let count = 1 << zoom
    if zoom <= 2 {
      return (0..<count * count).compactMap {
        TileAddress(zoom: zoom, x: $0 % count, y: $0 / count)
      }
    }
    var found: Set<TileAddress> = []
    for restaurant in restaurants {
      let (x, y) = Self.place(restaurant.coordinate, side: Double(count))
      for (x, y) in [(-1e-6, -1e-6), (-1e-6, 1e-6), (1e-6, -1e-6), (1e-6, 1e-6)].map({
        (x + $0.0, y + $0.1)
      }) {
        let column = min(max(Int(x.rounded(.down)), 0), count - 1)
        let row = min(max(Int(y.rounded(.down)), 0), count - 1)
        TileAddress(zoom: zoom, x: column, y: row).map { _ = found.insert($0) }
      }
    }
    return found.sorted { ($0.x, $0.y) < ($1.x, $1.y) }
  }

  /// The least zoom after one that shows some restaurants of one cell apart.
  func expansionZoom(of members: [Restaurant], after zoom: Int) -> Int? {
    for next in zoom + 1...TileAddress.maximumZoom {
      let cells = members.map { Self.cell(of: $0, zoom: next + 6) }
      guard !cells.contains(nil), let tile = cells.first??.parent(next) else { return nil }
      let inTile = restaurants.filter { Self.cell(of: $0, zoom: next) == tile }.count
      if Set(cells).count > 1 || inTile <= limit { return next }
    }
    return TileAddress.maximumZoom
  }
}
