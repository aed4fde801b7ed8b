/// A coordinate together with its place in space: earth-centred (ECEF) x, y, z in metres.
///
/// x points to longitude 0, y to longitude 90 east, z to the north pole. Equal coordinates have
/// equal places: ±180 gives one y, and the poles lie on the axis exactly (x = y = 0).
struct Site {
  let x: Double
  let y: Double
  let z: Double
  let coordinate: Coordinate

  @inline(__always)
  init(_ coordinate: Coordinate) {
    let angles = AnglePair(
      degrees: SIMD2(coordinate.latitude, coordinate.canonicalLongitude)
    )
    let place = Ellipsoid.Place(angles.first)
    x = place.axisDistance * angles.cosines[1]
    y = place.axisDistance * angles.sines[1]
    z = place.z
    self.coordinate = coordinate
  }

  /// The same, where the place is known already.
  init(x: Double, y: Double, z: Double, coordinate: Coordinate) {
    self.x = x
    self.y = y
    self.z = z
    self.coordinate = coordinate
  }
}
