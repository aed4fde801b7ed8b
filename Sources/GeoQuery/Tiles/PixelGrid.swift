package import GeoIndex

/// The pixels of a picture of a box, in Web Mercator.
package struct PixelGrid: Sendable {
  /// The width in pixels.
  package let width: Int

  /// The height in pixels.
  package let height: Int

  /// The west and north edges, in cells of the greatest depth.
  private let west: Double
  private let north: Double

  /// Pixels per cell, to the east and to the south: equal except for the rounded height.
  private let scale: (x: Double, y: Double)

  private static let side = Double(1 << WebMercator.depth)

  /// Makes the pixels of a picture of a box, whose height follows from the width; nil if the box
  /// has no area or the picture would be too high.
  ///
  /// - Parameters:
  ///   - box: The box to show, which is clipped to Web Mercator; not a point or a line.
  ///   - width: Pixels.
  ///   - greatestHeight: The maximum height in pixels.
  package init?(_ box: BoundingBox, width: Int, greatestHeight: Int) {
    func row(_ latitude: Double) -> Double {
      Coordinate(latitude: latitude, longitude: 0).map { WebMercator.place(of: $0).y } ?? 0
    }
    let degrees = box.east - box.west + (box.crossesAntimeridian ? 360 : 0)
    let (top, bottom) = (row(box.north), row(box.south))
    guard width > 0, degrees > 0, bottom > top else { return nil }
    let (columns, rows) = (degrees / 360 * Self.side, (bottom - top) * Self.side)
    let height = max(1, (rows * Double(width) / columns).rounded())
    guard height <= Double(greatestHeight) else { return nil }
    scale = (Double(width) / columns, height / rows)
    self.width = width
    self.height = Int(height)
    west = (box.west / 360 + 0.5) * Self.side
    north = top * Self.side
  }

  /// The index of the pixel of a cell of the greatest depth, row by row; nil if it is outside.
  @inline(__always)
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

extension QueryEngine {
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
    let allowed = try positions(matching: filter, until: deadline)
    return try snapshot.tiles.whileMapped {
      let (keys, positions) = (snapshot.tiles.keys, snapshot.tiles.positions)
      var counts = [UInt32](repeating: 0, count: grid.width * grid.height)
      for place in keys.indices {
        if place & 0xFFFF == 0 { try deadline?.check() }
        if let allowed {
          let position = Int(positions[place])
          // a damaged file may contain any number
          guard position < allowed.capacity, allowed.contains(position) else { continue }
        }
        let key = keys[place]
        let (column, row) = (WebMercator.column(of: key), WebMercator.row(of: key))
        if let pixel = grid.pixel(column: column, row: row) { counts[pixel] += 1 }
      }
      return counts
    }
  }
}
