import GRDB
import GeoIndex

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// A plain range of degrees for the spatial index: one that crosses the antimeridian comes as two.
struct FrameAround {
  let west: Double
  let south: Double
  let east: Double
  let north: Double

  /// Metres that reach every point.
  static let everything = 20_010_000.0

  /// The least length of a degree along a meridian on WGS84, at the equator, rounded down.
  private static let metresPerDegree = 110_574.0

  /// What the index's `xmin <= ? AND xmax >= ? AND ymin <= ? AND ymax >= ?` asks for.
  var bounds: [any DatabaseValueConvertible] { [east, west, north, south] }

  /// What `longitude BETWEEN ? AND ? AND latitude BETWEEN ? AND ?` asks for.
  var sides: [any DatabaseValueConvertible] { [west, east, south, north] }

  /// The frames that together hold a circle.
  static func frames(around center: Coordinate, radius: Double) -> [FrameAround] {
    let height = radius / metresPerDegree
    let reach = center.latitude.magnitude + height
    let width = reach < 89.9 ? height / cos(reach * .pi / 180) : 180
    let south = max(-90, center.latitude - height)
    let north = min(90, center.latitude + height)
    let (west, east) = (center.longitude - width, center.longitude + width)
    let frame = { FrameAround(west: $0, south: south, east: $1, north: north) }
    if width >= 180 { return [frame(-180, 180)] }
    if west <= -180 { return [frame(west + 360, 180), frame(-180, east)] }
    if east >= 180 { return [frame(west, 180), frame(-180, east - 360)] }
    return [frame(west, east)]
  }

  /// The frames that together are a box.
  static func frames(of box: BoundingBox) -> [FrameAround] {
    let frame = { FrameAround(west: $0, south: box.south, east: $1, north: box.north) }
    return box.crossesAntimeridian
      ? [frame(box.west, 180), frame(-180, box.east)] : [frame(box.west, box.east)]
  }
}
