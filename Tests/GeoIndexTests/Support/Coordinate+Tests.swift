import GeoIndex

extension Coordinate {
  /// A coordinate for tests: latitude cut off at the poles, longitude wrapped around.
  static func at(_ latitude: Double, _ longitude: Double) -> Coordinate {
    let wrapped = longitude.magnitude <= 180 ? longitude : longitude.remainder(dividingBy: 360)
    guard let made = Coordinate(latitude: min(90, max(-90, latitude)), longitude: wrapped) else {
      preconditionFailure("\(latitude),\(longitude) is no coordinate.")
    }
    return made
  }

  var antipode: Coordinate {
    .at(-latitude, longitude > 0 ? longitude - 180 : longitude + 180)
  }
}
