import GeoIndex

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Made-up places that lie as restaurants do: many around few centres, few around many.
///
/// 20 000 city centres, latitude N(30, 22) clipped to -60…72, longitude uniform, the weight of a
/// centre its rank^-0.9. A point scatters around its centre by N(0, σ) northward and eastward,
/// σ = (1 + 0.06·m^0.8)·{0.15, 0.5, 1.5} km with odds .4, .4, .2, where m is the root of the number of
/// points that the centre is to expect. Degrees have 7 decimals.
struct ClusteredPoints {
  private let centers: [Coordinate]
  private let spreads: [Double]
  private let cumulativeWeights: [Double]

  private static let centerCount = 20_000
  private static let kilometresPerDegree = 111.32

  /// Makes the centres for so many points.
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

  /// The centre of the next point, counted from 0; the heaviest come first.
  func city(using random: inout SeededRandom) -> Int { city(at: random.uniform()) }

  /// A point around a centre.
  func point(inCity city: Int, using random: inout SeededRandom) -> Coordinate {
    let scale = random.uniform()
    let kilometres = scale < 0.4 ? 0.15 : scale < 0.8 ? 0.5 : 1.5
    let spread = spreads[city] * kilometres / Self.kilometresPerDegree
    let center = centers[city]
    let eastward = spread / cos(center.latitude * .pi / 180)
    return coordinate(
      latitude: rounded(center.latitude + spread * random.normal()),
      longitude: rounded(center.longitude + eastward * random.normal())
    )
  }

  /// The centre in whose share of the weights a number lies, by bisection.
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

/// A point near another: each degree moved by N(0, 0.005).
func jittered(_ point: Coordinate, using random: inout SeededRandom) -> Coordinate {
  coordinate(
    latitude: point.latitude + 0.005 * random.normal(),
    longitude: point.longitude + 0.005 * random.normal()
  )
}

/// A coordinate of degrees that may have run over a pole or the antimeridian a little.
private func coordinate(latitude: Double, longitude: Double) -> Coordinate {
  let turned =
    longitude > 180 ? longitude - 360 : longitude < -180 ? longitude + 360 : longitude
  guard let coordinate = Coordinate(latitude: min(90, max(-90, latitude)), longitude: turned) else {
    preconditionFailure("A made-up coordinate must be less than a turn away.")
  }
  return coordinate
}
