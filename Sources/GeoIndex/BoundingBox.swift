/// A closed box between two parallels and two meridians, in degrees.
///
/// The box runs from `west` eastward to `east`. With west > east it crosses the antimeridian
/// (RFC 7946 §5.2). Points on an edge are inside. ±180 is one meridian: (west, east) = (180, 180),
/// (-180, -180) and (180, -180) are that meridian alone, and (-180, 180) is the whole circle. A pole
/// lies in every box that reaches its latitude, whatever the longitudes.
///
/// ```swift
/// let fiji = BoundingBox(west: 177, south: -21, east: -178, north: -12)
/// // fiji?.crossesAntimeridian is true
/// ```
public struct BoundingBox: Sendable, Hashable, CustomStringConvertible {
  /// The meridian the box starts from, degrees east, -180...180.
  public let west: Double

  /// The southern edge, degrees north, -90...90.
  public let south: Double

  /// The meridian the box ends at, degrees east, -180...180.
  public let east: Double

  /// The northern edge, degrees north, -90...90 and not below `south`.
  public let north: Double

  /// Makes a box, or nil if the numbers are not valid.
  ///
  /// West and east may be in any order; the two orders are different boxes.
  ///
  /// - Parameters:
  ///   - west: degrees east, finite and in -180...180.
  ///   - south: degrees north, finite and in -90...90.
  ///   - east: degrees east, finite and in -180...180; below `west` to cross the antimeridian.
  ///   - north: degrees north, finite, in -90...90 and at least `south`.
  public init?(west: Double, south: Double, east: Double, north: Double) {
    let longitudes = -180.0...180.0
    let latitudes = -90.0...90.0
    guard longitudes.contains(west), longitudes.contains(east),
      latitudes.contains(south), latitudes.contains(north), south <= north
    else { return nil }
    self.init(checkedWest: west, south: south, east: east, north: north)
  }

  private init(checkedWest west: Double, south: Double, east: Double, north: Double) {
    self.west = west
    self.south = south
    self.east = east
    self.north = north
  }

  /// The box of every position.
  public static let world = BoundingBox(checkedWest: -180, south: -90, east: 180, north: 90)

  /// The edges as `W,S,E,N`, the order of GeoJSON's `bbox`.
  public var description: String { "\(west),\(south),\(east),\(north)" }

  /// Whether the box runs over the antimeridian: west > east.
  public var crossesAntimeridian: Bool { west > east }

  /// Whether a position lies in the box, edges included; decided on the unrounded degrees.
  ///
  /// - Parameter coordinate: the position.
  /// - Returns: true inside and on the edges. 180 and -180 are one meridian; at a pole only the
  ///   latitude counts.
  /// - Complexity: O(1).
  public func contains(_ coordinate: Coordinate) -> Bool {
    guard south <= coordinate.latitude, coordinate.latitude <= north else { return false }
    if coordinate.isPole { return true }
    if coordinate.longitude.magnitude == 180 {
      return containsLongitude(-180) || containsLongitude(180)
    }
    return containsLongitude(coordinate.longitude)
  }

  private func containsLongitude(_ longitude: Double) -> Bool {
    crossesAntimeridian
      ? longitude >= west || longitude <= east
      : longitude >= west && longitude <= east
  }
}
