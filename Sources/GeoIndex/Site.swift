/// A coordinate together with its place in space: earth-centred (ECEF) x, y, z in metres.
///
/// x points to longitude 0, y to longitude 90 east, z to the north pole. Equal coordinates have
/// equal places: ±180 gives one y, and the poles lie on the axis exactly (x = y = 0).
struct Site {
  let x: Double
  let y: Double
  let z: Double
  let coordinate: Coordinate

  init(_ coordinate: Coordinate) {
    let place = Ellipsoid.Place(Angle(degrees: coordinate.latitude))
    let longitude = Angle(degrees: coordinate.canonicalLongitude)
    x = place.axisDistance * longitude.cosine
    y = place.axisDistance * longitude.sine
    z = place.z
    self.coordinate = coordinate
  }
}
