/// How far a position is outside an area or a box.
extension Area {
  /// The distance from a position to the nearest point of the area; 0 inside and on the boundary.
  ///
  /// The length of a geodesic to a point of the boundary, so never less than the true distance; more
  /// by at most 1 cm up to 100 km away, and by 1/100 000 of it up to 1 000 km.
  ///
  /// - Complexity: O(n) for n vertices.
  public func distance(from position: Coordinate) -> Double {
    if contains(position) { return 0 }
    let lines = polygons.joined().map { $0.map { SIMD2($0.longitude, $0.latitude) } }
    return OutlineDistance(from: position).least(to: lines)
  }
}

extension BoundingBox {
  /// The distance from a position to the nearest point of the box; 0 inside and on the edges.
  ///
  /// As accurate as that to an area.
  public func distance(from position: Coordinate) -> Double {
    if contains(position) { return 0 }
    let east = crossesAntimeridian ? east + 360 : east
    let corners = [SIMD2(west, south), SIMD2(east, south), SIMD2(east, north), SIMD2(west, north)]
    return OutlineDistance(from: position).least(to: [corners + corners.prefix(1)])
  }

  /// The box with its edges moved as little as possible, in degrees, to have a position in it.
  public func extended(to position: Coordinate) -> BoundingBox {
    let (south, north) = (min(south, position.latitude), max(north, position.latitude))
    func box(_ west: Double, _ east: Double) -> BoundingBox {
      BoundingBox(west: west, south: south, east: east, north: north) ?? .world
    }
    let taller = box(west, east)
    if taller.contains(position) { return taller }
    func turn(from start: Double, to end: Double) -> Double {
      end >= start ? end - start : end - start + 360
    }
    let longitude = position.longitude
    return turn(from: east, to: longitude) <= turn(from: longitude, to: west)
      ? box(west, longitude) : box(longitude, east)
  }
}

/// The search for the nearest point of lines whose edges are straight in longitude and latitude.
///
/// Edges are cut into pieces that are nearly straight in space. The straight distance to a piece tells how
/// near it can be, and in those that may be nearest the geodesic is minimized by golden sections.
private struct OutlineDistance {
  private struct Piece {
    let start: SIMD2<Double>
    let end: SIMD2<Double>
    let minimum: Double
  }

  private let position: Coordinate
  private let point: SIMD3<Double>

  /// The longest piece in degrees, unless the edges together are much longer than once around the world.
  private static let pieceLength = 0.125
  private static let maximumPieces = 1_000_000.0

  /// The number of pieces in which the geodesic is minimized, and in meters the section at which that ends.
  private static let measuredPieces = 256
  private static let precision = 1e-4

  init(from position: Coordinate) {
    self.position = position
    point = Self.point(SIMD2(position.longitude, position.latitude))
  }

  /// The least distance to one of some lines; infinite if there are none.
  func least(to lines: [[SIMD2<Double>]]) -> Double {
    let total = lines.reduce(0.0) { sum, line in
      zip(line, line.dropFirst()).reduce(sum) { $0 + Self.span($1.0, $1.1) }
    }
    let length = max(Self.pieceLength, total / Self.maximumPieces)
    var (pieces, maximum): ([Piece], Double) = ([], .infinity)
    for line in lines {
      guard let first = line.first else { continue }
      var (start, startPoint) = (first, Self.point(first))
      for to in line.dropFirst() {
        let from = start
        let count = max(1, (Self.span(from, to) / length).rounded(.up))
        for number in 1...Int(count) {
          let end = Double(number) == count ? to : from + (to - from) * (Double(number) / count)
          let endPoint = Self.point(end)
          let straight = straightDistance(startPoint, endPoint)
          let bend = Self.bend(start, end)
          maximum = min(maximum, straight + bend)
          if straight - bend <= maximum + Self.slack(maximum) {
            pieces.append(Piece(start: start, end: end, minimum: straight - bend))
          }
          (start, startPoint) = (end, endPoint)
        }
      }
    }
    let limit = maximum + Self.slack(maximum)
    let candidates = pieces.filter { $0.minimum <= limit }.sorted { $0.minimum < $1.minimum }
    var least = Double.infinity
    for piece in candidates.prefix(Self.measuredPieces) {
      least = min(least, distance(to: piece, below: least))
    }
    return least
  }

  /// The least geodesic distance to a piece; infinite if that is not below a known one.
  private func distance(to piece: Piece, below known: Double) -> Double {
    func length(_ share: Double) -> Double {
      position.distance(to: Self.place(piece.start + (piece.end - piece.start) * share))
    }
    // no point of it is farther from its middle than half its length
    let reach = Self.length(piece.start, piece.end)
    if length(0.5) - reach / 2 >= known { return .infinity }
    let ratio = (5.0.squareRoot() - 1) / 2
    var (low, high) = (0.0, 1.0)
    var (left, right) = (1 - ratio, ratio)
    var (leftLength, rightLength) = (length(left), length(right))
    var least = min(length(0), length(1))
    while (high - low) * reach > Self.precision {
      least = min(least, leftLength, rightLength)
      if leftLength < rightLength {
        (high, right, rightLength) = (right, left, leftLength)
        left = high - ratio * (high - low)
        leftLength = length(left)
      } else {
        (low, left, leftLength) = (left, right, rightLength)
        right = low + ratio * (high - low)
        rightLength = length(right)
      }
    }
    return least
  }

  /// The straight distance through space to a line between two points.
  private func straightDistance(_ start: SIMD3<Double>, _ end: SIMD3<Double>) -> Double {
    let (line, way) = (end - start, point - start)
    let square = (line * line).sum()
    let share = square > 0 ? max(0, min(1, (way * line).sum() / square)) : 0
    let rest = way - line * share
    return (rest * rest).sum().squareRoot()
  }

  /// How far a piece may be from the straight line between its ends: an eighth of its acceleration.
  private static func bend(_ start: SIMD2<Double>, _ end: SIMD2<Double>) -> Double {
    let length = length(start, end)
    return length * length / radius / 8
  }

  /// The length of a piece in meters, or more.
  private static func length(_ start: SIMD2<Double>, _ end: SIMD2<Double>) -> Double {
    radius * ((end.x - start.x).magnitude + (end.y - start.y).magnitude) * (.pi / 180)
  }

  /// More than any radius of curvature, in meters.
  private static let radius = 6_400_000.0

  /// How much farther a point may be, straight, that is nearer along the ellipsoid: geodesics of one
  /// length have chords that differ by less than a hundredth of s³/24R², the curve of the Earth.
  private static func slack(_ distance: Double) -> Double {
    let share = distance / Ellipsoid.polarRadius
    return 0.001 * distance * share * share
  }

  /// The length of an edge in degrees of longitude or latitude.
  private static func span(_ start: SIMD2<Double>, _ end: SIMD2<Double>) -> Double {
    max((end.x - start.x).magnitude, (end.y - start.y).magnitude)
  }

  /// The position at degrees that may go beyond ±180, and beyond a pole by rounding.
  private static func place(_ degrees: SIMD2<Double>) -> Coordinate {
    let (x, y) = (degrees.x.remainder(dividingBy: 360), max(-90, min(90, degrees.y)))
    return Coordinate(latitude: y, longitude: x) ?? .origin
  }

  private static func point(_ degrees: SIMD2<Double>) -> SIMD3<Double> {
    let point = ECEFPoint(place(degrees))
    return SIMD3(point.x, point.y, point.z)
  }
}
