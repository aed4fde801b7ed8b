/// A coordinate and its point on the ellipsoid: earth-centered (ECEF) x, y, z in meters.
///
/// x points to longitude 0, y to longitude 90 east, z to the north pole. Equal coordinates have
/// equal points: ±180 gives one y, and the poles lie on the axis exactly (x = y = 0).
struct SurfacePoint {
  let x: Double
  let y: Double
  let z: Double
  let coordinate: Coordinate

  @inline(__always)
  init(_ coordinate: Coordinate) {
    let angles = AnglePair(
      degrees: SIMD2(coordinate.latitude, coordinate.canonicalLongitude)
    )
    let point = Ellipsoid.MeridianPoint(angles.first)
    x = point.axisDistance * angles.cosines[1]
    y = point.axisDistance * angles.sines[1]
    z = point.z
    self.coordinate = coordinate
  }

  /// Makes the point of a coordinate whose point is already known.
  init(x: Double, y: Double, z: Double, coordinate: Coordinate) {
    self.x = x
    self.y = y
    self.z = z
    self.coordinate = coordinate
  }
}
