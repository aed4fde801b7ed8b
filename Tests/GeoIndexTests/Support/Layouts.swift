import GeoIndex
import TestSupport

/// Ways to lay out points that have broken some index before.
enum Layout: String, CaseIterable, Sendable {
  case uniform
  case clustered
  case severalScales
  case oneCity
  case antimeridianStrip
  case poleCaps
  case oneMeridian
  case oneParallel
  case allEqual
  case gridWithDuplicates
  case twoPoints
  case oneUlpApart
  case specialDegrees

  func coordinates(count: Int, using random: inout SplitMix64) -> [Coordinate] {
    let centers = (0..<5).map { _ in random.coordinate() }
    return (0..<count).map { index in
      coordinate(index, centers: centers, using: &random)
    }
  }

  private func coordinate(
    _ index: Int,
    centers: [Coordinate],
    using random: inout SplitMix64
  ) -> Coordinate {
    let base = centers[0]
    switch self {
    case .uniform: return random.coordinate()
    case .clustered:
      return random.coordinate(near: centers[random.int(below: 5)], degrees: 0.2)
    case .severalScales:
      return random.coordinate(near: centers[random.int(below: 5)], degrees: random.tiny())
    case .oneCity: return random.coordinate(near: base, degrees: 0.5)
    case .antimeridianStrip:
      return .at(random.double(in: -60...60), 180 + random.double(in: -0.5...0.5))
    case .poleCaps:
      let pole = Bool.random(using: &random) ? 90.0 : -90
      let isPole = random.int(below: 8) == 0
      let depth = isPole ? 0 : random.double(in: 0...0.5)
      return .at(pole - depth * (pole / 90), random.double(in: -180...180))
    case .oneMeridian: return .at(random.double(in: -90...90), base.longitude)
    case .oneParallel: return .at(base.latitude, random.double(in: -180...180))
    case .allEqual: return base
    case .gridWithDuplicates:
      return .at(Double(random.int(below: 9)) * 0.25, Double(random.int(below: 9)) * 0.25)
    case .twoPoints: return centers[index % 2]
    case .oneUlpApart:
      return .at(
        base.latitude + base.latitude.ulp * Double(random.int(below: 5)),
        base.longitude + base.longitude.ulp * Double(random.int(below: 5))
      )
    case .specialDegrees:
      let latitudes = [-90, -45, -0.0, 0.0, 1e-300, 45, 90.0, 90.0.nextDown]
      let longitudes = [-180, -90, -0.0, 0.0, 90, 180, 180.0.nextDown, (-180.0).nextUp]
      return .at(latitudes[random.int(below: 8)], longitudes[random.int(below: 8)])
    }
  }
}
