/// Distances along the ellipsoid between places in space.
enum Geodesic {
  /// The longest chord, in metres, that ``nearDistance(from:to:chordSquared:)`` measures.
  static let greatestNearChord = 100_000.0

  /// The length of the shortest path between two places along the ellipsoid, metres.
  ///
  /// The chord formula up to 100 km of straight chord (largest error 0.26 µm), Karney's inverse
  /// beyond. Every distance that geoq reports comes from here. It is symmetric bit for bit, and
  /// never below the chord.
  static func distance(from start: Site, to end: Site) -> Double {
    distance(from: start, to: end, along: Chord(from: start, to: end))
  }

  /// The same, where the chord between the two places is known already.
  static func distance(from start: Site, to end: Site, along chord: Chord) -> Double {
    let chordSquared = chord.squared
    guard chordSquared <= greatestNearChord * greatestNearChord else {
      return GeodesicInverse(from: start.coordinate, to: end.coordinate).distance
    }
    return nearDistance(from: start, to: end, along: chord)
  }

  /// The length of a short geodesic, from the curvature κ of the ellipsoid along the chord at the
  /// chord's midpoint m: s = (2/κ)·asin(cκ/2).
  ///
  /// With u = end - start and c = |u|,
  /// κ = ((ux² + uy²)/a² + uz²/b²)/c² · √((mx² + my²)/a² + mz²/b²) / √((mx² + my²)/a⁴ + mz²/b⁴),
  /// the normal curvature (second over first fundamental form) of the surface similar to the
  /// ellipsoid through m. With x = (cκ/2)² the series of asin needs no root of κ²:
  /// s = c(1 + x/6 + 3x²/40 + 15x³/336).
  private static func nearDistance(from start: Site, to end: Site, along chord: Chord) -> Double {
    let chordSquared = chord.squared
    guard chordSquared > 0 else { return 0 }
    let a = Ellipsoid.equatorialRadius
    let b = Ellipsoid.polarRadius
    // twice the midpoint; the factor 2 cancels
    let middle = Chord(x: start.x + end.x, y: start.y + end.y, z: start.z + end.z)
    let scale = middle.squaredOnUnitSphere
    let gradient =
      middle.equatorialSquared / (a * a * a * a) + middle.axialSquared / (b * b * b * b)
    let stretch = chord.squaredOnUnitSphere
    // (cκ/2)², divided before it is multiplied so that a tiny chord cannot underflow to 0/0
    let x = stretch / chordSquared * stretch * scale / (4 * gradient)
    return chordSquared.squareRoot() * (1 + x * (1 / 6 + x * (3 / 40 + x * (15 / 336))))
  }
}
