import TestSupport
import Testing

@testable import GeoIndex

struct EllipsoidTests {
  @Test func `derived constants are those published`() {
    #expect(abs(Ellipsoid.polarRadius - 6_356_752.314245) < 1e-6)
    #expect(abs(Ellipsoid.eccentricitySquared - 6.694379990141e-3) < 1e-15)
    #expect(abs(Ellipsoid.minimumCurvatureRadius - 6_335_439) < 1)
  }

  @Test func `multiples of 90 degrees are exact`() {
    let quarters: [(Double, Double, Double)] = [
      (0, 0, 1), (90, 1, 0), (180, 0, -1), (-90, -1, 0), (-180, 0, -1), (-0.0, 0, 1),
    ]
    for (degrees, sine, cosine) in quarters {
      let angle = Angle(degrees: degrees)
      #expect(angle.sine == sine && angle.sine.sign == (sine < 0 ? .minus : .plus))
      #expect(angle.cosine == cosine && angle.cosine.sign == (cosine < 0 ? .minus : .plus))
    }
  }

  @Test func `equal coordinates have one place`() {
    let same: [(Coordinate, Coordinate)] = [
      (.at(0, 0), .at(-0.0, -0.0)), (.at(12, 180), .at(12, -180)),
      (.at(90, 10), .at(90, -120)), (.at(-90, 180), .at(-90, 0)),
    ]
    for (one, other) in same {
      let (first, second) = (ECEFPoint(one), ECEFPoint(other))
      #expect(first.x.bitPattern == second.x.bitPattern)
      #expect(first.y.bitPattern == second.y.bitPattern)
      #expect(first.z.bitPattern == second.z.bitPattern)
    }
    #expect(ECEFPoint(.at(90, 45)).x == 0)
    #expect(ECEFPoint(.at(90, 45)).y == 0)
    #expect(ECEFPoint(.at(-12, 180)).y == 0)
  }

  @Test func `places lie on the ellipsoid`() {
    var random = SplitMix64(stream: "ellipsoid")
    for _ in 0..<1_000 {
      let origin = ECEFPoint(random.coordinate())
      let scaled = Chord(x: origin.x, y: origin.y, z: origin.z).squaredOnUnitSphere
      #expect(abs(scaled - 1) < 1e-15)
    }
  }

  @Test func `height rises with latitude`() {
    var last = -Double.infinity
    for latitude in stride(from: -90.0, through: 90, by: 0.25) {
      let height = Ellipsoid.MeridianPoint(Angle(degrees: latitude)).z
      #expect(height > last)
      last = height
    }
  }
}
