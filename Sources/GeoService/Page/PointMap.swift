import Foundation
import GeoIndex
import GeoQuery

/// A small map of the restaurants in a table, drawn without a script: one point for each.
///
/// It is in Web Mercator, fitted to the points, with a scale line. If there are few restaurants, the
/// points have the numbers of their rows and lead to them; otherwise several on one spot are one
/// larger point.
struct PointMap {
  /// The most restaurants whose points are numbered; more would cover each other.
  static let maximumNumbers = 50

  private static let (width, height, margin) = (360.0, 220.0, 16.0)
  /// The equator, in meters.
  private static let circumference = 40_075_017.0
  /// The least width and height that are drawn, in meters.
  private static let minimumSpan = 200.0

  private let rows: [(number: Int, coordinate: Coordinate)]
  private let box: BoundingBox
  /// Whether the points have the numbers of their rows.
  let isNumbered: Bool

  /// Nil if fewer than two restaurants have coordinates: a point alone shows nothing.
  ///
  /// - Parameter coordinates: Those of the rows, in their order.
  init?(_ coordinates: [Coordinate?]) {
    rows = coordinates.enumerated().compactMap { index, coordinate in
      coordinate.map { (index + 1, $0) }
    }
    guard rows.count > 1, let box = BoundingBox(enclosing: rows.map(\.coordinate)) else {
      return nil
    }
    self.box = box
    isNumbered = coordinates.count <= Self.maximumNumbers
  }

  /// The anchor of a row, from 1.
  static func anchor(_ row: Int) -> String { "row-\(row)" }

  /// The drawing, as an element of HTML.
  var html: HTML {
    guard let corner = Coordinate(latitude: box.north, longitude: box.west) else { return "" }
    let origin = WebMercator.place(of: corner)
    let places = rows.map { row in
      let place = WebMercator.place(of: row.coordinate)
      // a box may cross the antimeridian
      return (x: place.x - origin.x + (place.x < origin.x ? 1 : 0), y: place.y - origin.y)
    }
    let size = (x: places.map(\.x).max() ?? 0, y: places.map(\.y).max() ?? 0)
    // beyond the square of the map there is no length
    let latitude = min(max((box.south + box.north) / 2, -85), 85)
    let equator = Self.circumference * cos(latitude * .pi / 180)
    let least = Self.minimumSpan / equator
    let scale = min(
      (Self.width - 2 * Self.margin) / max(size.x, least),
      (Self.height - 2 * Self.margin) / max(size.y, least)
    )
    let points = places.map { place in
      (
        x: Int((Self.width / 2 + (place.x - size.x / 2) * scale).rounded()),
        y: Int((Self.height / 2 + (place.y - size.y / 2) * scale).rounded())
      )
    }
    let role = isNumbered ? "group" : "img"
    var html: HTML = "<svg class=\"points\" viewBox=\"0 0 \(Int(Self.width)) \(Int(Self.height))\" "
    html += "role=\"\(role)\" aria-label=\"Map of the \(points.count) restaurants\">"
    if isNumbered {
      for (row, point) in zip(rows, points) {
        html += "<a href=\"#\(Self.anchor(row.number))\">"
        html += "<circle cx=\"\(point.x)\" cy=\"\(point.y)\" r=\"8\"/>"
        html += "<text x=\"\(point.x)\" y=\"\(point.y)\">\(row.number)</text></a>"
      }
    } else {
      let spots = Dictionary(points.map { ($0.y << 16 | $0.x, 1) }, uniquingKeysWith: +)
      for (spot, count) in spots.sorted(by: { $0.key < $1.key }) {
        let radius = min(3 + count.bitWidth - 1 - count.leadingZeroBitCount, 9)
        html += "<circle cx=\"\(spot & 0xFFFF)\" cy=\"\(spot >> 16)\" r=\"\(radius)\"/>"
      }
    }
    // over many degrees of latitude one length is not true everywhere
    if box.north - box.south < 10 { html += Self.scaleLine(metersPerPixel: equator / scale) }
    html += "</svg>\n"
    return html
  }

  /// A line of 1, 2 or 5 times a power of ten, at most a quarter as long as the map is wide.
  private static func scaleLine(metersPerPixel: Double) -> HTML {
    let most = metersPerPixel * width / 4
    let power = pow(10, log10(most).rounded(.down))
    let meters = [5, 2, 1].map { $0 * power }.first { $0 <= most } ?? power
    let (x, y) = (Int(margin / 2), Int(height - margin / 2))
    let end = x + Int((meters / metersPerPixel).rounded())
    return """
      <g class="scale"><path d="M\(x) \(y - 5)V\(y)H\(end)V\(y - 5)"/>\
      <text x="\(end + 5)" y="\(y - 2)">\(PageUnits.kilometers.text(of: meters))</text></g>
      """
  }
}
