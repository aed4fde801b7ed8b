import GeoIndex

/// Generated positions that are distributed like restaurants: many around a few centers, a few
/// around many.
///
/// 20 000 city centers, latitude N(30, 22) clipped to -60…72, longitude uniform, the weight of a
/// center is its rank^-0.9. A point scatters around its center by N(0, σ) northward and eastward, σ
/// = (1 + 0.06·m^0.8)·{0.15, 0.5, 1.5} km with odds .4, .4, .2, where m is the square root of the
/// expected number of points of the center. Degrees have 7 decimals.
struct ClusteredPoints {
  private let centers: [Coordinate]
  private let spreads: [Double]
  private let cumulativeWeights: [Double]

  private static let centerCount = 20_000
  private static let kilometersPerDegree = 111.32

  /// Makes the centers for `count` points.
  init(size: Int, using random: inout SeededRandom) {
    let weights = (1...Self.centerCount).map { pow(Double($0), -0.9) }
    let total = weights.reduce(0, +)
    var sum = 0.0
    cumulativeWeights = weights.map { weight in
      sum += weight / total
      return sum
    }
    spreads = weights.map { 1 + 0.06 * pow(($0 / total * Double(size)).squareRoot(), 0.8) }
    centers = weights.map { _ in
      let latitude = min(72, max(-60, 30 + 22 * random.normal()))
      return coordinate(latitude: latitude, longitude: 360 * random.uniform() - 180)
    }
  }

  /// The next point.
  func point(using random: inout SeededRandom) -> Coordinate {
    point(inCity: city(using: &random), using: &random)
  }

  /// The center of the next point, counted from 0; those with the greatest weight come first.
  func city(using random: inout SeededRandom) -> Int { city(at: random.uniform()) }

  /// A point around a center.
  func point(inCity city: Int, using random: inout SeededRandom) -> Coordinate {
    let scale = random.uniform()
    let kilometers = scale < 0.4 ? 0.15 : scale < 0.8 ? 0.5 : 1.5
    let spread = spreads[city] * kilometers / Self.kilometersPerDegree
    let center = centers[city]
    let eastward = spread / cos(center.latitude * .pi / 180)
    return coordinate(
      latitude: rounded(center.latitude + spread * random.normal()),
      longitude: rounded(center.longitude + eastward * random.normal())
    )
  }

  /// The center whose share of the weights contains a number, by bisection.
  private func city(at share: Double) -> Int {
    var range = 0..<Self.centerCount - 1
    while !range.isEmpty {
      let middle = (range.lowerBound + range.upperBound) / 2
      if cumulativeWeights[middle] <= share {
        range = middle + 1..<range.upperBound
      } else {
        range = range.lowerBound..<middle
      }
    }
    return range.lowerBound
  }

  private func rounded(_ degrees: Double) -> Double { (degrees * 1e7).rounded() / 1e7 }
}

/// A point near another one: each coordinate is moved by N(0, 0.005) degrees.
func jittered(_ point: Coordinate, using random: inout SeededRandom) -> Coordinate {
  coordinate(
    latitude: point.latitude + 0.005 * random.normal(),
    longitude: point.longitude + 0.005 * random.normal()
  )
}

/// A coordinate whose degrees may be slightly beyond a pole or the antimeridian.
private func coordinate(latitude: Double, longitude: Double) -> Coordinate {
  let turned =
    longitude > 180 ? longitude - 360 : longitude < -180 ? longitude + 360 : longitude
  guard let coordinate = Coordinate(latitude: min(90, max(-90, latitude)), longitude: turned) else {
    preconditionFailure("A made-up coordinate must be less than a turn away.")
  }
  return coordinate
}
