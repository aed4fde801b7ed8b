import ArgumentParser
import GeoIndex

/// What is asked at each point of a benchmark.
enum BenchOperation: Equatable {
  /// The nearest so many.
  case nearest(count: Int)
  /// All within so many metres.
  case radius(Double)
  /// All in the box that reaches so many degrees to each side.
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
    case .radius(let metres): "radius \(metres) m"
    case .box(let halfWidth): "bbox ±\(halfWidth)°"
    }
  }

  /// How many queries are made up unless told: fewer where each is long.
  var usualQueryCount: Int {
    switch self {
    case .nearest(let count): count < 100 ? 200_000 : 20_000
    case .radius: 5_000
    case .box(let halfWidth): halfWidth < 0.5 ? 5_000 : 500
    }
  }
}

extension BoundingBox {
  /// The box that reaches so many degrees to each side of a point; it ends at the poles and goes on
  /// over the antimeridian.
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
