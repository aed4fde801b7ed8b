import Foundation
package import GeoIndex

extension QueryEngine {
  /// Counts the restaurants in cells.
  ///
  /// A cell is a tile of the same zoom, so the counts are those of the tiles.
  ///
  /// - Throws: `QueryTimeout`.
  /// - Complexity: in addition to the filter's, O(c log n) for c cells; with a filter O(n).
  package func density(
    in cells: CellRange,
    matching filter: Filter = .all,
    until deadline: Deadline? = nil
  ) throws -> [(x: Int, y: Int, count: Int)] {
    var found: [(x: Int, y: Int, count: Int)] = []
    func visit(_ members: TileMembers, _ level: Int) {
      members.visitCells(ofLevel: level) { places in
        let cell = members.at(places)
        guard let address = cell.address(zoom: level), cells.meets(address) else { return }
        guard level == cells.zoom else { return visit(cell, level + 1) }
        found.append((address.x, address.y, places.count))
      }
    }
    let matching = try positions(matching: filter, until: deadline)
    try withMembers(matching, until: deadline) { visit($0, 0) }
    return found.sorted { ($0.y, $0.x) < ($1.y, $1.x) }
  }

  /// Counts the restaurants in the pixels of a picture.
  ///
  /// - Returns: A count for each pixel, row by row from the north.
  /// - Throws: `QueryTimeout`.
  /// - Complexity: O(n) for n restaurants, a few nanoseconds each.
  package func counts(
    in grid: PixelGrid,
    matching filter: Filter = .all,
    until deadline: Deadline? = nil
  ) throws -> [UInt32] {
    let matching = try positions(matching: filter, until: deadline)
    return try withMembers(matching, until: deadline) { members in
      var counts = [UInt32](repeating: 0, count: grid.width * grid.height)
      for place in members.places {
        if place & 0xFFFF == 0 { try deadline?.check() }
        let key = members.keys[place]
        let (column, row) = (WebMercator.column(of: key), WebMercator.row(of: key))
        if let pixel = grid.pixel(column: column, row: row) { counts[pixel] += 1 }
      }
      return counts
    }
  }
}

/// The cells of a zoom level that a box touches; a cell is a tile of that zoom.
///
/// A longitude of 180 counts as -180, but a box that ends at 180 has no cell east of it. Latitudes
/// beyond ±85.0511 are in the outermost row.
package struct CellRange: Sendable, Hashable {
  package let zoom: Int

  /// The columns; two ranges if the box crosses the antimeridian.
  package let columns: [ClosedRange<Int>]

  /// The rows, from the north.
  package let rows: ClosedRange<Int>

  /// The cells that a box touches.
  package init(_ box: BoundingBox, zoom: Int) {
    precondition((0...TileAddress.maximumZoom).contains(zoom), "A zoom is in 0...22.")
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
    let north = cell(WebMercator.y(ofLatitude: box.north))
    rows = north...max(north, cell(WebMercator.y(ofLatitude: box.south)))
  }

  /// The greatest zoom, 22 at most, at which a box touches at most `count` cells.
  package static func fitting(_ box: BoundingBox, atMost count: Int) -> CellRange {
    (0...TileAddress.maximumZoom).reversed().lazy.map { CellRange(box, zoom: $0) }
      .first { $0.count <= count } ?? CellRange(box, zoom: 0)
  }

  package var count: Int { columns.reduce(0) { $0 + $1.count } * rows.count }

  /// Whether a tile of this zoom or a smaller one contains some of them.
  func meets(_ tile: TileAddress) -> Bool {
    let shift = zoom - tile.zoom
    return (rows.lowerBound >> shift...rows.upperBound >> shift).contains(tile.y)
      && columns.contains {
        ($0.lowerBound >> shift...$0.upperBound >> shift).contains(tile.x)
      }
  }
}

/// The pixels of a picture of a box, in Web Mercator.
package struct PixelGrid: Sendable {
  package let width: Int

  package let height: Int

  /// The west and north edges, in cells of the greatest depth.
  private let west: Double
  private let north: Double

  /// Pixels per cell, to the east and to the south: equal except for the rounded height.
  private let scale: (x: Double, y: Double)

  private static let side = Double(1 << WebMercator.depth)

  /// The pixels of a picture of a box; nil if the box has no area or the picture would be too high.
  package init?(_ box: BoundingBox, width: Int, maximumHeight: Int) {
    let degrees = box.east - box.west + (box.crossesAntimeridian ? 360 : 0)
    let top = WebMercator.y(ofLatitude: box.north)
    let bottom = WebMercator.y(ofLatitude: box.south)
    guard width > 0, degrees > 0, bottom > top else { return nil }
    let (columns, rows) = (degrees / 360 * Self.side, (bottom - top) * Self.side)
    let height = max(1, (rows * Double(width) / columns).rounded())
    guard height <= Double(maximumHeight) else { return nil }
    scale = (Double(width) / columns, height / rows)
    self.width = width
    self.height = Int(height)
    west = (box.west / 360 + 0.5) * Self.side
    north = top * Self.side
  }

  /// The index of the pixel of a cell of the greatest depth, row by row; nil if it is outside.
  func pixel(column: UInt64, row: UInt64) -> Int? {
    var east = Double(column) + 0.5 - west
    if east < 0 { east += Self.side }
    let south = Double(row) + 0.5 - north
    // a point on the east or south edge is in the next cell
    guard (east - 1) * scale.x < Double(width), (south - 1) * scale.y < Double(height), south >= 0
    else { return nil }
    return min(Int(south * scale.y), height - 1) * width + min(Int(east * scale.x), width - 1)
  }
}

/// A heat map: counts of pixels, each spread around, as one of 256 colors.
package struct HeatPicture: Sendable {
  package let width: Int

  /// The number of each pixel's color in `palette`, row by row from the north.
  package let pixels: [UInt8]

  /// Red, green and blue of each color, from no restaurant to the most.
  package static let palette: [[UInt8]] = {
    // light to dark, so that it also works in gray; yellow to violet without green
    let stops: [(at: Double, color: [Double])] = [
      (0, [244, 241, 234]), (0.06, [252, 226, 168]), (0.3, [253, 174, 97]), (0.55, [232, 89, 52]),
      (0.8, [165, 29, 72]), (1, [66, 10, 66]),
    ]
    return (0..<256).map { index in
      let place = Double(index) / 255
      let next = max(1, stops.firstIndex { place <= $0.at } ?? stops.count - 1)
      let (low, high) = (stops[next - 1], stops[next])
      let share = (place - low.at) / (high.at - low.at)
      return zip(low.color, high.color).map { UInt8(($0 + ($1 - $0) * share).rounded()) }
    }
  }()

  /// Draws counts.
  ///
  /// Each restaurant is a Gaussian, cut off at a radius. The color is the logarithm of their sum,
  /// so that a single restaurant is visible in a picture with thousands elsewhere.
  ///
  /// - Parameters:
  ///   - counts: A count for each pixel, row by row.
  ///   - width: The width in pixels.
  ///   - radius: In pixels; 0 for none.
  package init(_ counts: [UInt32], width: Int, radius: Int) {
    self.width = width
    let height = width > 0 ? counts.count / width : 0
    let weights = (0...radius).map { distance in
      radius == 0 ? 1 : Float(exp(-4.5 * Double(distance * distance) / Double(radius * radius)))
    }
    let rows = Self.spread(counts.map { Float($0) }, weights, width, height, step: 1)
    let sums = Self.spread(rows, weights, width, height, step: width)
    let greatest = log1p(sums.max() ?? 0)
    pixels = sums.map { sum in
      greatest > 0 ? UInt8((log1p(sum) / greatest * 255).rounded()) : 0
    }
  }

  /// Spreads values along rows (a step of 1) or columns (a step of a row).
  private static func spread(
    _ values: [Float],
    _ weights: [Float],
    _ width: Int,
    _ height: Int,
    step: Int
  ) -> [Float] {
    if weights.count == 1 { return values }
    var sums = values
    let (length, lines, stride) = step == 1 ? (width, height, width) : (height, width, 1)
    for line in 0..<lines {
      let start = line * stride
      for place in 0..<length {
        let value = values[start + place * step]
        if value == 0 { continue }
        for distance in 1..<weights.count {
          let part = value * weights[distance]
          if place >= distance { sums[start + (place - distance) * step] += part }
          if place + distance < length { sums[start + (place + distance) * step] += part }
        }
      }
    }
    return sums
  }
}
