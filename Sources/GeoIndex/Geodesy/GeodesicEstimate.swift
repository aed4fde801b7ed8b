#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The length of a geodesic to second order in the flattening, from the points of its ends.
///
/// Forsythe's, Andoyer's and Lambert's formula in reduced latitudes as extended by P. D. Thomas,
/// Mathematical Models for Navigation Systems, U.S. Naval Oceanographic Office TR-182 (1965). The
/// reduced latitude β has sin β = z/b, and the chord c' of the ellipsoid scaled to the unit sphere
/// gives the arc d there: sin²(d/2) = (c'/2)². So no latitude or longitude is needed.
///
/// It strays from the geodesic by 3 mm up to 1 000 km, 3 cm up to 10 000 km, 0.3 m up to 15 000 km;
/// near the antipode it is useless.
struct GeodesicEstimate {
  /// Meters.
  let distance: Double

  /// - Parameters:
  ///   - start: one end.
  ///   - x: of the other end (not the antipode), meters, as are y and z.
  ///   - y: the second of its coordinates.
  ///   - z: the third.
  @inline(__always)
  init(from start: SurfacePoint, x: Double, y: Double, z: Double) {
    let f = Ellipsoid.flattening
    let chord = Chord(x: x - start.x, y: y - start.y, z: z - start.z)
    // sin²(d/2); the least summand turns 0/0 into 0 and 1 and changes nothing else
    let square = chord.squaredOnUnitSphere * 0.25 + .leastNormalMagnitude
    let root = square.squareRoot()
    let arc = 2 * asin(root)
    let sine = 2 * root * (1 - square).squareRoot()
    // (sin β₁ ± sin β₂)²
    let least = 1 / (2 * Ellipsoid.polarRadius * Ellipsoid.polarRadius)
    let sum = (start.z + z) * (start.z + z) * least / (1 - square)
    let difference = chord.axialSquared * least / square
    let (x, y) = (sum + difference, sum - difference)
    let t = arc / sine
    let d = 4 * t * t
    let e = 2 - 4 * square
    let first = t * x - y
    let c = t - (d * e - e) / 2
    let second = x * (d * e + c * x) - y * (2 * d + e * y) + d * x * y
    distance = Ellipsoid.equatorialRadius * sine * (t - f / 4 * first + f * f / 64 * second)
  }
}
