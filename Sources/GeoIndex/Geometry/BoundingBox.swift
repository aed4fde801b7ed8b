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

  /// Makes a box of west, south, east and north; nil if these are not four numbers, or not a box.
  package init?(_ sides: [Double]) {
    guard sides.count == 4 else { return nil }
    self.init(west: sides[0], south: sides[1], east: sides[2], north: sides[3])
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

/// Finds the smallest box around a stream of positions, in constant memory.
///
/// The shortest arc of longitude is the circle without its widest gap. The builder keeps the least
/// and greatest longitude of each of 3 600 buckets of 0.1°. A gap wider than a bucket lies between
/// the greatest longitude of one occupied bucket and the least of the next, so the widest gap is
/// found exactly; if no gap is wider than 0.1° the box is the whole circle, -180...180.
///
/// - Edges keep the bits of the positions they come from (of -0.0 and 0.0, west and south keep
///   -0.0, east and north 0.0).
/// - Poles have no longitude and do not widen the arc; of poles alone the box has west = east = 0.
/// - ±180 is one meridian, written -180 if the arc runs east from it and 180 if it ends there.
///   Positions on that meridian alone give west = east = -180 if any is written so, else 180.
/// - Of equally wide gaps the one over the antimeridian is omitted, then the westernmost: the box
///   does not cross the antimeridian unnecessarily.
///
/// The order of the positions does not matter.
package struct ExtentBuilder: Sendable {
  private static let bucketsPerDegree = 10.0
  private static let bucketCount = 3_600
  private static let bucketWidth = 0.1

  private var south = Double.infinity
  private var north = -Double.infinity
  private var minimum = [Double](repeating: .infinity, count: bucketCount)
  private var maximum = [Double](repeating: -.infinity, count: bucketCount)
  private var antimeridianIsWrittenNegative = false
  private var westmost = Double.infinity
  private var eastmost = -Double.infinity
  private var hasPole = false

  /// Makes a builder without positions.
  package init() {}

  /// Adds a position.
  package mutating func add(_ coordinate: Coordinate) {
    south = Self.lesser(south, coordinate.latitude)
    north = Self.greater(north, coordinate.latitude)
    westmost = Self.lesser(westmost, coordinate.longitude)
    eastmost = Self.greater(eastmost, coordinate.longitude)
    guard !coordinate.isPole else {
      hasPole = true
      return
    }
    let longitude = coordinate.canonicalLongitude
    if coordinate.longitude == -180 { antimeridianIsWrittenNegative = true }
    let bucket = min(Int((longitude + 180) * Self.bucketsPerDegree), Self.bucketCount - 1)
    minimum[bucket] = Self.lesser(minimum[bucket], longitude)
    maximum[bucket] = Self.greater(maximum[bucket], longitude)
  }

  /// The smallest box around the positions so far; nil if there are none.
  package var box: BoundingBox? {
    let arc = longitudeArc
    return BoundingBox(west: arc.west, south: south, east: arc.east, north: north)
  }

  /// The box around the positions so far, in a form that maps show; nil if there are none.
  ///
  /// Map viewers draw a box with west > east as the narrow strip between the two: they get one only
  /// if it is narrower than half the globe. A wider one runs from the least longitude to the
  /// greatest, as they are written, and from -180 to 180 if there is a pole, which has every longitude.
  package var shownBox: BoundingBox? {
    let arc = longitudeArc
    let width = arc.east - arc.west + (arc.west > arc.east ? 360 : 0)
    let (west, east) =
      hasPole ? (-180, 180) : width < 180 ? arc : (westmost, eastmost)
    return BoundingBox(west: west, south: south, east: east, north: north)
  }

  /// The circle of longitude without its widest gap.
  private var longitudeArc: (west: Double, east: Double) {
    guard let first = minimum.firstIndex(where: { $0 < .infinity }),
      let last = minimum.lastIndex(where: { $0 < .infinity })
    else { return (0, 0) }
    // the gap over the antimeridian comes first and wins if gaps are equal
    var arc = (west: minimum[first], east: maximum[last])
    var widestGap = arc.west + 360 - arc.east
    var end = maximum[first]
    for bucket in first..<last where minimum[bucket + 1] < .infinity {
      let start = minimum[bucket + 1]
      if start - end > widestGap {
        widestGap = start - end
        arc = (start, end)
      }
      end = maximum[bucket + 1]
    }
    guard widestGap > Self.bucketWidth else { return (-180, 180) }
    return spelled(arc)
  }

  /// The arc with ±180 written as the type's comment says.
  private func spelled(_ arc: (west: Double, east: Double)) -> (west: Double, east: Double) {
    guard arc.east == -180 else { return arc }
    guard arc.west == -180 else { return (arc.west, 180) }
    return antimeridianIsWrittenNegative ? (-180, -180) : (180, 180)
  }

  /// The lesser of two values; -0.0 is less than 0.0.
  private static func lesser(_ one: Double, _ other: Double) -> Double {
    one.isTotallyOrdered(belowOrEqualTo: other) ? one : other
  }

  private static func greater(_ one: Double, _ other: Double) -> Double {
    one.isTotallyOrdered(belowOrEqualTo: other) ? other : one
  }
}

extension BoundingBox {
  /// Makes the smallest box that holds every given position, or nil if there are none.
  ///
  /// The arc of longitude is the shortest one, so the box crosses the antimeridian if that is
  /// shorter. Poles have no longitude and do not widen it. Of equally wide gaps the one over the
  /// antimeridian is omitted, then the westernmost.
  ///
  /// ```swift
  /// let ends = [170.0, -170.0].compactMap { Coordinate(latitude: 0, longitude: $0) }
  /// // BoundingBox(enclosing: ends) is 170.0,0.0,-170.0,0.0
  /// ```
  ///
  /// - Parameter coordinates: positions in any order; the order does not change the box.
  /// - Complexity: O(n) time in a single pass, constant memory.
  public init?(enclosing coordinates: some Sequence<Coordinate>) {
    var extent = ExtentBuilder()
    for coordinate in coordinates {
      extent.add(coordinate)
    }
    guard let box = extent.box else { return nil }
    self = box
  }
}

extension BoundingBox: Codable {
  /// Decodes an array of west, south, east and north, as `bbox` of GeoJSON is.
  ///
  /// - Throws: `DecodingError` if it does not have these four numbers, or they are not a box.
  public init(from decoder: any Decoder) throws {
    let sides = try decoder.singleValueContainer().decode([Double].self)
    guard let box = BoundingBox(sides) else {
      let reason = "\(sides) is not west, south, east, north in degrees"
      throw DecodingError.dataCorrupted(
        DecodingError.Context(codingPath: decoder.codingPath, debugDescription: reason)
      )
    }
    self = box
  }

  /// Encodes what ``init(from:)`` reads.
  public func encode(to encoder: any Encoder) throws {
    var sides = encoder.singleValueContainer()
    try sides.encode([west, south, east, north])
  }
}
