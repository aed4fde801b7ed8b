package import GeoIndex

extension Coordinate {
  /// A coordinate from numbers that may lie a little outside: latitude is cut, longitude turned.
  package static func at(_ latitude: Double, _ longitude: Double) -> Coordinate {
    let north = min(90, max(-90, latitude))
    let turned = longitude.magnitude > 180 ? longitude.remainder(dividingBy: 360) : longitude
    guard let coordinate = Coordinate(latitude: north, longitude: turned) else {
      preconditionFailure("\(latitude), \(longitude) is no coordinate.")
    }
    return coordinate
  }

  /// Both numbers bit for bit: unlike `==`, tells -0.0 from 0.0 and -180 from 180.
  package var bits: [UInt64] { [latitude.bitPattern, longitude.bitPattern] }
}
