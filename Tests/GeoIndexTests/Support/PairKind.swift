import Foundation
import GeoIndex
import TestSupport

/// Kinds of pairs of positions that have broken some distance before.
enum PairKind: String, CaseIterable, Sendable {
  case random
  case nearlyAntipodal
  case veryNearlyAntipodal
  case short
  case upToTheNearLimit
  case aroundTheNearLimit
  case aroundTheChangeLimit
  case oneEndNearAPole
  case oppositePoles
  case meridional
  case nearlyMeridional
  case equatorial
  case nearlyEquatorial
  case samePoint
  case specialDegrees

  func pair(using random: inout SplitMix64) -> (Coordinate, Coordinate) {
    let one = random.coordinate()
    switch self {
    case .random: return (one, random.coordinate())
    case .nearlyAntipodal: return (one, random.coordinate(near: one.antipode, degrees: 2))
    case .veryNearlyAntipodal:
      return (one, random.coordinate(near: one.antipode, degrees: random.tiny()))
    case .short: return (one, random.coordinate(near: one, degrees: random.tiny()))
    case .upToTheNearLimit:
      return (one, random.step(from: one, meters: random.double(in: 0...400_000)))
    case .aroundTheNearLimit:
      return (one, random.step(from: one, meters: random.double(in: 395_000...405_000)))
    case .aroundTheChangeLimit:
      return (one, random.step(from: one, meters: random.double(in: 24_800...25_200)))
    case .oneEndNearAPole: return (random.polar(north: true), one)
    case .oppositePoles: return (random.polar(north: true), random.polar(north: false))
    case .meridional:
      let isOver = Bool.random(using: &random)
      let far = isOver ? one.antipode.longitude : one.longitude
      return (one, .at(random.double(in: -90...90), far))
    case .nearlyMeridional:
      let shift = random.double(in: -1...1) * random.tiny()
      return (one, .at(random.double(in: -90...90), one.longitude + shift))
    case .equatorial: return (.at(0, one.longitude), .at(0, random.double(in: -180...180)))
    case .nearlyEquatorial:
      return (
        .at(random.double(in: -1...1) * random.tiny(), one.longitude),
        .at(random.double(in: -1...1) * random.tiny(), random.double(in: -180...180))
      )
    case .samePoint: return (one, one)
    case .specialDegrees: return (random.special(), random.special())
    }
  }
}

extension SplitMix64 {
  /// Degrees between 1e-12 and 1, evenly over the powers of ten.
  mutating func tiny() -> Double { pow(10, double(in: -12...0)) }

  mutating func polar(north: Bool) -> Coordinate {
    let latitude = 90 - tiny()
    return .at(north ? latitude : -latitude, double(in: -180...180))
  }

  mutating func special() -> Coordinate {
    let offset = [0, 0, 0, 1e-13, -1e-13, 1e-300][int(below: 6)]
    return .at(Double(int(below: 9) - 4) * 22.5 + offset, Double(int(below: 17) - 8) * 22.5)
  }

  /// A coordinate about `meters` away (as on a sphere, to 0.6%), in any direction.
  mutating func step(from start: Coordinate, meters: Double) -> Coordinate {
    let azimuth = double(in: 0...(2 * .pi))
    let arc = meters / 6_371_009
    let latitude = start.latitude * .pi / 180
    let height = sin(latitude) * cos(arc) + cos(latitude) * sin(arc) * cos(azimuth)
    let turn = atan2(
      sin(azimuth) * sin(arc) * cos(latitude),
      cos(arc) - sin(latitude) * height
    )
    let latitudeOfEnd = asin(max(-1, min(1, height)))
    return .at(latitudeOfEnd * 180 / .pi, start.longitude + turn * 180 / .pi)
  }
}
