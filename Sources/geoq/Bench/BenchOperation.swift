import ArgumentParser
import GeoIndex

/// The operation of a benchmark.
enum BenchOperation: Equatable {
  /// The nearest `count`.
  case nearest(count: Int)
  /// All within a radius in meters.
  case radius(Double)
  /// All in a box of a half-width in degrees.
  case box(halfWidth: Double)

  /// The values of `--op`.
  enum Name: String, CaseIterable, ExpressibleByArgument {
    case nearest
    case radius
    case bbox
  }

  /// The operation's name.
  var name: Name {
    switch self {
    case .nearest: .nearest
    case .radius: .radius
    case .box: .bbox
    }
  }

  /// The operation for people.
  var description: String {
    switch self {
    case .nearest(let count): "nearest, k = \(grouped(count))"
    case .radius(let meters): "radius \(meters) m"
    case .box(let halfWidth): "bbox ±\(halfWidth)°"
    }
  }

  /// The default number of queries: fewer if each takes long.
  var defaultQueryCount: Int {
    switch self {
    case .nearest(let count): count < 100 ? 200_000 : 20_000
    case .radius: 5_000
    case .box(let halfWidth): halfWidth < 0.5 ? 5_000 : 500
    }
  }
}

extension BoundingBox {
  /// The box of a half-width in degrees around a point; it is clipped at the poles and may cross
  /// the antimeridian.
  ///
  /// - Precondition: 0 ≤ `halfWidth` ≤ 180.
  static func around(_ center: Coordinate, halfWidth: Double) -> BoundingBox {
    let (south, north) = (center.latitude - halfWidth, center.latitude + halfWidth)
    let (west, east) = (center.longitude - halfWidth, center.longitude + halfWidth)
    let isWholeTurn = halfWidth >= 180
    let box = BoundingBox(
      west: isWholeTurn ? -180 : west < -180 ? west + 360 : west,
      south: max(-90, south),
      east: isWholeTurn ? 180 : east > 180 ? east - 360 : east,
      north: min(90, north)
    )
    guard let box else { preconditionFailure("A half-width must be 0...180 degrees.") }
    return box
  }
}
