/// The straight line between two places, split into its parts across and along the Earth's axis.
struct Chord {
  /// dx² + dy², square metres.
  let equatorialSquared: Double

  /// dz², square metres.
  let axialSquared: Double

  /// The line of the given extents along x, y and z, metres.
  init(x: Double, y: Double, z: Double) {
    equatorialSquared = x * x + y * y
    axialSquared = z * z
  }

  init(from start: Site, to end: Site) {
    self.init(x: end.x - start.x, y: end.y - start.y, z: end.z - start.z)
  }

  /// The square of the length, square metres.
  var squared: Double { equatorialSquared + axialSquared }

  /// The square of the length after the ellipsoid is scaled to the unit sphere: 0...4.
  var squaredOnUnitSphere: Double {
    let a = Ellipsoid.equatorialRadius
    let b = Ellipsoid.polarRadius
    return equatorialSquared / (a * a) + axialSquared / (b * b)
  }
}
