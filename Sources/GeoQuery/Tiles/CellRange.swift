package import GeoIndex

/// The cells of a zoom level that a box touches; a cell is a tile of that zoom.
///
/// A longitude of 180 counts as -180, but a box that ends at 180 has no cell east of it. Latitudes
/// beyond ±85.0511 are in the outermost row.
package struct CellRange: Sendable, Hashable {
  /// The zoom.
  package let zoom: Int

  /// The columns; two ranges if the box crosses the antimeridian.
  package let columns: [ClosedRange<Int>]

  /// The rows, from the north.
  package let rows: ClosedRange<Int>

  /// The cells that a box touches.
  ///
  /// - Parameters:
  ///   - box: The box.
  ///   - zoom: In 0...22.
  package init(_ box: BoundingBox, zoom: Int) {
    precondition((0...TileAddress.greatestZoom).contains(zoom), "A zoom is in 0...22.")
    self.zoom = zoom
    let last = 1 << zoom - 1
    func cell(_ place: Double) -> Int {
      min(max(Int((place * Double(1 << zoom)).rounded(.down)), 0), last)
    }
    let isMeridian = abs(box.west) == 180 && abs(box.east) == 180 && box.west >= box.east
    let first = box.west == 180 ? 0 : cell(box.west / 360 + 0.5)
    let end = isMeridian ? 0 : cell(box.east / 360 + 0.5)
    if box.west == 180 || !box.crossesAntimeridian {
      columns = [first...max(first, end)]
    } else {
      columns = end >= first ? [0...last] : [0...end, first...last]
    }
    func row(_ latitude: Double) -> Int {
      Coordinate(latitude: latitude, longitude: 0).map { cell(WebMercator.place(of: $0).y) } ?? 0
    }
    let north = row(box.north)
    rows = north...max(north, row(box.south))
  }

  /// The greatest zoom, 22 at most, at which a box touches at most `count` cells.
  package static func fitting(_ box: BoundingBox, atMost count: Int) -> CellRange {
    (0...TileAddress.greatestZoom).reversed().lazy.map { CellRange(box, zoom: $0) }
      .first { $0.count <= count } ?? CellRange(box, zoom: 0)
  }

  /// The number of cells.
  package var count: Int { columns.reduce(0) { $0 + $1.count } * rows.count }

  /// Whether a cell of this zoom or a smaller one contains some of them.
  func meets(_ prefix: UInt64, ofZoom level: Int) -> Bool {
    let shift = zoom - level
    let (column, row) = (Int(WebMercator.column(of: prefix)), Int(WebMercator.row(of: prefix)))
    guard column < 1 << level, row < 1 << level else { return false }
    return (rows.lowerBound >> shift...rows.upperBound >> shift).contains(row)
      && columns.contains { ($0.lowerBound >> shift...$0.upperBound >> shift).contains(column) }
  }
}
